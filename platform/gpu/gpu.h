// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/memory_effects.h"
#include "modules/core/simt_cluster.h"
#include "modules/dispatch/command_processor.h"
#include "modules/interconnect/network.h"
#include "modules/isa/opcode_tables.h"
#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/exact_clock.h"
#include "modules/kernel/rounded_clocks.h"
#include "modules/memory/address_mapping.h"
#include "modules/memory/address_placement.h"
#include "modules/memory/memory_channel.h"
#include "modules/memory/memory_partition.h"
#include "modules/memory/memory_statistics.h"
#include "modules/trace/command_list.h"
#include "modules/trace/kernel_trace.h"
#include "platform/config/config.h"
#include "platform/gpu/host_interface.h"
#include "platform/gpu/memory_bridge.h"

#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

namespace simtlm::platform {

class gpu_tracer;

/// A set of kernel traces that the host can launch.
struct trace_set {
    unsigned first_kernel = 0;  ///< number of its first kernel; the others follow
    std::vector<trace::kernel_header> kernels;
    std::vector<trace::command> commands;  ///< of the list: copies and launches in order
};

/// A whole GPU, wired from a validated configuration: four clocks and the phase sequencer they
/// drive, SIMT core clusters, the networks, memory partitions with their channels, the
/// command processor and the host interface.
///
/// It lives beside other modules, other GPUs included: it has no global state, never starts, pauses
/// or stops the simulation and does not set the time resolution (1 fs or finer suits most clock
/// frequencies; set it before anything else is built). All ports may be left unbound.
class gpu : public sc_core::sc_module, private core::reply_observer, private host_device {
public:
    // ---- the pins ----

    /// Registers and command queue: a TLM-2.0 target, base protocol, 32 bits.
    host_interface::socket host;
    /// Clock inputs by protocol::clock_domain. Those left unbound get a clock made inside, with the
    /// configured frequency.
    sc_core::sc_vector<sc_core::sc_in<bool>> clock;
    /// Commands that wait are forgotten, running kernels end with their resident thread blocks,
    /// then caches become empty and the registers are as in the beginning. Statistics stay. While
    /// it is high no command is taken.
    sc_core::sc_in<bool> reset;
    /// High while an enabled interrupt is pending.
    sc_core::sc_out<bool> irq;
    /// The host's memory, which copy commands move bytes from and to: a TLM-2.0 initiator, base
    /// protocol, 32 bits, b_transport. Unbound, a GPU whose device memory has contents copies by
    /// the aperture of `host` alone.
    copy_engine::socket host_memory;
    /// One per channel. Bound, its target takes the place of the built-in DRAM channel.
    sc_core::sc_vector<memory_bridge::external_socket> memory;

    /// @throws kernel::user_error when an opcode table cannot be read or the network not be built
    gpu(const sc_core::sc_module_name& name, gpu_config config);
    ~gpu() override;

    /// Traces the signals of all blocks, by the names of docs/waveforms.md, in a trace file of
    /// SystemC; the blocks' own trace() traces those of one. Before the simulation starts.
    void trace(sc_core::sc_trace_file* file) const override;

    /// Makes the kernels of a kernelslist.g launchable through the host interface. Any time; the
    /// traces themselves are read when they run. @throws kernel::user_error
    trace_set load_trace_set(const std::string& kernelslist);
    /// How the external memory of a channel is treated, or those of all channels. Before
    /// elaboration ends. @throws kernel::user_error for dense addresses with random partition
    /// indexing
    void set_external_memory(unsigned channel, const external_memory& how);
    void set_external_memory(const external_memory& how);
    /// What writes do to external memories; the rest of their treatment stays.
    void set_memory_data(memory_data data);
    /// Asked during commands that take no simulated time, such as long lists of host copies: when
    /// it says true, the rest of them is not begun. Before the simulation starts.
    void set_stop_request(std::function<bool()> request);
    /// Where printf of programs that the host has loaded goes; stdout unless told otherwise.
    void set_print(std::function<void(std::string_view)> print);
    /// Gates the clocks that it makes itself, while it has nothing to do but to wait (see
    /// phase_sequencer::gate). Before elaboration ends; only where nobody but the host, between
    /// runs of the simulation, gives it work.
    /// @param limit  the time before which the host will not, see phase_sequencer::gate
    void gate_idle_clocks(std::function<std::uint64_t()> limit = {}) {
        gates_idle_clocks_ = true;
        gate_limit_ = std::move(limit);
    }
    /// Temporal decoupling of the DRAM side of the memory partitions (see
    /// phase_sequencer::decouple). Before elaboration ends; only where nobody else looks at that
    /// clock, or at the memory's side between steps without sequencer().synchronize().
    void decouple_dram() { decouples_dram_ = true; }
    /// Latency of an access to a register, as it is annotated.
    sc_core::sc_time host_latency() const { return host_latency_; }

    const gpu_config& config() const { return config_; }
    dispatch::command_processor& commands() { return *commands_; }
    kernel::phase_sequencer& sequencer() { return sequencer_; }

    /// Core cycles since the start of the simulation.
    std::uint64_t core_cycles() const { return sequencer_.edges(protocol::core_clock); }

    // ---- the blocks, for reports, waveforms and tests ----
    const std::vector<std::unique_ptr<core::simt_cluster>>& clusters() const { return clusters_; }
    const std::vector<std::unique_ptr<memory::memory_partition>>& partitions() const {
        return partitions_;
    }
    /// What serves each memory channel: the built-in DRAM, or the way out to what `memory` is bound
    /// to. Made when elaboration ends; empty before.
    const std::vector<std::unique_ptr<memory::memory_channel>>& channels() const {
        return channels_;
    }
    /// Shows every DRAM command of a channel to an observer; before elaboration ends, too.
    void observe_commands(unsigned channel, memory::command_observer& observer);
    interconnect::network& network() { return *network_; }
    /// Up to date. Call between steps.
    memory::memory_statistics& memory_statistics() {
        memory_statistics_.gather();
        return memory_statistics_;
    }
    const memory::memory_statistics& memory_statistics() const {
        memory_statistics_.gather();
        return memory_statistics_;
    }
    const memory::address_mapping& mapping() const { return mapping_; }
    const host_interface& registers() const { return *host_interface_; }
    const protocol::transaction_pool& transactions() const { return transactions_; }

    /// Nothing is under way: no CTA, no request, no packet, no command of the host. Between steps,
    /// synchronized.
    bool at_rest() const;
    /// Everything that outlives kernels but statistics. To restore: a GPU of the same
    /// configuration that has been idle up to the same time, with the commands of the run that has
    /// saved; its commands proceed() afterwards.
    /// @pre at_rest()
    /// @throws kernel::user_error  a block cannot be saved, or the state is that of another GPU
    void checkpoint(kernel::archive& a);

    /// What everything waits for: warps, queues; for a deadlock report.
    std::string describe();

private:
    void reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t core_now) override {
        memory_statistics_.reply_received(reply, core_now);
    }
    void make_partitions();
    void make_channels();
    std::unique_ptr<memory::memory_channel> make_channel(unsigned number);
    void make_network();
    std::vector<core::simt_cluster*> make_clusters();
    void make_command_processor(std::vector<core::simt_cluster*> clusters);
    void before_end_of_elaboration() override;
    void end_of_elaboration() override;
    void notice_stop();

    // host_device
    void execute(const dispatch::host_command& command) override;
    void abort() override { commands_->abort(); }
    bool quiet() const override;
    void clear() override;
    bool stopped() const override;
    std::uint64_t count(host::counter c) const override;

    const gpu_config config_;
    const sc_core::sc_time host_latency_;
    isa::opcode_tables opcodes_;
    protocol::transaction_pool transactions_;  // outlives the blocks
    std::vector<std::unique_ptr<kernel::exact_clock>> clocks_;
    std::unique_ptr<kernel::rounded_clocks> rounded_clocks_;
    bool gates_idle_clocks_ = false;
    std::function<std::uint64_t()> gate_limit_;
    bool decouples_dram_ = false;
    kernel::phase_sequencer sequencer_;
    memory::address_mapping mapping_;
    std::unique_ptr<memory::address_placement> placement_;  // with random partition indexing
    mutable memory::memory_statistics memory_statistics_;   // is gathered when it is read
    std::vector<std::unique_ptr<memory::memory_channel>> channels_;
    std::vector<memory_bridge*> bridges_;    // of these channels, those to external memories
    std::vector<external_memory> external_;  // by channel
    std::vector<std::pair<unsigned, memory::command_observer*>> command_observers_;
    std::vector<std::unique_ptr<memory::memory_partition>> partitions_;
    std::unique_ptr<memory::host_copy> host_copy_;
    std::function<bool()> stop_request_;
    std::unique_ptr<interconnect::network> network_;
    std::vector<std::unique_ptr<core::simt_cluster>> clusters_;
    core::memory_effects memory_effects_;
    std::unique_ptr<device_context> context_;  // outlives its kernels
    std::unique_ptr<dispatch::command_processor> commands_;
    std::unique_ptr<host_interface> host_interface_;
    std::unique_ptr<gpu_tracer> tracer_;
    // Partners of ports that are left unbound.
    std::unique_ptr<sc_core::sc_signal<bool>> reset_signal_, irq_signal_;
};

/// What a kernel's header tells check_trace_fits().
kernel_header_descriptor descriptor_of(const program::kernel_descriptor& kernel);

/// How the GPU reads kernel traces under a configuration.
trace::reader_options reader_options_of(const gpu_config& config,
                                        const isa::opcode_tables& opcodes);

/// The built-in opcode tables with the user's files on top. @throws kernel::user_error
isa::opcode_tables load_opcode_tables(const gpu_config& config);

}  // namespace simtlm::platform

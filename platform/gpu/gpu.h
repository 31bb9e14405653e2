// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/reply_observer.h"
#include "modules/memory/address_mapping.h"
#include "modules/protocol/clock_domains.h"
#include "modules/support/archive_fwd.h"
#include "modules/trace/command_list.h"
#include "modules/trace/kernel_trace.h"
#include "platform/config/config.h"
#include "platform/gpu/external_memory.h"
#include "platform/gpu/gpu_sockets.h"
#include "platform/gpu/host_device.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

namespace simtlm::core {
class gpc_cache;
class simt_cluster;
}  // namespace simtlm::core
namespace simtlm::dispatch {
class command_processor;
}
namespace simtlm::execution {
class device_memory;
}
namespace simtlm::interconnect {
class network;
}
namespace simtlm::isa {
class opcode_tables;
}
namespace simtlm::memory {
struct command_observer;
class memory_channel;
class memory_partition;
class memory_statistics;
}  // namespace simtlm::memory
namespace simtlm::power {
class energy_meter;
}
namespace simtlm::protocol {
class transaction_pool;
}
namespace simtlm::simulation {
class phase_sequencer;
}

namespace simtlm::platform {

class cta_cluster_fabric;

/// A set of kernel traces that the host can launch.
struct trace_set {
    /// Number of the first kernel; the others are numbered consecutively.
    unsigned first_kernel = 0;
    std::vector<trace::kernel_header> kernels;
    std::vector<trace::command> commands;  ///< commands of the list, copies and launches, in order
};

/// A complete GPU, built from a validated configuration: four clocks and the phase sequencer that
/// they drive, SIMT core clusters, networks, memory partitions with their channels, the command
/// processor and the host interface.
///
/// It can be instantiated beside other modules, including other GPUs: it has no global state, never
/// starts, pauses or stops the simulation, and does not set the time resolution (1 fs or finer
/// suits most clock frequencies; set it before any other object is created). All ports are
/// optional.
class gpu : public sc_core::sc_module, private core::reply_observer, private host_device {
public:
    // ---- ports ----

    /// Registers and command queue: a TLM-2.0 base protocol target, 32 bits wide.
    host_socket host;
    /// Clock inputs, indexed by protocol::clock_domain. An unbound input is connected to an
    /// internal clock with the configured frequency.
    sc_core::sc_vector<sc_core::sc_in<bool>> clock;
    /// Active high. Discards waiting commands, ends running kernels, and returns all blocks to
    /// their initial state when nothing is in flight; brings back a GPU that has stopped.
    /// Statistics, device memory and programs are kept. No command is accepted while it is high.
    sc_core::sc_in<bool> reset;
    /// High while an enabled interrupt is pending.
    sc_core::sc_out<bool> irq;
    /// Initiator that copy commands use to access host memory: TLM-2.0 base protocol, 32 bits wide,
    /// b_transport. If it is unbound, a GPU with device memory contents can be written and read
    /// only through the aperture of `host`.
    host_memory_socket host_memory;
    /// One socket per channel. A bound target replaces the built-in DRAM channel.
    sc_core::sc_vector<external_memory_socket> memory;

    /// @throws support::user_error  if an opcode table cannot be read or the network cannot be
    /// built
    gpu(const sc_core::sc_module_name& name, gpu_config config);
    ~gpu() override;
    const char* kind() const override { return "gpu"; }

    /// Traces the signals of all blocks, named as in docs/waveforms.md, to a SystemC trace file;
    /// trace() of a block traces only that block. Call before the simulation starts.
    void trace(sc_core::sc_trace_file* file) const override;

    /// Makes the kernels of a kernelslist.g launchable through the host interface. May be called at
    /// any time; the traces themselves are read when they run. @throws support::user_error
    trace_set load_trace_set(const std::string& kernelslist);
    /// Sets the treatment of the external memory of one channel, or of all channels. Call before
    /// elaboration ends.
    /// @throws support::user_error  for dense addresses with random partition indexing
    void set_external_memory(unsigned channel, const external_memory& how);
    void set_external_memory(const external_memory& how);
    /// Sets the data that writes carry to external memories; other settings are kept.
    void set_memory_data(memory_data data);
    /// Sets a predicate that is polled during commands without simulated time, such as long lists
    /// of host copies; when it returns true, the remaining ones are not started. Call before the
    /// simulation starts.
    void set_stop_request(std::function<bool()> request);
    /// Sets the sink for printf output of loaded programs; the default is stdout.
    void set_print(std::function<void(std::string_view)> print);
    /// Sets the sink for messages about commands, such as "launch of vecadd"; the default reports
    /// them to SystemC's report handler, as information of type simtlm/command with verbosity
    /// SC_HIGH.
    void set_log(std::function<void(const std::string&)> log);
    /// Gates the internal clocks while the GPU is idle (see phase_sequencer::gate). Call before
    /// elaboration ends, and only if no process gives the GPU work except the host between calls of
    /// sc_start.
    /// @param limit  time before which the host gives no work, see phase_sequencer::gate
    void gate_idle_clocks(std::function<std::uint64_t()> limit = {});
    /// Enables temporal decoupling of the DRAM side of the memory partitions (see
    /// phase_sequencer::decouple). Call before elaboration ends, and only if no other process
    /// observes that clock, or observes the DRAM side between steps without
    /// sequencer().synchronize().
    void decouple_dram();
    /// Annotated latency of a register access: four core clock cycles.
    sc_core::sc_time host_latency() const;

    const gpu_config& config() const { return config_; }
    dispatch::command_processor& commands();
    simulation::phase_sequencer& sequencer();

    /// Core cycles since the start of the simulation or, after transfer(), since the place from
    /// which statistics count.
    std::uint64_t core_cycles() const;
    /// The core clock edge from which core_cycles() counts: 0, except after transfer().
    std::uint64_t counted_from() const;
    /// The mean frequency of the core clock over the core cycles [from, to), in Hz.
    double core_hertz(std::uint64_t from, std::uint64_t to) const;

    // ---- blocks, for reports, waveforms and tests ----
    const std::vector<std::unique_ptr<core::simt_cluster>>& clusters() const;
    /// Connections between the SMs of thread block clusters; nullptr: the GPU has none.
    const cta_cluster_fabric* fabric() const;
    /// One per GPC, or none.
    const std::vector<std::unique_ptr<core::gpc_cache>>& gpc_caches() const;
    const std::vector<std::unique_ptr<memory::memory_partition>>& partitions() const;
    /// The channel objects: built-in DRAM, or the bridge to the target bound to `memory`. Created
    /// when elaboration ends; empty before.
    const std::vector<std::unique_ptr<memory::memory_channel>>& channels() const;
    /// Passes every DRAM command of a channel to an observer. May be called before elaboration
    /// ends.
    void observe_commands(unsigned channel, memory::command_observer& observer);
    interconnect::network& network();
    /// The power model, which update_counters() keeps up to date (platform/report/report.h);
    /// nullptr without -power_simulation_enabled.
    power::energy_meter* power();
    /// Statistics of the memory system, gathered by this call. Call between steps.
    memory::memory_statistics& memory_statistics();
    const memory::memory_statistics& memory_statistics() const;
    const memory::address_mapping& mapping() const;
    const host_interface& registers() const;
    const protocol::transaction_pool& transactions() const;

    /// Returns whether no CTA, request, packet or host command is in flight. Call between steps,
    /// synchronized.
    bool at_rest() const;
    /// Saves or restores all state that outlives kernels, except statistics. The restoring GPU must
    /// have the same configuration, must have been idle up to the same time, and must hold the
    /// commands of the saved run; then call proceed() on its command processor.
    /// @pre at_rest()
    /// @throws support::user_error  if a block cannot be saved, or the state belongs to a different
    /// GPU
    void checkpoint(support::archive& a);
    /// Restores a checkpoint of a GPU of another configuration: the position in the list of
    /// commands, the lines of all caches, and the state of the other blocks whose configuration is
    /// unchanged. Counters are not restored. If no thread block of the next kernel has been placed,
    /// core_cycles() counts from its launch afterwards, otherwise from the checkpoint.
    /// @param a  an archive for another configuration @pre the GPU has been idle so far
    /// @throws support::user_error  if the commands differ, or a kernel does not fit the GPU
    void transfer(support::archive& a);

    /// Fails the sequencer if the programs that use a memory make no progress any more
    /// (execution::progress_monitor; not with -gpgpu_deadlock_detect 0). To be called now and then,
    /// between steps. @param host_timeout  host time for which the host may yet change memory
    void check_progress(execution::device_memory& memory, std::chrono::milliseconds host_timeout);
    /// Describes what warps and queues wait for, for the deadlock report.
    std::string describe();

private:
    void checkpoint_blocks(support::archive& a);
    void distribute_l2_lines(support::archive& a);
    void reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t core_now) override;
    void make_partitions();
    void make_channels();
    std::unique_ptr<memory::memory_channel> make_channel(unsigned number);
    void make_network();
    void make_gpc_caches();
    std::vector<core::simt_cluster*> make_clusters();
    void make_command_processor(std::vector<core::simt_cluster*> clusters);
    void before_end_of_elaboration() override;
    void end_of_elaboration() override;
    void note_stop();
    void initial_state(support::archive& a);

    // host_device
    void execute(const dispatch::host_command& command) override;
    std::string obstacle_to_reset() const override;
    void resume() override;
    void abort() override;
    std::string reset_timed_out() override;
    bool quiet() const override;
    bool drained() const override;
    void clear() override;
    bool stopped() const override;
    std::uint64_t count(host::counter c) const override;

    const gpu_config config_;
    struct parts;
    std::unique_ptr<parts> parts_;  // never null
};

/// Converts a kernel header for check_trace_fits().
kernel_header_descriptor descriptor_of(const program::kernel_descriptor& kernel);

/// Trace reader options for a configuration.
trace::reader_options reader_options_of(const gpu_config& config,
                                        const isa::opcode_tables& opcodes);

/// Loads the built-in opcode tables and then the user's files. @throws support::user_error
isa::opcode_tables load_opcode_tables(const gpu_config& config);

}  // namespace simtlm::platform

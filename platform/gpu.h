// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_cluster.h"
#include "modules/dispatch/command_processor.h"
#include "modules/interconnect/network.h"
#include "modules/isa/opcode_tables.h"
#include "modules/kernel/exact_clock.h"
#include "modules/memory/address_mapping.h"
#include "modules/memory/dram_channel.h"
#include "modules/memory/memory_partition.h"
#include "modules/memory/memory_statistics.h"
#include "platform/config.h"

#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::platform {

/// A whole GPU, wired from a validated configuration: four clocks and the phase sequencer they
/// drive, SIMT core clusters, the networks, memory partitions with their DRAM channels, and the
/// command processor.
class gpu : public sc_core::sc_module, private core::reply_observer {
public:
    /// @throws kernel::user_error when an opcode table cannot be read or the network not be built
    gpu(const sc_core::sc_module_name& name, gpu_config config);
    ~gpu() override;

    const gpu_config& config() const { return config_; }
    dispatch::command_processor& commands() { return *commands_; }
    kernel::phase_sequencer& sequencer() { return sequencer_; }

    /// Core cycles since the start of the simulation.
    std::uint64_t core_cycles() const {
        return sequencer_.observed().edges[protocol::core_clock];
    }

    // ---- the blocks, for reports, waveforms and tests ----
    const std::vector<std::unique_ptr<core::simt_cluster>>& clusters() const { return clusters_; }
    const std::vector<std::unique_ptr<memory::memory_partition>>& partitions() const {
        return partitions_;
    }
    const std::vector<std::unique_ptr<memory::dram_channel>>& channels() const { return channels_; }
    interconnect::network& network() { return *network_; }
    const memory::memory_statistics& memory_statistics() const { return memory_statistics_; }
    memory::memory_statistics& memory_statistics() { return memory_statistics_; }
    const memory::address_mapping& mapping() const { return mapping_; }
    const protocol::transaction_pool& transactions() const { return transactions_; }

    /// What everything waits for: warps, queues; for a deadlock report.
    std::string describe() const;

private:
    void reply_received(const tlm::tlm_generic_payload& reply, std::uint64_t core_now) override {
        memory_statistics_.reply_received(reply, core_now);
    }
    void warm_l2(std::uint64_t address, std::uint64_t bytes);

    const gpu_config config_;
    isa::opcode_tables opcodes_;
    protocol::transaction_pool transactions_;  // outlives the blocks
    std::vector<std::unique_ptr<kernel::exact_clock>> clocks_;
    kernel::phase_sequencer sequencer_;
    memory::address_mapping mapping_;
    memory::memory_statistics memory_statistics_;
    std::vector<std::unique_ptr<memory::dram_channel>> channels_;
    std::vector<std::unique_ptr<memory::memory_partition>> partitions_;
    std::unique_ptr<interconnect::network> network_;
    std::vector<std::unique_ptr<core::simt_cluster>> clusters_;
    std::unique_ptr<dispatch::command_processor> commands_;
};

/// How the GPU reads kernel traces under a configuration.
trace::reader_options reader_options_of(const gpu_config& config,
                                        const isa::opcode_tables& opcodes);

/// The built-in opcode tables with the user's files on top. @throws kernel::user_error
isa::opcode_tables load_opcode_tables(const gpu_config& config);

}  // namespace simtlm::platform

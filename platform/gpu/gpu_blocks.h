// SPDX-License-Identifier: Apache-2.0
#pragma once

// The GPU and complete types of its blocks: for what reads, records or controls them.
#include "modules/core/gpc_cache.h"
#include "modules/core/memory_effects.h"
#include "modules/core/simt_cluster.h"
#include "modules/dispatch/command_processor.h"
#include "modules/interconnect/network.h"
#include "modules/isa/opcode_tables.h"
#include "modules/memory/address_mapping.h"
#include "modules/memory/address_placement.h"
#include "modules/memory/host_copy.h"
#include "modules/memory/memory_channel.h"
#include "modules/memory/memory_partition.h"
#include "modules/memory/memory_statistics.h"
#include "modules/power/energy_meter.h"
#include "modules/simulation/phase_sequencer.h"
#include "modules/trace/command_list.h"
#include "modules/trace/kernel_trace.h"
#include "platform/config/config.h"
#include "platform/gpu/clock_controller.h"
#include "platform/gpu/cta_cluster_fabric.h"
#include "platform/gpu/default_bindings.h"
#include "platform/gpu/device_context.h"
#include "platform/gpu/external_memory.h"
#include "platform/gpu/gpu.h"
#include "platform/gpu/host_interface.h"
#include "platform/gpu/memory_bridge.h"
#include "platform/gpu/signal_trace.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// The blocks of a GPU and what they share. Blocks are destroyed before what they refer to.
struct gpu::parts {
    explicit parts(const gpu_config& config);

    isa::opcode_tables opcodes;
    protocol::transaction_pool transactions;  // must outlive the blocks
    default_bindings bindings;
    simulation::phase_sequencer sequencer;
    memory::address_mapping mapping;
    std::unique_ptr<memory::address_placement> placement;  // only with random partition indexing
    std::unique_ptr<power::energy_meter> power;            // with -power_simulation_enabled
    std::unique_ptr<clock_controller> clock_control;       // with --power-limit
    memory::memory_statistics memory_statistics;           // gathered on access
    std::vector<std::unique_ptr<memory::memory_channel>> channels;
    std::vector<memory_bridge*> bridges;    // the channels that lead to external memories
    std::vector<external_memory> external;  // by channel
    std::vector<std::pair<unsigned, memory::command_observer*>> command_observers;
    std::vector<std::unique_ptr<memory::memory_partition>> partitions;
    std::unique_ptr<memory::host_copy> host_copy;
    std::uint64_t counted_from = 0;  ///< core clock edge, see gpu::counted_from()
    std::function<bool()> stop_request;
    std::unique_ptr<interconnect::network> network;
    std::unique_ptr<cta_cluster_fabric> fabric;  // must outlive the SMs
    std::vector<std::unique_ptr<core::gpc_cache>> gpc_caches;
    std::vector<std::unique_ptr<core::simt_cluster>> clusters;
    core::memory_effects memory_effects;
    std::unique_ptr<device_context> context;  // must outlive the kernels loaded from it
    std::unique_ptr<dispatch::command_processor> commands;
    std::unique_ptr<platform::host_interface> host_interface;
    std::unique_ptr<gpu_tracer> tracer;
    std::function<void(const std::string&)> log;
    std::string initial_state;  // before the first command of the host interface
};

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/engine_config.h"
#include "modules/core/sub_core_pipeline/execution_ports.h"
#include "modules/core/sub_core_pipeline/issue_scheduler.h"
#include "modules/core/sub_core_pipeline/l0_instruction_cache.h"
#include "modules/core/sub_core_pipeline/memory_latency.h"
#include "modules/core/sub_core_pipeline/memory_queue.h"
#include "modules/core/sub_core_pipeline/register_file.h"

#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// The mechanism that makes an instruction wait for its operands.
enum class dependence_control : std::uint8_t {
    bits,        ///< control bits: stall counters and dependence counters
    scoreboard,  ///< hardware scoreboard of registers with a pending write
};

/// Parameters of the sub-core pipeline in addition to those in sm_config. Defaults are those of
/// GA102 (RTX A6000, Huerta et al.). Latencies in core cycles.
struct sub_core_config {
    dependence_control dependences = dependence_control::bits;
    issue_policy policy = issue_policy::cggty;
    unsigned instruction_buffer = 3;  ///< entries per warp
    unsigned decode_cycles = 2;       ///< from fetch to the instruction buffer
    unsigned result_queue = 8;        ///< entries per sub-core
    unsigned branch_redirect = 6;  ///< from the issue of a taken branch to the fetch at its target
    unsigned shared_fp64_interval = 0;  ///< cycles between FP64 instructions if the sub-cores of an
                                        ///< SM share a unit; 0: each has its own
    unsigned barrier_latency = 10;      ///< from issue until a CTA barrier counts the warp
    /// Interval between two warps counted by the CTA barriers of an SM: 16 threads per cycle (CUDA
    /// C++ Programming Guide, synchronization instructions, compute capability 7.x and later).
    unsigned barrier_interval = 2;
    unsigned fence_cta = 53, fence_gpu = 186, fence_system = 2900;
    unsigned l1i_request_latency = 39, l1i_reply_latency = 39;  ///< between L0 and L1I
    bool perfect_register_ports = false;                        ///< no conflicts at read ports

    register_file_config registers;
    execution_config execution = ampere_execution();
    l0_instruction_cache_config l0i;
    memory_queue_config memory_queue;
    memory_latencies memory;
    engine_config engines;
    unsigned constant_interval = 2;  ///< between look-ups of a constant load's addresses
    /// Tag banks of the L1D; each looks up one line per cycle. A power of two.
    unsigned l1_tag_banks = 4;
    unsigned link_cycles = 2;      ///< for 128 bytes from the memory unit to a sub-core
    unsigned network_packets = 1;  ///< replies received by the SM per core cycle
    unsigned request_packets = 1;  ///< sent by the SM per core cycle
    bool request_lines = false;    ///< a packet can read several sectors of a line
};

}  // namespace simtlm::core::sub_core_pipeline

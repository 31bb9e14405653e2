// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/config/format_tools.h"

#include <string>
#include <string_view>

/// One reader per module: each takes the options of its module, checks them, and fills in the
/// module's part of the configuration. All throw kernel::user_error.
namespace simtlm::platform {

/// Clocks, numbers of clusters and SMs, compute capability.
void read_chip(const option_values& v, gpu_config& config);
/// An SM but for its caches: warps, schedulers, operand collectors, functional units.
/// @pre read_chip()
void read_core(const option_values& v, gpu_config& config);
/// The L1 caches, the load/store unit and shared memory.
void read_l1(const option_values& v, core::sm_config& sm);
/// Which model the SM is of, and what the modern one obeys.
/// @pre read_chip(), read_core(), read_l1(), read_ptx()
void read_modern(const option_values& v, gpu_config& config);
/// Partitions, L2, DRAM and how addresses spread over them.
void read_memory(const option_values& v, memory::memory_config& memory);
/// @param clusters, memories  nodes of the network
void read_interconnect(const option_values& v, interconnect::interconnect_config& network,
                       unsigned clusters, unsigned memories);
void read_dispatch(const option_values& v, dispatch::dispatch_config& dispatch);
/// How traces are read, and the latencies of recorded instructions.
void read_trace(const option_values& v, trace_config& traces);
/// Timing of instructions executed from PTX.
void read_ptx(const option_values& v, ptx_timing& timing);
void read_programs(const option_values& v, program_limits& limits);
/// @param sms  of the GPU
void read_run(const option_values& v, run_config& run, unsigned sms);
void read_quirks(const option_values& v, gpu_config& config);

// ---- what the readers share ---------------------------------------------------------------------

inline constexpr unsigned warp_threads = 32;
inline constexpr unsigned most_warps = 64;  ///< of an SM
inline constexpr unsigned most_queue_entries = 1u << 20;
inline constexpr unsigned most_cycles = 1u << 20;  ///< of any latency

/// Runs a reader of a value's own language and tells where the value came from if it fails.
template <typename Reader>
auto read(const option_values& v, std::string_view option, Reader reader)
    -> decltype(reader(std::string())) {
    try {
        return reader(v.text(option));
    } catch (const format_error& error) {
        v.fail(option, error.what, error.remedy);
    }
}

template <typename E>
E choice(const option_values& v, std::string_view option, unsigned highest) {
    return static_cast<E>(v.number(option, 0, highest));
}

/// A cache that is written, where the option describes one.
cache::cache_config read_data_cache(const option_values& v, std::string_view option);

}  // namespace simtlm::platform

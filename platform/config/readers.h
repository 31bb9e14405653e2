// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/config/format_tools.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

/// One reader per module: each reads and checks the options of its module and fills in that
/// module's section of the configuration. All throw support::user_error.
namespace simtlm::platform {

/// Clocks, numbers of clusters and SMs, compute capability.
void read_chip(const option_values& v, gpu_config& config);
/// An SM without its caches: warps, schedulers, operand collectors, functional units.
/// @pre read_chip()
void read_core(const option_values& v, gpu_config& config);
/// The configuration of a cache that is never written.
cache::cache_config read_only_cache(const option_values& v, std::string_view option);
/// The L1 caches, the load/store unit and shared memory.
void read_l1(const option_values& v, core::sm_config& sm);
/// The parameters of a pipeline (core_model::read).
/// @pre read_chip(), read_core(), read_l1(), read_ptx()
core::multiprocessor_maker read_simt(const option_values& v, gpu_config& config);
core::multiprocessor_maker read_sub_cores(const option_values& v, gpu_config& config);
/// Memory partitions, L2, DRAM and the address mapping.
/// @param warnings  values that --compat accel-sim accepts although no DRAM can have them
void read_memory(const option_values& v, memory::memory_config& memory,
                 std::vector<std::string>& warnings);
/// Selects a distribution of addresses that is defined for the number of channels, and checks that
/// it uses all sub-partitions alike. @pre read_memory(), read_quirks()
void complete_mapping(const option_values& v, gpu_config& config);
/// The caches that the SMs of a GPC share. @pre read_chip(), read_l1()
void read_gpc_cache(const option_values& v, core::simt_cluster_config& cores);
/// @param cores     whose clusters, and caches of GPCs, have a port each. @pre read_gpc_cache()
/// @param memories  number of sub-partitions
void read_interconnect(const option_values& v, const core::simt_cluster_config& cores,
                       unsigned memories, interconnect::interconnect_config& network);
/// @param clusters  number of clusters of the GPU, each with the given number of SMs
void read_dispatch(const option_values& v, unsigned clusters, unsigned sms_per_cluster,
                   dispatch::dispatch_config& dispatch);
/// How traces are read, and the latencies of traced instructions.
void read_trace(const option_values& v, trace_config& traces);
/// Timing of instructions that are executed from PTX.
void read_ptx(const option_values& v, ptx_timing& timing);
void read_programs(const option_values& v, program_limits& limits);
/// @param sms  number of SMs of the GPU
void read_run(const option_values& v, run_config& run, unsigned sms);
/// The power model. @pre read_core(), read_chip()
void read_power(const option_values& v, gpu_config& config);
void read_quirks(const option_values& v, gpu_config& config);

// ---- shared by the readers ----------------------------------------------------------------------

inline constexpr unsigned warp_threads = 32;
inline constexpr unsigned max_supported_warps = 64;  ///< per SM
inline constexpr unsigned max_queue_entries = 1u << 20;
inline constexpr unsigned max_latency = 1u << 20;  ///< upper limit of every latency

/// Parses an option value with `reader`. Errors are reported with the origin of the value.
template <typename Reader>
auto read(const option_values& v, std::string_view option, Reader reader)
    -> decltype(reader(std::string())) {
    try {
        return reader(v.text(option));
    } catch (const format_error& error) {
        v.fail(option, error.what, error.remedy);
    }
}

/// Reads an enumeration whose options are numbered from 0. @throws support::user_error  above
/// `highest`
template <typename E>
E choice(const option_values& v, std::string_view option, unsigned highest) {
    return static_cast<E>(v.number(option, 0, highest));
}

/// Reads an interval, which may be a fraction of a cycle. @return thousandths of a cycle
/// @param clock  the cycles, in the message ("core")
/// @throws support::user_error  below `least` or above 1,000 cycles
inline unsigned interval(const option_values& v, std::string_view option, unsigned least,
                         std::string_view clock) {
    const double cycles = v.real(option);
    if (!(cycles >= least && cycles <= 1000))
        v.fail(option, "is not possible", fmt::format("{} to 1000 {} cycles", least, clock));
    return static_cast<unsigned>(std::lround(cycles * 1000));
}

/// Reads the configuration of a writable cache; disabled if the option describes none.
cache::cache_config read_data_cache(const option_values& v, std::string_view option);

}  // namespace simtlm::platform

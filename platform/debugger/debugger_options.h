// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

#include <cstdint>
#include <string>

namespace simtlm::platform {

struct gpu_config;

/// Settings of the interactive debugger.
struct debugger_config {
    bool on = false;
    std::string commands;  ///< file of commands; empty: standard input or the terminal

    /// Reads --debug and the environment variable GPGPUSIM_DEBUG. @throws support::user_error
    static debugger_config of(const option_values& values);
};

/// Trace streams by component (-trace_enabled, -trace_components).
enum class trace_stream : std::uint8_t {
    warp_scheduler,
    scoreboard,
    memory_partition_unit,
    memory_subpartition_unit,
    interconnect,
    liveness,
};
inline constexpr unsigned trace_streams = 6;
/// Name of a stream as in GPGPU-Sim, such as "WARP_SCHEDULER".
const char* trace_stream_name(trace_stream s);

/// Selection of the trace streams to print.
struct stream_config {
    unsigned streams = 0;  ///< bit s enables stream s; 0: none
    int core = 0;          ///< SM whose streams are printed; -1: all
    int partition = -1;    ///< memory partition whose streams are printed; -1: all

    bool has(trace_stream s) const { return (streams >> static_cast<unsigned>(s) & 1) != 0; }
    /// @throws support::user_error
    static stream_config of(const option_values& values, const gpu_config& gpu);
};

/// Rejects recordings that use the same observers of the GPU as the debugger or the trace streams.
/// @throws support::user_error
void check_watchers(const option_values& values, const gpu_config& gpu,
                    const debugger_config& debugger, const stream_config& streams);

}  // namespace simtlm::platform

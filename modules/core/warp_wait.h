// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::core {

/// Why a warp does not issue its next instruction.
enum class warp_wait : std::uint8_t {
    nothing,  ///< it can issue
    fetch,
    scoreboard,
    memory,
    pipeline,
    barrier,
    memory_barrier,
    atomics,
    copies,
    exit,
    engine,  ///< an mbarrier, bulk copies or a matrix operation of its warpgroup
    sleep,   ///< nanosleep
};
inline constexpr unsigned warp_wait_count = 12;

/// Name for reports; empty for `nothing`.
constexpr const char* warp_wait_name(warp_wait w) {
    constexpr const char* names[warp_wait_count] = {"",
                                                    "instruction fetch",
                                                    "scoreboard",
                                                    "memory",
                                                    "pipeline",
                                                    "barrier",
                                                    "memory barrier",
                                                    "atomics",
                                                    "asynchronous copies",
                                                    "exit",
                                                    "asynchronous engine",
                                                    "sleep"};
    return names[static_cast<unsigned>(w)];
}

}  // namespace simtlm::core

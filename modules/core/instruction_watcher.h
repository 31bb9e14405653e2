// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::core {

struct warp_instruction;

/// Data of an instruction_watcher about an instruction in flight.
struct watcher_note {
    std::uint32_t number = 0;  ///< its number; also in its requests (memory_extension::profiled)
    std::uint32_t issued = 0;  ///< core cycle, modulo 2^32
    std::uint32_t idle = 0;    ///< cycles in which the SM did not issue, up to then, modulo 2^32
};

/// Observes the instructions of an SM from issue to completion, for a profile. May only change
/// warp_instruction::note.
struct instruction_watcher {
    virtual ~instruction_watcher() = default;
    /// An instruction has issued: its mask and accesses are known.
    virtual void issued(warp_instruction& inst) = 0;
    /// An instruction is complete: it has been written back, or needs no write-back.
    virtual void completed(const warp_instruction& inst) = 0;
};

}  // namespace simtlm::core

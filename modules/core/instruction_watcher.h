// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::core {

struct warp_instruction;

/// What an instruction_watcher has noted of an instruction under way.
struct watcher_note {
    std::uint32_t number = 0;  ///< its requests carry it too (memory_extension::profiled)
    std::uint32_t issued = 0;  ///< core cycle, modulo 2^32
    std::uint32_t idle = 0;    ///< cycles without an issue of the SM until then, modulo 2^32
};

/// Who watches the instructions of an SM from issue to completion, for a profile. Changes nothing
/// but warp_instruction::note.
struct instruction_watcher {
    virtual ~instruction_watcher() = default;
    /// An instruction has issued: its mask is known, and its accesses.
    virtual void issued(warp_instruction& inst) = 0;
    /// It has been written back, or has done what it had to do.
    virtual void completed(const warp_instruction& inst) = 0;
};

}  // namespace simtlm::core

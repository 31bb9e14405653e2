// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::core {

struct warp_instruction;

/// Who watches the instructions of an SM from issue to completion, for a profile. Changes nothing
/// but warp_instruction::watched.
struct instruction_watcher {
    virtual ~instruction_watcher() = default;
    /// An instruction has issued: its mask is known, and its accesses.
    virtual void issued(warp_instruction& inst) = 0;
    /// It has been written back, or has done what it had to do.
    virtual void completed(const warp_instruction& inst) = 0;
};

}  // namespace simtlm::core

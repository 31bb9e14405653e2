// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/issue_logic.h"
#include "modules/core/scoreboard.h"
#include "modules/core/simt_pipeline/shared_memory.h"

namespace simtlm::core::simt_pipeline {

/// Performs the effects of issuing an instruction (GPGPU-Sim manual: Issue). The warp schedulers
/// select instructions; this stage removes an instruction from its buffer, performs its
/// architectural effects, reserves its registers and coalesces its addresses. Barriers, fences,
/// atomics, asynchronous copies and nanosleep make the warp wait; branches redirect it; exits end
/// it.
///
/// One object for all schedulers of an SM, which act one after the other.
class issue_stage : public issue_logic {
public:
    issue_stage(const sm_config& config, const blocks& sm, scoreboard& scores,
                barrier_unit& barriers, const shared_memory& shared)
        : issue_logic(config, false, sm), scores_(scores), barriers_(barriers), shared_(shared) {}

    /// Issues the next instruction in a warp's buffer.
    /// @return the instruction, to be sent to the operand collector
    warp_instruction& issue(unsigned warp, unsigned scheduler, std::uint64_t now);

    /// Flushes instructions on a path that the warp has not taken from its buffer; fetch resumes at
    /// the warp's next instruction (GPGPU-Sim manual: control hazard). @pre warps.wrong_path has
    /// the warp
    void flush(unsigned warp);

private:
    void resolve_addresses(warp_instruction& inst, program::lane_addresses& lanes);
    void pass_fence(unsigned warp);
    void end_or_wait(const outcome& out);
    void select_path(const program::dynamic_instruction& code, const outcome& out);

    scoreboard& scores_;
    barrier_unit& barriers_;
    const shared_memory& shared_;
};

}  // namespace simtlm::core::simt_pipeline

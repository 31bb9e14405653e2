// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/barrier_unit.h"
#include "modules/core/coalescer.h"
#include "modules/core/core_statistics.h"
#include "modules/core/local_memory_map.h"
#include "modules/core/memory_effects.h"
#include "modules/core/scoreboard.h"
#include "modules/core/simt_pipeline/shared_memory.h"
#include "modules/core/sleeping_warps.h"

namespace simtlm::core::simt_pipeline {

/// Performs the effects of issuing an instruction (GPGPU-Sim manual: Issue). The warp schedulers
/// select instructions; this stage removes an instruction from its buffer, performs its
/// architectural effects, reserves its registers and coalesces its addresses. Barriers, fences,
/// atomics, asynchronous copies and nanosleep make the warp wait; branches redirect it; exits end
/// it.
///
/// One object for all schedulers of an SM, which act one after the other.
class issue_stage {
public:
    /// References to the parts of the SM that the stage uses.
    struct blocks {
        warp_table& warps;
        scoreboard& scores;
        barrier_unit& barriers;
        const coalescer& coalesce;
        const shared_memory& shared;
        const local_memory_map& local_memory;
        effect_queue& effects;
        sleeping_warps& sleepers;
        warp_instruction_pool& pool;
        core_statistics& statistics;
    };
    issue_stage(const sm_config& config, const blocks& sm) : config_(config), sm_(sm) {}

    /// Issues the next instruction in a warp's buffer.
    /// @return the instruction, to be sent to the operand collector
    warp_instruction& issue(unsigned warp, unsigned scheduler, std::uint64_t now);

    /// Flushes instructions on a path that the warp has not taken from its buffer; fetch resumes at
    /// the warp's next instruction (GPGPU-Sim manual: control hazard). @pre warps.wrong_path has
    /// the warp
    void flush(unsigned warp);
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(uid_);
    }

private:
    struct execution;

    warp_instruction& take(unsigned warp, unsigned scheduler);
    void recorded(execution& e);
    void executed(execution& e, std::uint64_t now);
    void resolve_addresses(execution& e);
    void await_atomics(const warp_instruction& inst);
    void pass_fence(unsigned warp);
    void end_or_wait(const execution& e);
    void select_path(const execution& e);

    const sm_config& config_;
    blocks sm_;
    std::uint64_t uid_ = 0;  // number of issued instructions
};

}  // namespace simtlm::core::simt_pipeline

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/issue_stage.h"

namespace simtlm::core::simt_pipeline {

using program::memory_space;
using program::op_class;

warp_instruction& issue_stage::issue(unsigned w, unsigned scheduler, std::uint64_t now) {
    warp_table& warps = sm_.warps;
    warp_state& warp = warps.warp[w];
    const program::dynamic_instruction& code = *warp.ibuffer.head();
    const program::static_instruction& info = *code.info;
    warp.ibuffer.pop();
    if (warp.ibuffer.empty()) warps.buffered &= ~warp_bit(w);
    warp.fall_through_pc = info.pc + info.code_bytes;
    program::lane_addresses lanes;
    const outcome out =
        execute(code, w, warp.code.empty() && warp.ibuffer.empty(), scheduler, now, lanes);
    warp_instruction& inst = *out.inst;
    inst.delay = info.initiation_interval;
    if (inst.active_mask != 0) {
        if (info.is_memory()) resolve_addresses(inst, lanes);
        if (info.is_atomic) await_atomics(inst);
    }
    if (out.acts && info.special != program::special_op::none) warps.track_copies(inst);
    scores_.reserve(w, info, inst.space);
    if (out.fences) pass_fence(w);
    warps.scoreboard_stale |= warp_bit(w);
    end_or_wait(out);
    if (warp.executor != nullptr) select_path(code, out);
    if ((warps.buffered & warp_bit(w)) == 0) warps.listener->may_fetch();
    sm_.pool.issued(inst);
    return inst;
}

void issue_stage::resolve_addresses(warp_instruction& inst, program::lane_addresses& lanes) {
    if (inst.space == memory_space::shared)
        inst.delay = lanes.lanes == 0 ? std::uint16_t{1}
                                      : static_cast<std::uint16_t>(shared_.conflict_cycles(lanes));
    else if (inst.space != memory_space::none && lanes.lanes != 0)
        coalesce(inst, lanes);
}

/// Makes the warp wait until its registers are written.
void issue_stage::pass_fence(unsigned w) {
    if (scores_.writes_pending(w))
        sm_.warps.at_memory_barrier |= warp_bit(w);
    else
        sm_.warps.passes_memory_barrier(w);
}

void issue_stage::end_or_wait(const outcome& out) {
    const unsigned w = out.inst->warp;
    const unsigned cta = sm_.warps.warp[w].cta;
    if (out.warp_ended) {
        sm_.warps.ends(w);
        barriers_.warp_ended(cta, w);
    } else if (out.arrives) {
        barriers_.arrive(cta, w, out.barrier);
    }
}

/// Determines where an executed warp is fetched, and whether the instructions in its buffer are
/// still valid. When lanes end, the buffer is flushed and fetched again after the instruction;
/// likewise if the next instruction could issue in the same cycle but needs a late result.
/// Otherwise the scheduler detects a wrong path when it considers the warp.
void issue_stage::select_path(const program::dynamic_instruction& code, const outcome& out) {
    const unsigned w = out.inst->warp;
    warp_state& warp = sm_.warps.warp[w];
    const bool late_result = out.memory_deferred && code.info->cls == op_class::call;
    if (out.lanes_ended || (late_result && config_.scheduler.max_issue_per_warp > 1)) {
        sm_.warps.empty_buffer(w);
        warp.code.next = &code + 1;
    }
    if (warp.code.empty())
        warp.code = warp.resolved_path;  // there is no instruction after this
                                         // one
    if (!warp.ibuffer.empty() && warp.ibuffer.head() != warp.resolved_path.next)
        sm_.warps.wrong_path |= warp_bit(w);
}

void issue_stage::flush(unsigned w) {
    sm_.warps.empty_buffer(w);
    sm_.warps.warp[w].code = sm_.warps.warp[w].resolved_path;
    sm_.warps.listener->may_fetch();
}

}  // namespace simtlm::core::simt_pipeline

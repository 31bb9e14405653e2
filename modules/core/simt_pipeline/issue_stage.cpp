// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/issue_stage.h"

#include <algorithm>

namespace simtlm::core::simt_pipeline {

using program::memory_space;
using program::op_class;
using program::special_op;

/// State of an instruction while it issues.
struct issue_stage::execution {
    /// Leaves the addresses uninitialized: most instructions have none.
    execution(const program::dynamic_instruction& c, warp_instruction& i, warp_state& w)
        : code(c),
          inst(i),
          warp(w),
          barrier_id(c.info->barrier_id),
          barrier_threads(c.info->barrier_threads) {}

    const program::dynamic_instruction& code;
    warp_instruction& inst;
    warp_state& warp;
    std::int32_t barrier_id;
    std::int32_t barrier_threads;
    bool acts = true;  ///< in an executed warp, a lane passes the guard
    bool lanes_ended = false;
    bool warp_ended = false;
    bool result_is_late = false;  ///< the next instruction depends on a late result that no
                                  ///< register tracks
    program::lane_addresses lanes;
};

warp_instruction& issue_stage::issue(unsigned w, unsigned scheduler, std::uint64_t now) {
    warp_table& warps = sm_.warps;
    warp_state& warp = warps.warp[w];
    const program::dynamic_instruction& code = *warp.ibuffer.head();
    const program::static_instruction& info = *code.info;
    warp_instruction& inst = take(w, scheduler);
    execution e(code, inst, warp);
    if (warp.executor == nullptr)
        recorded(e);
    else
        executed(e, now);
    ++sm_.statistics.issued_lanes[inst.active_lanes()];
    ++sm_.statistics.issued_by_slot[w];

    if (inst.active_mask != 0) {
        if (info.is_memory()) resolve_addresses(e);
        if (info.is_atomic) await_atomics(inst);
    }
    e.acts = warp.executor == nullptr || inst.active_mask != 0;
    if (e.acts && info.special != special_op::none) sm_.warps.track_copies(inst);
    sm_.scores.reserve(w, info, inst.space);
    if (e.acts && info.cls == op_class::memory_barrier) pass_fence(w);
    warps.scoreboard_stale |= warp_bit(w);
    end_or_wait(e);
    if (warp.executor != nullptr) select_path(e);
    if ((warps.buffered & warp_bit(w)) == 0) warps.listener->may_fetch();
    sm_.pool.issued(inst);
    return inst;
}

/// Removes the instruction from the warp's buffer.
warp_instruction& issue_stage::take(unsigned w, unsigned scheduler) {
    warp_state& warp = sm_.warps.warp[w];
    const program::dynamic_instruction& code = *warp.ibuffer.head();
    const program::static_instruction& info = *code.info;
    warp_instruction& inst = sm_.pool.acquire();
    inst.info = &info;
    inst.uid = ++uid_;
    inst.warp = static_cast<std::uint16_t>(w);
    inst.scheduler = static_cast<std::uint8_t>(scheduler);
    inst.active_mask = code.active_mask;
    inst.space = code.space;
    inst.data_size = info.data_size;
    inst.delay = info.initiation_interval;
    inst.pending = 0;
    inst.copy_group = no_copy;
    inst.in_unit = false;
    inst.bypass_l1 = false;
    warp.last_pc = info.pc;
    warp.fall_through_pc = info.pc + info.code_bytes;
    warp.ibuffer.pop();
    if (warp.ibuffer.empty()) sm_.warps.buffered &= ~warp_bit(w);
    return inst;
}

/// A recorded warp: mask and space are known, the addresses must be expanded.
void issue_stage::recorded(execution& e) {
    if (e.inst.info->is_memory() && e.inst.active_mask != 0)
        e.lanes.lanes =
            program::expand_addresses(e.code, e.warp.addresses, e.lanes.address[0].data());
    e.warp_ended = e.warp.code.empty() && e.warp.ibuffer.empty();
}

/// An executed warp: the functional model determines the effects that depend on values.
void issue_stage::executed(execution& e, std::uint64_t now) {
    program::issue_effects effects;
    effects.active_mask = e.inst.active_mask;
    effects.space = e.inst.space;
    effects.data_size = e.inst.data_size;
    effects.barrier_id = e.barrier_id;
    effects.barrier_threads = e.barrier_threads;
    e.warp.executor->issue(e.code, now, effects, e.lanes);
    e.inst.active_mask = effects.active_mask;
    e.inst.space = effects.space;
    e.inst.data_size = effects.data_size;
    e.barrier_id = effects.barrier_id;
    e.barrier_threads = effects.barrier_threads;
    e.lanes_ended = effects.lanes_ended;
    e.warp_ended = effects.warp_ended;
    e.warp.resolved_path = effects.next;
    if (effects.sleep != 0 && !effects.warp_ended)
        sm_.sleepers.sleep(e.inst.warp, now + effects.sleep);
    if (effects.memory_deferred) sm_.effects.defer(*e.warp.executor);
    e.result_is_late = effects.memory_deferred && e.inst.info->cls == op_class::call;
    if (e.inst.info->is_atomic && config_.ldst.perfect_memory && effects.active_mask != 0)
        sm_.effects.defer_atomic(*e.warp.executor, effects.active_mask);
}

void issue_stage::resolve_addresses(execution& e) {
    warp_instruction& inst = e.inst;
    if (e.lanes.lanes == 0) {
        if (inst.space == memory_space::shared) inst.delay = 1;
        return;
    }
    switch (inst.space) {
        case memory_space::shared:
            inst.delay = static_cast<std::uint16_t>(sm_.shared.conflict_cycles(e.lanes));
            return;
        case memory_space::local:
            sm_.local_memory.map(e.warp.cta, inst, e.lanes);
            break;
        case memory_space::none:
            return;
        default:
            break;
    }
    sm_.pool.allocate_accesses(inst);
    sm_.coalesce.coalesce(inst, e.lanes);
    sm_.statistics.accesses_coalesced += inst.accesses.size();
    inst.bypass_l1 = inst.info->cache_op == program::cache_operator::cache_global ||
                     inst.info->cache_op == program::cache_operator::prefetch_l2 ||
                     !config_.l1.data_enabled ||
                     (inst.space == memory_space::global && config_.ldst.global_skips_l1);
}

/// Makes the warp wait until its atomics are complete.
void issue_stage::await_atomics(const warp_instruction& inst) {
    sm_.warps.warp[inst.warp].atomics += inst.active_lanes();
    sm_.warps.at_atomic |= warp_bit(inst.warp);
}

/// Makes the warp wait until its registers are written.
void issue_stage::pass_fence(unsigned w) {
    if (sm_.scores.writes_pending(w))
        sm_.warps.at_memory_barrier |= warp_bit(w);
    else
        sm_.warps.passes_memory_barrier(w);
}

void issue_stage::end_or_wait(const execution& e) {
    const program::static_instruction& info = *e.inst.info;
    const unsigned w = e.inst.warp;
    if (e.warp_ended) {
        sm_.warps.ends(w);
        sm_.barriers.warp_ended(e.warp.cta, w);
    } else if (e.acts && info.cls == op_class::barrier &&
               info.barrier != program::barrier_kind::none) {
        sm_.barriers.arrive(e.warp.cta, w, {info.barrier, e.barrier_id, e.barrier_threads});
    }
}

/// Determines where an executed warp is fetched, and whether the instructions in its buffer are
/// still valid. When lanes end, the buffer is flushed and fetched again after the instruction;
/// likewise if the next instruction could issue in the same cycle but needs a late result.
/// Otherwise the scheduler detects a wrong path when it considers the warp.
void issue_stage::select_path(const execution& e) {
    warp_state& warp = e.warp;
    const unsigned w = e.inst.warp;
    if (e.lanes_ended || (e.result_is_late && config_.scheduler.max_issue_per_warp > 1)) {
        sm_.warps.empty_buffer(w);
        warp.code.next = &e.code + 1;
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

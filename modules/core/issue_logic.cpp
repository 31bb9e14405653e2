// SPDX-License-Identifier: Apache-2.0
#include "modules/core/issue_logic.h"

namespace simtlm::core {

using program::memory_space;
using program::op_class;

warp_instruction& issue_logic::acquire(const program::dynamic_instruction& code, unsigned w,
                                       unsigned scheduler) {
    const program::static_instruction& info = *code.info;
    warp_instruction& inst = sm_.pool.acquire();
    inst.info = &info;
    inst.uid = ++uid_;
    inst.warp = static_cast<std::uint16_t>(w);
    inst.scheduler = static_cast<std::uint8_t>(scheduler);
    inst.active_mask = code.active_mask;
    inst.space = code.space;
    inst.data_size = info.data_size;
    inst.delay = 1;
    inst.pending = 0;
    inst.first_data = 0;
    inst.banks_done = 0;
    inst.copy_group = no_copy;
    inst.in_unit = false;
    inst.bypass_l1 = false;
    return inst;
}

/// The functional model determines the effects that depend on values.
void issue_logic::execute_functionally(const program::dynamic_instruction& code, std::uint64_t now,
                                       outcome& out, program::lane_addresses& addresses) {
    warp_instruction& inst = *out.inst;
    warp_state& warp = sm_.warps.warp[inst.warp];
    program::issue_effects effects;
    effects.active_mask = inst.active_mask;
    effects.space = inst.space;
    effects.data_size = inst.data_size;
    effects.barrier_id = out.barrier.id;
    effects.barrier_threads = out.barrier.threads;
    effects.can_suspend = can_suspend_;
    warp.executor->issue(code, now, effects, addresses);
    inst.active_mask = effects.active_mask;
    inst.space = effects.space;
    inst.data_size = effects.data_size;
    out.barrier.id = effects.barrier_id;
    out.barrier.threads = effects.barrier_threads;
    out.lanes_ended = effects.lanes_ended;
    out.warp_ended = effects.warp_ended;
    out.memory_deferred = effects.memory_deferred;
    out.suspended = effects.suspended;
    out.has_time_limit = effects.has_time_limit;
    warp.resolved_path = effects.next;
    if (effects.sleep != 0 && !effects.warp_ended)
        sm_.sleepers.sleep(inst.warp, now + effects.sleep);
    if (effects.memory_deferred) sm_.effects.defer(*warp.executor);
    if (inst.info->is_atomic && config_.ldst.perfect_memory && inst.active_mask != 0)
        sm_.effects.defer_atomic(*warp.executor, inst.active_mask);
}

issue_logic::outcome issue_logic::execute(const program::dynamic_instruction& code, unsigned w,
                                          bool last, unsigned scheduler, std::uint64_t now,
                                          program::lane_addresses& addresses) {
    warp_state& warp = sm_.warps.warp[w];
    const program::static_instruction& info = *code.info;
    warp_instruction& inst = acquire(code, w, scheduler);
    warp.last_pc = info.pc;
    outcome out;
    out.inst = &inst;
    out.barrier = {info.barrier, info.barrier_id, info.barrier_threads};
    if (warp.executor != nullptr) {
        execute_functionally(code, now, out, addresses);
    } else {
        if (info.is_memory() && inst.active_mask != 0)
            addresses.lanes =
                program::expand_addresses(code, warp.addresses, addresses.address[0].data());
        out.warp_ended = last;
    }
    out.acts = warp.executor == nullptr || inst.active_mask != 0;
    out.arrives = out.acts && !out.warp_ended && info.cls == op_class::barrier &&
                  info.barrier != program::barrier_kind::none;
    out.fences = out.acts && info.cls == op_class::memory_barrier;
    ++sm_.statistics.issued_lanes[inst.active_lanes()];
    ++sm_.statistics.issued_by_slot[w];
    return out;
}

void issue_logic::coalesce(warp_instruction& inst, program::lane_addresses& addresses) {
    if (inst.space == memory_space::local)
        sm_.local_memory.map(sm_.warps.warp[inst.warp].cta, inst, addresses);
    sm_.pool.allocate_accesses(inst);
    sm_.coalesce.coalesce(inst, addresses);
    sm_.statistics.accesses_coalesced += inst.accesses.size();
    inst.bypass_l1 = inst.info->cache_op == program::cache_operator::cache_global ||
                     inst.info->cache_op == program::cache_operator::prefetch_l2 ||
                     !config_.l1.data_enabled ||
                     (inst.space == memory_space::global && config_.ldst.global_skips_l1);
}

}  // namespace simtlm::core

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/instruction_issue.h"

#include "modules/core/sub_core_pipeline/cta_cluster_unit.h"
#include "modules/core/sub_core_pipeline/memory_latency.h"
#include "modules/core/sub_core_pipeline/memory_unit.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

using program::memory_space;
using program::op_class;
using program::special_op;

instruction_issue::outcome instruction_issue::issue(const program::dynamic_instruction& code,
                                                    unsigned w, bool last, unsigned sub_core,
                                                    std::uint64_t now) {
    warp_state& warp = sm_.warps.warp[w];
    const program::static_instruction& info = *code.info;
    warp_instruction& inst = sm_.pool.acquire();
    inst.info = &info;
    inst.uid = ++uid_;
    inst.warp = static_cast<std::uint16_t>(w);
    inst.scheduler = static_cast<std::uint8_t>(sub_core);
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
    warp.last_pc = info.pc;
    ++warp.in_pipeline;

    outcome out;
    out.inst = &inst;
    out.barrier = {info.barrier, info.barrier_id, info.barrier_threads};
    program::lane_addresses lanes;
    if (warp.executor == nullptr) {
        if (info.is_memory() && inst.active_mask != 0)
            lanes.lanes = program::expand_addresses(code, warp.addresses, lanes.address[0].data());
        out.warp_ended = last;
    } else {
        program::issue_effects effects;
        effects.active_mask = inst.active_mask;
        effects.space = inst.space;
        effects.data_size = inst.data_size;
        effects.barrier_id = info.barrier_id;
        effects.barrier_threads = info.barrier_threads;
        effects.can_suspend = has_engines_;
        warp.executor->issue(code, now, effects, lanes);
        inst.active_mask = effects.active_mask;
        inst.space = effects.space;
        inst.data_size = effects.data_size;
        out.barrier.id = effects.barrier_id;
        out.barrier.threads = effects.barrier_threads;
        out.warp_ended = effects.warp_ended;
        out.suspended = effects.suspended;
        out.has_time_limit = effects.has_time_limit;
        warp.resolved_path = effects.next;
        if (effects.sleep != 0 && !effects.warp_ended) sm_.sleepers.sleep(w, now + effects.sleep);
        if (effects.memory_deferred) sm_.effects.defer(*warp.executor);
        if (cta_clusters_ != nullptr && cta_clusters_->is_in_cta_cluster(w))
            act_on_cta_cluster(inst, lanes, out, now);
        if (info.is_atomic && config_.ldst.perfect_memory && effects.active_mask != 0)
            sm_.effects.defer_atomic(*warp.executor, effects.active_mask);
    }
    ++sm_.statistics.issued_lanes[inst.active_lanes()];
    ++sm_.statistics.issued_by_slot[w];
    if (inst.active_mask != 0) {
        if (info.is_memory()) resolve_addresses(inst, lanes);
        // An executed warp has at most one atomic in flight.
        if (info.is_atomic && warp.executor != nullptr) {
            warp.atomics += inst.active_lanes();
            sm_.warps.at_atomic |= warp_bit(w);
        }
    }
    // A warp without any lane that passes the guard neither arrives nor waits.
    const bool acts = warp.executor == nullptr || inst.active_mask != 0;
    if (acts && info.special != special_op::none) sm_.warps.track_copies(inst);
    out.arrives = acts && !out.warp_ended && info.cls == op_class::barrier &&
                  info.barrier != program::barrier_kind::none;
    out.fences = acts && info.cls == op_class::memory_barrier;
    sm_.pool.issued(inst);
    return out;
}

/// Performs the effects of an instruction on other CTAs of its cluster. Keeps the addresses of
/// lanes that access the SM's own shared memory.
void instruction_issue::act_on_cta_cluster(warp_instruction& inst, program::lane_addresses& lanes,
                                           outcome& out, std::uint64_t now) {
    const auto& executor =
        static_cast<program::clustered_executor&>(*sm_.warps.warp[inst.warp].executor);
    const program::cta_cluster_effects& effects = executor.effects_on_cta_cluster();
    out.cta_cluster_arrives = effects.arrived;
    out.cta_cluster_waits = effects.waits;
    if (effects.remote_lanes == 0) return;
    cta_clusters_->prepare(inst, effects, lanes, !inst.info->is_memory(), now);
    lanes.lanes &= ~effects.remote_lanes;
    inst.delay = 0;  // stays 0 if no lane is left
}

void instruction_issue::resolve_addresses(warp_instruction& inst, program::lane_addresses& lanes) {
    if (lanes.lanes == 0) return;
    const auto count_wavefronts = [&] {
        unsigned cycles = 0;
        for (unsigned w = 0; w < lanes.words; ++w)
            cycles +=
                data_wavefronts(lanes.address[w], lanes.lanes, inst.data_size, config_.shared.banks,
                                inst.info->is_load && !inst.info->is_atomic);
        inst.delay = static_cast<std::uint16_t>(cycles);
    };
    switch (inst.space) {
        case memory_space::shared:
            count_wavefronts();
            return;
        case memory_space::constant:
            inst.delay =
                static_cast<std::uint16_t>(distinct_addresses(lanes.address[0], lanes.lanes));
            break;
        case memory_space::local:
            sm_.local_memory.map(sm_.warps.warp[inst.warp].cta, inst, lanes);
            break;
        case memory_space::none:
            return;
        default:
            break;
    }
    sm_.pool.allocate_accesses(inst);
    sm_.coalesce.coalesce(inst, lanes);
    sm_.statistics.accesses_coalesced += inst.accesses.size();
    inst.bypass_l1 = inst.info->cache_op == program::cache_operator::cache_global ||
                     inst.info->cache_op == program::cache_operator::prefetch_l2 ||
                     !config_.l1.data_enabled ||
                     (inst.space == memory_space::global && config_.ldst.global_skips_l1);
    if (memory_unit::reads_l1_data(inst)) count_wavefronts();
}

}  // namespace simtlm::core::sub_core_pipeline

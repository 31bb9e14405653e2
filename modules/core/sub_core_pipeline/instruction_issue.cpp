// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/instruction_issue.h"

#include "modules/core/sub_core_pipeline/cta_cluster_unit.h"
#include "modules/core/sub_core_pipeline/memory_latency.h"
#include "modules/core/sub_core_pipeline/memory_unit.h"

namespace simtlm::core::sub_core_pipeline {

using program::memory_space;

instruction_issue::outcome instruction_issue::issue(const program::dynamic_instruction& code,
                                                    unsigned w, bool last, unsigned sub_core,
                                                    std::uint64_t now) {
    program::lane_addresses lanes;
    outcome out{execute(code, w, last, sub_core, now, lanes)};
    warp_instruction& inst = *out.inst;
    const program::static_instruction& info = *inst.info;
    const bool executed = sm_.warps.warp[w].executor != nullptr;
    ++sm_.warps.warp[w].in_pipeline;
    if (executed && cta_clusters_ != nullptr && cta_clusters_->is_in_cta_cluster(w))
        act_on_cta_cluster(inst, lanes, out, now);
    if (inst.active_mask != 0) {
        if (info.is_memory()) resolve_addresses(inst, lanes);
        // An executed warp has at most one atomic in flight.
        if (info.is_atomic && executed) await_atomics(inst);
    }
    if (out.acts && info.special != program::special_op::none) sm_.warps.track_copies(inst);
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
        case memory_space::none:
            return;
        default:
            break;
    }
    coalesce(inst, lanes);
    if (memory_unit::reads_l1_data(inst)) count_wavefronts();
}

}  // namespace simtlm::core::sub_core_pipeline

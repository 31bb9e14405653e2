// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/barrier_unit.h"
#include "modules/core/coalescer.h"
#include "modules/core/core_config.h"
#include "modules/core/core_statistics.h"
#include "modules/core/local_memory_map.h"
#include "modules/core/memory_effects.h"
#include "modules/core/sleeping_warps.h"
#include "modules/core/warp_table.h"

#include <cstdint>

namespace simtlm::core {

/// What issuing an instruction does in every pipeline: it becomes a warp_instruction with the
/// lanes, space and addresses that the trace records, or that the functional model of an executed
/// warp determines; the warp sleeps, or waits for its atomics and copies; accesses are coalesced.
class issue_logic {
public:
    /// References to the parts of the SM that the block uses.
    struct blocks {
        warp_table& warps;
        const coalescer& coalesce;
        const local_memory_map& local_memory;
        effect_queue& effects;
        sleeping_warps& sleepers;
        warp_instruction_pool& pool;
        core_statistics& statistics;
    };
    /// An issued instruction, and its effects on its warp.
    struct outcome {
        warp_instruction* inst = nullptr;
        bool lanes_ended = false;
        bool warp_ended = false;
        bool acts = false;             ///< in an executed warp, a lane passes the guard; otherwise
                                       ///< the warp neither arrives nor waits
        bool arrives = false;          ///< at a CTA barrier
        bool fences = false;           ///< waits at a memory barrier
        bool memory_deferred = false;  ///< its result is not known in this cycle
        bool suspended = false;        ///< at an mbarrier
        bool has_time_limit = false;   ///< the wait at the mbarrier
        barrier_request barrier;
    };
    /// @param can_suspend  the SM has an mbarrier_unit
    issue_logic(const sm_config& config, bool can_suspend, const blocks& sm)
        : config_(config), can_suspend_(can_suspend), sm_(sm) {}

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(uid_);
    }

protected:
    /// Issues an instruction of a warp.
    /// @param last       recorded warps: it is the last one of the warp
    /// @param scheduler  that issues it
    /// @param addresses  to be set for a memory instruction
    outcome execute(const program::dynamic_instruction& code, unsigned warp, bool last,
                    unsigned scheduler, std::uint64_t now, program::lane_addresses& addresses);
    /// Divides an access that is not to shared memory into coalesced accesses.
    void coalesce(warp_instruction& inst, program::lane_addresses& addresses);
    /// Makes the warp wait until its atomics are complete.
    void await_atomics(const warp_instruction& inst) {
        sm_.warps.warp[inst.warp].atomics += inst.active_lanes();
        sm_.warps.at_atomic |= warp_bit(inst.warp);
    }

    const sm_config& config_;
    const bool can_suspend_;
    const blocks sm_;

private:
    warp_instruction& acquire(const program::dynamic_instruction& code, unsigned warp,
                              unsigned scheduler);
    void execute_functionally(const program::dynamic_instruction& code, std::uint64_t now,
                              outcome& out, program::lane_addresses& addresses);

    std::uint64_t uid_ = 0;  // number of issued instructions
};

}  // namespace simtlm::core

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

namespace simtlm::core::sub_core_pipeline {

class cta_cluster_unit;

/// Performs the effects of issuing an instruction of the sub-core pipeline: architectural effects,
/// coalescing of addresses, waits for atomics and asynchronous copies, branches and exits. One
/// object for all sub-cores of an SM, which issue one after the other.
class instruction_issue {
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
        bool warp_ended = false;
        bool arrives = false;              ///< at a CTA barrier
        bool fences = false;               ///< waits at a memory barrier
        bool suspended = false;            ///< at an mbarrier
        bool cta_cluster_arrives = false;  ///< at the barrier of its cluster
        bool cta_cluster_waits = false;
        bool has_time_limit = false;
        barrier_request barrier;
    };
    /// @param has_engines  the SM has an mbarrier_unit
    instruction_issue(const sm_config& config, bool has_engines, const blocks& sm)
        : config_(config), has_engines_(has_engines), sm_(sm) {}
    /// Enables support for clusters of CTAs.
    void set_cta_clusters(cta_cluster_unit& unit) { cta_clusters_ = &unit; }

    /// Issues an instruction.
    /// @param code      the instruction
    /// @param last      recorded warps: it is the last one of the warp
    /// @param sub_core  that issues it
    outcome issue(const program::dynamic_instruction& code, unsigned warp, bool last,
                  unsigned sub_core, std::uint64_t now);

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(uid_);
    }

private:
    void resolve_addresses(warp_instruction& inst, program::lane_addresses& lanes);
    void act_on_cta_cluster(warp_instruction& inst, program::lane_addresses& lanes, outcome& out,
                            std::uint64_t now);

    const sm_config& config_;
    const bool has_engines_;
    blocks sm_;
    cta_cluster_unit* cta_clusters_ = nullptr;
    std::uint64_t uid_ = 0;
};

}  // namespace simtlm::core::sub_core_pipeline

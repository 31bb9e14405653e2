// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/issue_logic.h"

namespace simtlm::core::sub_core_pipeline {

class cta_cluster_unit;

/// Performs the effects of issuing an instruction of the sub-core pipeline: issue_logic, the banks
/// that an access occupies, and effects on other CTAs of a cluster. One object for all sub-cores of
/// an SM, which issue one after the other.
class instruction_issue : public issue_logic {
public:
    struct outcome : issue_logic::outcome {
        bool cta_cluster_arrives = false;  ///< at the barrier of its cluster
        bool cta_cluster_waits = false;
    };
    using issue_logic::issue_logic;
    /// Enables support for clusters of CTAs.
    void set_cta_clusters(cta_cluster_unit& unit) { cta_clusters_ = &unit; }

    /// Issues an instruction.
    /// @param code      the instruction
    /// @param last      recorded warps: it is the last one of the warp
    /// @param sub_core  that issues it
    outcome issue(const program::dynamic_instruction& code, unsigned warp, bool last,
                  unsigned sub_core, std::uint64_t now);

private:
    void resolve_addresses(warp_instruction& inst, program::lane_addresses& lanes);
    void act_on_cta_cluster(warp_instruction& inst, program::lane_addresses& lanes, outcome& out,
                            std::uint64_t now);

    cta_cluster_unit* cta_clusters_ = nullptr;
};

}  // namespace simtlm::core::sub_core_pipeline

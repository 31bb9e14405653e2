// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/gpc_directory.h"
#include "modules/core/sub_core_pipeline/sub_core_config.h"

namespace simtlm::core::sub_core_pipeline {

/// sub_core_config with the timing of instruction fetch, and of the start and end of warps and
/// CTAs. Core cycles.
struct sm_timing : sub_core_config {
    unsigned fetch_width = 1;  ///< instructions of one line and warp that are fetched per cycle
    unsigned warp_launch_interval = 0;  ///< between the starts of two warps of an SM
    /// From the end of a CTA's last warp until the CTA scheduler sees the free slot.
    unsigned cta_turnaround = 0;
    /// The warps of a CTA in the next slot start at the next sub-core. Otherwise the first warps of
    /// all CTAs whose size is a multiple of four warps are on the same sub-core.
    bool rotate_ctas = false;
    cta_cluster_timing cta_clusters;
};

}  // namespace simtlm::core::sub_core_pipeline

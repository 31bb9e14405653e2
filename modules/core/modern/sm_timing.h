// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/cluster_multiprocessor.h"
#include "modules/core/modern/modern_config.h"

namespace simtlm::core::modern {

/// modern_config, and how an SM fetches instructions and begins and ends its work. Core cycles.
struct sm_timing : modern_config {
    unsigned fetch_width = 1;           ///< instructions of a line and warp, fetched in a cycle
    unsigned warp_launch_interval = 0;  ///< between the starts of two warps of an SM
    /// From the end of a CTA's last warp until the CTA scheduler knows that its place is free.
    unsigned cta_turnaround = 0;
    /// The warps of a CTA in the next slot begin one sub-core further on. Else the first warps of
    /// all CTAs of a multiple of four warps are on the same sub-core.
    bool rotate_ctas = false;
    cluster_timing clusters;
};

}  // namespace simtlm::core::modern

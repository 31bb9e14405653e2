// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/checking/async_proxy.h"
#include "modules/execution/checking/race_detector.h"

namespace simtlm::execution {

/// State of the checks that the CTAs of a cluster share.
struct cluster_checks {
    async_proxy proxy;
    /// By arrivals at the barrier of the cluster, for phases with even and odd numbers: when a
    /// phase begins, all warps know what was published for the last but one.
    race_detector::clocks published[2];
};

}  // namespace simtlm::execution

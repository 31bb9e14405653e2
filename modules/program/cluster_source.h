// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_source.h"

#include <array>
#include <cstdint>

// What kernels do whose CTAs run in clusters, besides what all do. An SM and the CTA scheduler ask
// whether a kernel, its CTAs and executors have these interfaces when it is launched.
namespace simtlm::program {

/// A kernel whose CTAs may run in clusters: next_cta() gives the CTAs of one after the other, by
/// rank.
class cluster_kernel : public kernel_source {
public:
    /// CTAs of a cluster.
    virtual unsigned cluster_size() const = 0;
};

/// A CTA of a cluster.
class cluster_cta : public cta {
public:
    /// The barrier of its cluster, at which all of its warps have arrived, is complete.
    virtual void cluster_barrier_completed() = 0;
};

/// What an instruction of a warp does to other CTAs of its cluster.
struct cluster_effects {
    bool arrived = false;  ///< its last live lanes have come to the barrier of the cluster
    bool waits = false;    ///< the warp waits there until that is complete
    /// Lanes that access shared memory of other CTAs: perform_remote(), when they come there.
    std::uint32_t remote_lanes = 0;
    std::uint32_t request = 0;          ///< what perform_remote() is told
    std::array<std::uint8_t, 32> rank;  ///< of these lanes: the CTA whose shared memory
};

/// The executor of a warp of a CTA of a cluster.
class cluster_executor : public warp_executor {
public:
    /// Of the instruction that issued last.
    virtual const cluster_effects& effects_on_cluster() const = 0;
    /// An access of shared memory of another CTA comes there: these lanes take effect. Each lane
    /// once, in phase core_effects. @param request  cluster_effects::request of the instruction
    virtual void perform_remote(std::uint32_t request, std::uint32_t lanes) = 0;
};

}  // namespace simtlm::program

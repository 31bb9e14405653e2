// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_source.h"

#include <array>
#include <cstdint>

// Additional interfaces of kernels whose CTAs run in clusters. An SM and the CTA scheduler test for
// them when a kernel is launched.
namespace simtlm::program {

/// Number of CTAs of the largest cluster, beyond the portable 8 (CUDA C++ Programming Guide, Thread
/// Block Clusters).
inline constexpr unsigned max_ctas_per_cluster = 16;

/// A kernel whose CTAs may run in clusters: next_cta() returns the CTAs of one cluster after the
/// other, by rank.
class clustered_kernel : public kernel_source {
public:
    /// Number of CTAs per cluster in each dimension.
    virtual dim3 cta_cluster_shape() const = 0;
    /// Number of CTAs per cluster.
    unsigned cta_cluster_size() const {
        return static_cast<unsigned>(cta_cluster_shape().volume());
    }
};

/// A CTA of a cluster.
class clustered_cta : public cta {
public:
    /// All warps of the cluster have arrived at its barrier, which is complete.
    virtual void cta_cluster_barrier_completed() = 0;
};

/// Effects of an instruction of a warp on other CTAs of its cluster.
struct cta_cluster_effects {
    bool arrived = false;  ///< the last of its live lanes has arrived at the cluster barrier
    /// The warp waits until the barrier at which it has arrived is complete; the SM ignores it if
    /// the barrier is.
    bool waits = false;
    /// Lanes that access shared memory of other CTAs; perform_remote() is called when they arrive
    /// there.
    std::uint32_t remote_lanes = 0;
    std::uint32_t request = 0;          ///< argument of perform_remote()
    std::array<std::uint8_t, 32> rank;  ///< of these lanes: the CTA whose shared memory is accessed
};

/// The executor of a warp of a CTA of a cluster.
class clustered_executor : public warp_executor {
public:
    /// Effects of the last issued instruction.
    virtual const cta_cluster_effects& effects_on_cta_cluster() const = 0;
    /// Performs the accesses of these lanes when they arrive at the shared memory of another CTA.
    /// Called once per lane, in phase core_effects. @param request  cta_cluster_effects::request of
    /// the instruction
    virtual void perform_remote(std::uint32_t request, std::uint32_t lanes) = 0;
};

}  // namespace simtlm::program

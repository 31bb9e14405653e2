// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_descriptor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::execution {

class thread_block;
struct cluster_checks;
struct kernel_image;
struct warp;

/// The reason why a kernel cannot be launched with this cluster shape; empty if it can. PTX manual,
/// "Cluster Dimension Directives"; up to 8 CTAs are portable, sm_90 supports 16.
std::string cluster_fault(const kernel_image& kernel, const program::dim3& grid,
                          const program::dim3& cluster);

/// Index in the grid of a cluster's CTA. Clusters and ranks are numbered like blocks, with x
/// varying fastest.
std::uint64_t block_of_cluster(const program::dim3& grid, const program::dim3& cluster,
                               std::uint64_t number, std::uint32_t rank);
/// The number of the cluster of a CTA with an index in the grid.
std::uint64_t cluster_of_block(const program::dim3& grid, const program::dim3& cluster,
                               std::uint64_t block);

/// CTAs that run concurrently and access each other's shared memory (PTX manual, "Cluster of
/// Cooperative Thread Arrays"), and their barrier. All CTAs of a cluster are executed by one host
/// thread.
class block_cluster {
public:
    /// @param shape  number of CTAs in each dimension
    explicit block_cluster(const program::dim3& shape)
        : shape_(shape), blocks_(static_cast<std::size_t>(shape.volume())) {}

    const program::dim3& shape() const { return shape_; }
    unsigned size() const { return static_cast<unsigned>(blocks_.size()); }

    /// Sets the CTA of a rank when it begins; nullptr: it has ended.
    void set_block(unsigned rank, thread_block* block) { blocks_[rank] = block; }
    /// With timing, the SMs determine that the barrier is complete, and report it for each CTA.
    static void complete(thread_block& block);
    /// @return the CTA of a rank; nullptr if it is not running
    thread_block* block_of_rank(std::uint64_t rank) const {
        return rank < blocks_.size() ? blocks_[static_cast<std::size_t>(rank)] : nullptr;
    }

    /// Lanes of a warp have arrived at the barrier (barrier.cluster.arrive).
    /// @return false: one of them has arrived before, without waiting
    bool arrive(warp& w, std::uint32_t lanes);
    /// Whether the barrier at which a warp arrived last is complete (barrier.cluster.wait): all
    /// live threads of the cluster have arrived.
    bool passed(const warp& w);

    /// Shared by the checks of its CTAs; nullptr: none.
    std::shared_ptr<cluster_checks> checks;

private:
    program::dim3 shape_;
    std::vector<thread_block*> blocks_;  ///< by rank
    std::uint32_t phase_ = 0;            ///< number of completed barriers
};

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_descriptor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::execution {

class thread_block;
struct kernel_image;
struct warp;

/// Why a kernel cannot be launched in clusters of this shape; empty: it can. PTX manual, "Cluster
/// Dimension Directives"; 8 CTAs are portable, 16 the most of sm_90.
std::string cluster_fault(const kernel_image& kernel, const program::dim3& grid,
                          const program::dim3& cluster);

/// Number in the grid of a cluster's CTA. Clusters count as blocks do, x first, and so do ranks.
std::uint64_t block_of_cluster(const program::dim3& grid, const program::dim3& cluster,
                               std::uint64_t number, std::uint32_t rank);

/// CTAs that run at a time and see each other's shared memory (PTX manual, "Cluster of Cooperative
/// Thread Arrays"), and their barrier. One host thread executes all CTAs of a cluster.
class block_cluster {
public:
    /// @param shape  CTAs in each dimension
    explicit block_cluster(const program::dim3& shape)
        : shape_(shape), blocks_(static_cast<std::size_t>(shape.volume())) {}

    const program::dim3& shape() const { return shape_; }
    unsigned size() const { return static_cast<unsigned>(blocks_.size()); }

    /// A CTA of a rank begins; nullptr: it has ended.
    void set_block(unsigned rank, thread_block* block) { blocks_[rank] = block; }
    /// In timing mode the SMs have found the barrier complete, and that of one CTA is told.
    static void complete(thread_block& block);
    /// nullptr: none of this rank runs.
    thread_block* block_of_rank(std::uint64_t rank) const {
        return rank < blocks_.size() ? blocks_[static_cast<std::size_t>(rank)] : nullptr;
    }

    /// Lanes of a warp have come to the barrier (barrier.cluster.arrive).
    /// @return false: one of them has come already, and not waited
    bool arrive(warp& w, std::uint32_t lanes);
    /// Whether the barrier at which a warp arrived last is complete (barrier.cluster.wait): all
    /// threads of the cluster that live have come.
    bool passed(const warp& w);

private:
    program::dim3 shape_;
    std::vector<thread_block*> blocks_;  ///< by rank
    std::uint32_t phase_ = 0;            ///< counts barriers that are complete
};

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/block_cluster.h"

#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/thread_block.h"

#include <fmt/format.h>

namespace simtlm::execution {

std::string cluster_fault(const kernel_image& kernel, const program::dim3& grid,
                          const program::dim3& c) {
    const auto& need = kernel.required_cluster;
    if (need[0] != 0 && (c.x != need[0] || c.y != need[1] || c.z != need[2]))
        return fmt::format("clusters of {}x{}x{} blocks; .reqnctapercluster demands {}x{}x{}", c.x,
                           c.y, c.z, need[0], need[1], need[2]);
    if (c.volume() == 0 || c.volume() > address_windows::cluster_ranks)
        return fmt::format("clusters of {}x{}x{} blocks; {} blocks are the most", c.x, c.y, c.z,
                           address_windows::cluster_ranks);
    if (kernel.max_cluster != 0 && c.volume() > kernel.max_cluster)
        return fmt::format(
            "clusters of {}x{}x{} blocks; the kernel allows {} (.maxclusterrank, "
            "__launch_bounds__)",
            c.x, c.y, c.z, kernel.max_cluster);
    if (grid.x % c.x != 0 || grid.y % c.y != 0 || grid.z % c.z != 0)
        return fmt::format("a grid of {}x{}x{} blocks is no multiple of clusters of {}x{}x{}",
                           grid.x, grid.y, grid.z, c.x, c.y, c.z);
    return {};
}

std::uint64_t block_of_cluster(const program::dim3& grid, const program::dim3& c,
                               std::uint64_t number, std::uint32_t rank) {
    const std::uint64_t columns = grid.x / c.x, rows = grid.y / c.y;
    const std::uint64_t x = number % columns * c.x + rank % c.x;
    const std::uint64_t y = number / columns % rows * c.y + rank / c.x % c.y;
    const std::uint64_t z = number / columns / rows * c.z + rank / c.x / c.y;
    return (z * grid.y + y) * grid.x + x;
}

std::uint64_t cluster_of_block(const program::dim3& grid, const program::dim3& c,
                               std::uint64_t block) {
    const std::uint64_t x = block % grid.x, y = block / grid.x % grid.y,
                        z = block / grid.x / grid.y;
    const std::uint64_t columns = grid.x / c.x, rows = grid.y / c.y;
    return (z / c.z * rows + y / c.y) * columns + x / c.x;
}

bool block_cluster::arrive(warp& w, std::uint32_t lanes) {
    if ((w.cluster_arrived & lanes) != 0) return false;
    w.cluster_arrived |= lanes;
    w.cluster_phase = phase_;
    return true;
}

void block_cluster::complete(thread_block& block) {
    for (warp& w : block.warps()) w.cluster_arrived = 0;
    if (block.checks() != nullptr) block.checks()->cluster_barrier_complete();
}

bool block_cluster::passed(const warp& w) {
    if (w.cluster_phase != phase_) return true;
    for (thread_block* const b : blocks_) {
        if (b == nullptr) continue;
        for (const warp& other : b->warps()) {
            if (other.status == warp_status::done) continue;
            if ((other.control->live_lanes() & ~other.cluster_arrived) != 0) return false;
        }
    }
    ++phase_;
    for (thread_block* const b : blocks_)
        if (b != nullptr) complete(*b);
    return true;
}

}  // namespace simtlm::execution

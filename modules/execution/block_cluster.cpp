// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/block_cluster.h"

#include "modules/execution/checking/block_checks.h"
#include "modules/execution/thread_block.h"

namespace simtlm::execution {

bool block_cluster::arrive(warp& w, std::uint32_t lanes) {
    if ((w.cluster_arrived & lanes) != 0) return false;
    w.cluster_arrived |= lanes;
    w.cluster_phase = phase_;
    return true;
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
    for (thread_block* const b : blocks_) {
        if (b == nullptr) continue;
        for (warp& other : b->warps()) other.cluster_arrived = 0;
        if (b->checks() != nullptr) b->checks()->complete(0, {}, true);
    }
    return true;
}

}  // namespace simtlm::execution

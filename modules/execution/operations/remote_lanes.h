// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/block_cluster.h"
#include "modules/execution/state/memory_access.h"
#include "modules/program/kernel_source.h"

namespace simtlm::execution {

/// A request with timing, which may be to shared memory of other CTAs of the cluster, or to several
/// texels per lane.
struct timed_request : memory_request {
    /// Of texture fetches: number of addresses per lane, and those after the first.
    unsigned words = 1;
    alignas(64) std::uint64_t more[program::lane_addresses::max_words - 1][warp_size];
    lane_mask remote = 0;          ///< lanes that access other CTAs
    std::uint8_t rank[warp_size];  ///< of these lanes: rank of the CTA
    lane_mask asleep = 0;          ///< lanes that nanosleep has put to sleep
    std::uint32_t sleep = 0;       ///< their time, ns
};

/// With timing: finds the lanes of a warp's pending request that address shared memory of other
/// CTAs of the cluster, where their effects are performed when the SM's message arrives.
/// @param s  the state space of the instruction
/// @return these lanes, which are also stored in the timed_request
/// @throws execution_error  if the cluster does not have the rank of an address
inline lane_mask find_remote_lanes(warp& w, const operation* op, space s) {
    if (w.pending == nullptr || (s != space::shared && s != space::generic)) return 0;
    if (w.block->cluster().size() == 1) return 0;
    auto& r = static_cast<timed_request&>(*w.pending);
    constexpr device_address distance = address_windows::cluster - address_windows::shared;
    for (lane_mask m = r.lanes; m != 0; m &= m - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctz(m));
        device_address a = r.address[i];
        if (address_windows::in_cluster(a))
            a -= address_windows::cluster;
        else if (s == space::shared && a - distance < address_windows::cluster_size)
            a -= distance;
        else
            continue;
        const auto rank = static_cast<unsigned>(a / address_windows::cluster_stride);
        if (rank == w.block->rank()) continue;
        if (rank >= w.block->cluster().size()) names_no_rank(w, op, i);
        r.remote |= lane_mask{1} << i;
        r.rank[i] = static_cast<std::uint8_t>(rank);
    }
    return r.remote;
}

/// Performs the effects of the other lanes of a pending request immediately.
inline void perform_local_lanes(warp& w, memory_effect perform) {
    auto& r = static_cast<timed_request&>(*w.pending);
    const lane_mask all = r.lanes;
    r.lanes = all & ~r.remote;
    if (r.lanes != 0) perform(w, r);
    r.lanes = all;
}

}  // namespace simtlm::execution

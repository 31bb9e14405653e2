// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/cluster_operations.h"

#include "modules/execution/operations/launch_response.h"
#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/block_cluster.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/memory_access.h"
#include "modules/execution/state/thread_block.h"

namespace simtlm::execution {

namespace {

constexpr std::uint64_t stride = address_windows::cluster_stride;

/// Start of the shared::cluster addresses of rank 0, and of those of a CTA's own shared memory.
struct windows {
    std::uint64_t own, cluster;
};
constexpr windows windows_of(bool generic) {
    constexpr std::uint64_t distance = address_windows::cluster - address_windows::shared;
    return generic ? windows{address_windows::shared, address_windows::cluster}
                   : windows{0, distance};
}

/// Calls f(lane, rank of the address, offset) for every executing lane.
template <class Bits, class Function>
void for_places(warp& w, const operation* op, Function f) {
    const windows window = windows_of(sizeof(Bits) == 8);
    const auto* const from = lanes_at<Bits>(w, op->source[0]);
    for_lanes(w.lanes_of(op), [&](unsigned i) {
        const std::uint64_t a = from[i];
        if (a >= window.cluster && a - window.cluster < address_windows::cluster_size)
            return f(i, (a - window.cluster) / stride, (a - window.cluster) % stride);
        if (a - window.own >= stride)
            w.block->fail(w, op, i, "takes no address of shared memory", "use cvta.to.shared");
        f(i, std::uint64_t{w.block->rank()}, a - window.own);
    });
}

template <class Bits>
void map(warp& w, const operation* op) {
    const std::uint64_t cluster = windows_of(sizeof(Bits) == 8).cluster;
    const auto* const ranks = lanes_at<std::uint32_t>(w, op->source[1]);
    auto* const to = lanes_at<Bits>(w, op->destination);
    for_places<Bits>(w, op, [&](unsigned i, std::uint64_t, std::uint64_t offset) {
        if (ranks[i] >= w.block->cluster().size()) names_no_rank(w, op, i);
        to[i] = static_cast<Bits>(cluster + ranks[i] * stride + offset);
    });
}

template <class Bits>
void find_rank(warp& w, const operation* op) {
    auto* const to = lanes_at<std::uint32_t>(w, op->destination);
    for_places<Bits>(w, op, [&](unsigned i, std::uint64_t rank, std::uint64_t) {
        to[i] = static_cast<std::uint32_t>(rank);
    });
}

/// With timing, the SM holds warps at cluster barriers; for a cluster of one CTA the machine does.
bool sm_holds_warps(const warp& w) {
    return w.block->sm_holds_barriers && w.block->cluster().size() > 1;
}

}  // namespace

const operation* arrive_at_cluster(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (sm_holds_warps(w) && (w.cluster_arrived & lanes) == 0) {
        w.cluster_arrived |= lanes;
        return op + 1;
    }
    if (lanes != 0 && !w.block->cluster().arrive(w, lanes))
        w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(lanes)),
                      "a thread arrives again at the barrier of its cluster",
                      "barrier.cluster.wait comes between two arrivals");
    if (block_checks* const checks = w.block->checks(); checks != nullptr && lanes != 0)
        checks->arrive_at_cluster(w);
    return op + 1;
}

const operation* wait_for_cluster(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (sm_holds_warps(w)) {
        // Waits once all of its lanes have arrived; until then they retry.
        const bool waits = (w.cluster_arrived & lanes) != 0;
        const bool all = (w.control->live_lanes() & ~w.cluster_arrived) == 0;
        return !waits || all ? op + 1 : w.retry(op);
    }
    if (lanes == 0) return op + 1;
    if (!w.block->cluster().passed(w)) return w.retry(op);
    if (block_checks* const checks = w.block->checks()) checks->leave_cluster_barrier(w);
    return op + 1;
}

const operation* map_to_rank(warp& w, const operation* op) {
    if (op->detail == 1)
        map<std::uint64_t>(w, op);
    else
        map<std::uint32_t>(w, op);
    return op + 1;
}

const operation* rank_of_address(warp& w, const operation* op) {
    if (op->detail == 1)
        find_rank<std::uint64_t>(w, op);
    else
        find_rank<std::uint32_t>(w, op);
    return op + 1;
}

const operation* elect_lane(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    const auto* const named = lanes_at<std::uint32_t>(w, op->source[0]);
    const lane_mask among = named[__builtin_ctz(lanes)] & lanes;
    if (among == 0)
        w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(lanes)),
                      "names none of the lanes that execute it");
    const auto leader = static_cast<std::uint32_t>(__builtin_ctz(among));
    if (op->destination != no_operand) {
        auto* const to = lanes_at<std::uint32_t>(w, op->destination);
        for_lanes(lanes, [&](unsigned i) { to[i] = leader; });
    }
    if (op->destination2 != no_operand) {
        lane_mask& p = w.mask_at(op->destination2);
        p = (p & ~lanes) | lane_mask{1} << leader;
    }
    return op + 1;
}

const operation* is_launch_cancelled(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    const auto* const high = lanes_at<std::uint64_t>(w, op->source[0]);
    lane_mask cancelled = 0;
    for_lanes(lanes, [&](unsigned i) {
        cancelled |= static_cast<lane_mask>(high[i] & launch_response::cancelled) << i;
    });
    lane_mask& to = w.mask_at(op->destination);
    to = (to & ~lanes) | cancelled;
    return op + 1;
}

const operation* first_cancelled_cta(warp& w, const operation* op) {
    constexpr unsigned x = 0, y = 1, z = 2;
    const auto* const low = lanes_at<std::uint64_t>(w, op->source[0]);
    auto* const to = lanes_at<std::uint32_t>(w, op->destination);
    const auto dimension = static_cast<unsigned>(op->immediate);
    for_lanes(w.lanes_of(op), [&](unsigned i) {
        to[i] = dimension == x   ? static_cast<std::uint32_t>(low[i])
                : dimension == y ? static_cast<std::uint16_t>(low[i] >> 32)
                : dimension == z ? static_cast<std::uint16_t>(low[i] >> 48)
                                 : 0;
    });
    return op + 1;
}

}  // namespace simtlm::execution

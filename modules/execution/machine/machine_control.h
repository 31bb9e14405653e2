// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/lane_buffer.h"
#include "modules/execution/operation.h"
#include "modules/execution/warp_control.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::execution {

/// Control flow of a warp that executes machine code: groups of lanes at program counters of their
/// own, and convergence barriers, which are masks of lanes. Where a group divides, the smaller half
/// goes on first, on a tie the one that falls through; the group that was deferred last comes next.
/// Deferred groups at the same place become one; the group that executes joins none that it passes.
/// A group that executes a long time, or says YIELD, lets the others go on (independent thread
/// scheduling). These rules reproduce the active masks of recorded traces (convergence_test).
class machine_control final : public warp_control {
public:
    void start(warp& w, const kernel_image& kernel) override;
    lane_mask live_lanes() const override { return live_; }
    std::size_t groups() const override { return 1 + ready_.size() + blocked_.size(); }
    std::uint32_t frame_bytes() const override { return frame_bytes_; }
    bool schedules_lanes_independently() const override { return true; }

    // All of these are called after warp::leave(), and give what the warp executes next.

    /// Lanes that take a branch go to the target, the other active ones to `next`.
    const operation* branch(warp& w, lane_mask takers, const operation* target,
                            const operation* next);
    /// Every taker goes to a place of its own.
    const operation* scatter(warp& w, lane_mask takers,
                             const std::array<const operation*, warp_size>& targets,
                             const operation* next);
    /// Lanes wait for all of a convergence barrier.
    const operation* wait(warp& w, lane_mask lanes, unsigned barrier, const operation* next);
    /// Lanes wait for those that a mask names (WARPSYNC).
    const operation* wait_for(warp& w, lane_mask lanes, lane_mask among, const operation* next);
    /// The masks of convergence barriers have changed: whoever waits may go on. Does not stop the
    /// group that executes.
    void barriers_changed(warp& w);
    /// Lanes end.
    const operation* exit(warp& w, lane_mask lanes, const operation* next);
    /// Another group's turn, if there is one.
    const operation* yield(warp& w, const operation* next);

private:
    struct group {
        lane_mask lanes;
        const operation* next;
    };
    struct blocked_group {
        lane_mask lanes;
        const operation* next;
        int barrier;  ///< -1: waits for `among`
        lane_mask among;
    };
    static constexpr unsigned patience = 4096;  ///< branches of a group before others go on

    const operation* next_group(warp& w);
    /// Lanes that go on there later, with those that are already waiting to do so.
    void defer(lane_mask lanes, const operation* next);
    lane_mask mask_of(const warp& w, const blocked_group& b) const;

    std::vector<group> ready_;  ///< the last one is next
    std::vector<blocked_group> blocked_;
    lane_mask live_ = 0;
    std::uint32_t frame_bytes_ = 0;
    unsigned branches_ = 0;
    lane_buffer frame_;
};

}  // namespace simtlm::execution

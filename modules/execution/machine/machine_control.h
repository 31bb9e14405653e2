// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/lane_buffer.h"
#include "modules/execution/common/operation.h"
#include "modules/execution/state/warp_control.h"

#include <array>
#include <cstdint>
#include <vector>

namespace simtlm::execution {

/// Control flow of a warp that executes machine code: groups of lanes, each with a program counter,
/// and convergence barriers, which are masks of lanes. When a group diverges, the smaller half
/// continues first, or in case of a tie the one that falls through; the group that was deferred
/// last comes next. Deferred groups at the same program counter are merged; the executing group
/// does not merge with groups that it passes. A group that executes for a long time, sleeps, or
/// executes YIELD, lets the others continue (independent thread scheduling). If it repeats a loop
/// in this way, lanes that wait at a convergence barrier leave the barrier and continue, because
/// the loop may wait for them; likewise if no group can continue. These rules reproduce the active
/// masks of recorded traces (convergence_test).
class machine_control final : public warp_control {
public:
    void start(warp& w, const kernel_image& kernel) override;
    lane_mask live_lanes() const override { return live_; }
    std::size_t groups() const override { return 1 + ready_.size() + blocked_.size(); }
    std::uint32_t frame_bytes() const override { return frame_bytes_; }
    bool schedules_lanes_independently() const override { return true; }
    progress yield_groups(warp& w, bool sleeps) override;
    std::vector<barrier_group> lanes_at_barriers(const warp& w) const override;
    void pass_barrier(const barrier_group& arrived, const operation* at) override;

    // The following functions are called after warp::leave() and return the warp's next operation.

    /// Lanes that take a branch continue at the target, the other active lanes at `next`.
    const operation* branch(warp& w, lane_mask takers, const operation* target,
                            const operation* next);
    /// Every taker continues at a target of its own.
    const operation* scatter(warp& w, lane_mask takers,
                             const std::array<const operation*, warp_size>& targets,
                             const operation* next);
    /// Lanes wait for all lanes of a convergence barrier.
    const operation* wait(warp& w, lane_mask lanes, unsigned barrier, const operation* next);
    /// Selects the lanes that can release lanes waiting for a mask.
    enum class barrier_match : std::uint8_t {
        any_instruction,   ///< WARPSYNC: lanes waiting with the same mask, at any instruction
        this_instruction,  ///< WARPSYNC.EXCLUSIVE: lanes waiting at the same instruction
        block_barrier,     ///< lanes that have come to a CTA barrier; the last ones arrive at it
        collective,        ///< WARPSYNC.COLLECTIVE: as any_instruction; released as one group
    };
    /// Lets lanes wait for the lanes of a mask.
    const operation* wait_for(warp& w, lane_mask lanes, lane_mask among, barrier_match at,
                              const operation* next);
    /// The masks of convergence barriers have changed: waiting lanes may continue. Does not
    /// interrupt the executing group.
    void barriers_changed(warp& w);
    /// Initialises the mask of a convergence barrier in each of these lanes.
    /// @param frames  by lane: the stack pointer, where code may be recursive. Then a lane only
    /// waits for lanes at its own recursion depth, even if lanes at other depths execute the
    /// instruction together with it. nullptr: the lanes wait for each other
    static void begin_barrier(warp& w, lane_mask lanes, std::uint32_t barrier_row,
                              const std::uint32_t* frames = nullptr);
    /// Sets the address at which lanes continue after ENDCOLLECTIVE. Compilers use the same
    /// registers for all collective instructions of a function; lanes that wait at different
    /// collective instructions execute one of them together.
    void set_collective_end(lane_mask lanes, const operation* end);
    const operation* end_collective(warp& w, lane_mask lanes, const operation* op);
    /// Lanes exit.
    const operation* exit(warp& w, lane_mask lanes, const operation* next);
    /// The lanes that only the executing group executes.
    lane_mask own_lanes() const;
    /// Switches to another group, if there is one.
    /// @param yields  number of YIELD instructions that this corresponds to
    const operation* yield(warp& w, const operation* next, unsigned yields = 1);

private:
    struct group {
        lane_mask lanes;
        const operation* next;
    };
    struct blocked_group {
        lane_mask lanes;
        const operation* next;
        int barrier;  ///< below 0: waits for `among`; encodes the barrier_match
        lane_mask among;
    };
    static constexpr unsigned retry_limit = 4096;  ///< branches of a group before others continue
    /// Yields, without another group having arrived or exited, from which on the executing group is
    /// suspected to wait for others, and from which on this is taken for granted.
    static constexpr unsigned few_yields = 16, many_yields = 256;

    const operation* next_group(warp& w);
    bool gives_way(warp& w, const operation* next, unsigned yields, bool sleeps);
    bool leave_oldest_barrier(warp& w);
    /// A group has arrived at a barrier, left it or exited.
    void note_progress();
    /// Defers lanes that continue at `next`, merging them with those already deferred there.
    void defer(lane_mask lanes, const operation* next);
    lane_mask mask_of(const warp& w, const blocked_group& b) const;

    std::vector<group> ready_;  ///< the last one is next
    std::vector<blocked_group> blocked_;
    lane_mask live_ = 0;
    std::uint32_t frame_bytes_ = 0;
    unsigned branches_ = 0;
    unsigned yields_ = 0;                ///< of all groups, since note_progress()
    std::vector<std::uint64_t> states_;  ///< of groups that have yielded, since then
    std::array<const operation*, warp_size> collective_end_{};
    lane_buffer frame_;
};

}  // namespace simtlm::execution

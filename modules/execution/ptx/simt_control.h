// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/lane_buffer.h"
#include "modules/execution/state/simt_stack.h"
#include "modules/execution/state/warp_control.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::execution {

/// Control flow of a warp that executes PTX: lanes reconverge by a SIMT stack, and every call has a
/// frame of registers and of local memory.
class simt_control final : public warp_control {
public:
    /// @param independent  independent thread scheduling, as since sm_70: lanes that wait in a loop
    ///                     for another lane of their warp let it continue
    explicit simt_control(bool independent) : independent_(independent) {}

    simt_stack stack;
    std::vector<lane_buffer> frames;         ///< by frame number (simt_stack::entry::frame)
    std::vector<std::uint32_t> sizes;        ///< of each frame, bytes
    std::vector<std::uint32_t> local_bases;  ///< of each frame
    std::vector<std::uint32_t> local_tops;   ///< of each frame: start of free memory

    void start(warp& w, const kernel_image& kernel) override;
    lane_mask live_lanes() const override;
    lane_mask lanes_awaited_by_barriers(const warp& w) const override;
    std::vector<barrier_group> lanes_at_barriers(const warp& w) const override;
    void pass_barrier(const barrier_group& group, const operation* at) override;
    std::size_t groups() const override { return stack.depth(); }
    std::uint32_t frame_bytes() const override { return sizes[stack.top().frame]; }
    bool schedules_lanes_independently() const override { return independent_; }
    progress yield_groups(warp& w, bool sleeps) override;
    std::uint64_t state_of_callers(const warp& w) const override;

    /// Allocates frames up to a number.
    void deepen(std::size_t frame);
    /// Executes a collective instruction for groups of lanes that have reached it in different
    /// branches or calls, or that have reached different instructions of the same kind. The active
    /// lanes and others wait for members (simt_stack::wait_for_members) at the operation before it
    /// (gather_members). If all the lanes that they name have arrived, the results are computed,
    /// and each group takes those of its lanes when it executes its own instruction
    /// (take_exchanged).
    /// @return false if lanes are missing
    bool exchange(warp& w);
    const operation* take_exchanged(warp& w, const operation* op) override;
    /// Updates the warp after a change of the stack. warp::leave() must have been called.
    const operation* resume(warp& w);

private:
    void take_up(warp& w) const;
    void compute_exchange(warp& w, const std::vector<const simt_stack::entry*>& groups);

    static constexpr std::size_t remembered = 4;
    /// Branches of the same lanes after which others continue although the state has changed: lanes
    /// may count while they wait.
    static constexpr std::int64_t retry_limit = 1 << 16;
    const bool independent_;
    std::array<std::uint64_t, remembered> states_{};  ///< at the last calls of yield_groups()
    std::size_t next_state_ = 0;
    lane_mask last_active_ = 0;
    std::int64_t branches_ = 0;  ///< of last_active_
    lane_buffer exchange_;       ///< operands and results of an exchange, by lane
};

}  // namespace simtlm::execution

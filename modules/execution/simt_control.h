// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/lane_buffer.h"
#include "modules/execution/simt_stack.h"
#include "modules/execution/warp_control.h"

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
    std::vector<lane_buffer> frames;         ///< by call depth
    std::vector<std::uint32_t> sizes;        ///< of each frame, bytes
    std::vector<std::uint32_t> local_bases;  ///< by call depth
    std::vector<std::uint32_t> local_tops;   ///< by call depth: start of free memory

    void start(warp& w, const kernel_image& kernel) override;
    lane_mask live_lanes() const override;
    lane_mask lanes_barriers_await(const warp& w) const override;
    std::size_t groups() const override { return stack.depth(); }
    std::uint32_t frame_bytes() const override { return sizes[stack.top().call_depth]; }
    bool schedules_lanes_independently() const override { return independent_; }
    progress pass_turn(warp& w) override;

    /// Allocates frames up to a call depth.
    void deepen(std::size_t depth);
    /// Updates the warp after a change of the stack. warp::leave() must have been called.
    const operation* resume(warp& w);

private:
    void take_up(warp& w) const;

    static constexpr std::size_t remembered = 4;
    const bool independent_;
    std::array<std::uint64_t, remembered> states_{};  ///< at the last calls of pass_turn()
    std::size_t next_state_ = 0;
};

}  // namespace simtlm::execution

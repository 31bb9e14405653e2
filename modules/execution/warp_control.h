// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

#include <cstddef>
#include <cstdint>

namespace simtlm::execution {

struct warp;
struct kernel_image;

/// Control flow of one warp: which of its lanes execute next and where those wait that do not. What
/// this rests on differs between instruction sets: a stack of reconvergence points (simt_control,
/// for PTX), barriers that are masks of lanes (machine code). An image makes one for each warp, and
/// the branches, calls and barriers that the image is lowered to know its class
/// (`static_cast<simt_control&>(*w.control)`); everybody else sees this interface.
///
/// While lanes execute, the warp itself holds the active mask and the operation; a handler that
/// changes control flow sets warp::active and warp::banks[0], and returns what is executed next,
/// mostly by warp::go_on() or warp::end().
class warp_control {
public:
    virtual ~warp_control();

    /// The warp begins a kernel: its registers are zero, its lanes (warp::members) stand at the
    /// first operation.
    virtual void start(warp& w, const kernel_image& kernel) = 0;
    /// Lanes that have not ended.
    virtual lane_mask live_lanes() const = 0;
    /// Live lanes that a barrier of the CTA waits for: all but those that have nothing left to do
    /// but to end, which the hardware has ended.
    virtual lane_mask lanes_barriers_await(const warp&) const { return live_lanes(); }
    /// Groups of lanes that execute apart, those that wait for others included; 1 while control has
    /// not diverged.
    virtual std::size_t groups() const = 0;
    /// Bytes of the registers in warp::banks[0].
    virtual std::uint32_t frame_bytes() const = 0;
    /// Lanes that wait for others of their warp let them go on: a lock among lanes is passed.
    virtual bool schedules_lanes_independently() const { return false; }
    enum class progress {
        moves,    ///< the executing lanes do something new
        circles,  ///< they are as they were before: a loop that waits for another thread
        passed,   ///< so they were, and other lanes have taken their place
    };
    /// The executing lanes, which stand before warp::next, have branched a number of times. Where
    /// they wait for another thread, and other lanes of the warp can go on, these take their place:
    /// warp::active and warp::next change.
    virtual progress pass_turn(warp&) { return progress::moves; }
    /// Branches of diverged lanes between two calls of pass_turn(): without time, and with it,
    /// where lanes that wait should not do so for long.
    static constexpr std::int64_t branches_per_turn = 64, timed_branches_per_turn = 4;
};

}  // namespace simtlm::execution

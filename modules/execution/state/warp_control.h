// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::execution {

struct warp;
struct kernel_image;

/// A hash of 64-bit words, such as the registers of a warp. @param seed  the hash of what precedes
/// them
std::uint64_t hash_words(std::uint64_t seed, const void* data, std::size_t bytes);

/// Control flow of a warp: which of its lanes execute next, and where the others wait. The
/// mechanism depends on the instruction set: a stack of reconvergence points (simt_control, for
/// PTX), or barriers that are masks of lanes (machine code). An image creates one per warp, and its
/// branches, calls and barriers know the derived class (`static_cast<simt_control&>(*w.control)`);
/// all other code uses this interface.
///
/// While lanes execute, the warp holds the active mask and the operation; a handler that changes
/// control flow sets warp::active and warp::banks[0], and returns the next operation, usually by
/// warp::continue_at() or warp::end().
class warp_control {
public:
    virtual ~warp_control();

    /// Starts a kernel: the warp's registers are zero, and its lanes (warp::members) are at the
    /// first operation.
    virtual void start(warp& w, const kernel_image& kernel) = 0;
    /// Lanes that have not exited.
    virtual lane_mask live_lanes() const = 0;
    /// Live lanes for which a barrier of the CTA waits: all except those that only have to exit,
    /// which hardware has already ended.
    virtual lane_mask lanes_awaited_by_barriers(const warp&) const { return live_lanes(); }
    /// Lanes that wait for the rest of their warp before they arrive at a CTA barrier.
    struct barrier_group {
        lane_mask lanes = 0;
        const operation* next = nullptr;  ///< the operation that arrives, or its operands
        std::byte* frame = nullptr;       ///< their registers
    };
    /// Such groups, except the executing lanes.
    virtual std::vector<barrier_group> lanes_at_barriers(const warp&) const { return {}; }
    /// A group of them has arrived together with the executing lanes. @param at  where it continues
    virtual void pass_barrier(const barrier_group&, [[maybe_unused]] const operation* at) {}
    /// Number of groups of lanes that execute separately, including waiting ones; 1 while control
    /// flow has not diverged.
    virtual std::size_t groups() const = 0;
    /// Size of the registers in warp::banks[0].
    virtual std::uint32_t frame_bytes() const = 0;
    /// Whether lanes that wait for others of their warp let them continue, so that locks among
    /// lanes make progress.
    virtual bool schedules_lanes_independently() const { return false; }
    /// A hash of the registers of the calls from which the executing lanes have been called, in
    /// which a loop may count; part of warp::state(). 0: calls have no registers of their own.
    virtual std::uint64_t state_of_callers(const warp&) const { return 0; }
    /// Result of yield_groups().
    enum class progress {
        moves,    ///< the executing lanes make progress
        circles,  ///< they are in the same state as before: a loop that waits for another thread
        passed,   ///< the same, and other lanes have replaced them
    };
    /// Called when the executing lanes, at warp::next, have branched a number of times, or sleep
    /// (nanosleep). If they wait for another thread and other lanes of the warp can continue, these
    /// replace them: warp::active and warp::next change.
    /// @param sleeps  they sleep; otherwise they wait if they are in the same state as before
    virtual progress yield_groups(warp&, [[maybe_unused]] bool sleeps = false) {
        return progress::moves;
    }
    /// Writes the results of a collective instruction that were computed when lanes in different
    /// branches or calls had reached it. Called if the control has set warp::exchanged.
    virtual const operation* take_exchanged(warp&, const operation* op) { return op; }
    /// Branches of diverged lanes between two calls of yield_groups(); with timing fewer, so that
    /// waiting lanes do not wait for long.
    static constexpr std::int64_t branches_per_quantum = 64, timed_branches_per_quantum = 4;
};

}  // namespace simtlm::execution

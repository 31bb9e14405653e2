// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace simtlm::execution {

/// Detects timed programs that execute instructions for ever without progress
/// (a livelock), such as a loop that reads a flag that nobody sets.
///
/// While memory does not change, each warp is a deterministic function of its
/// own state. If every warp comes to a state that it has had before, or waits
/// for others, none will ever change memory. Values that depend on time, such
/// as the clock, are part of the state once they are read.
///
/// States are compared only after a time without changes, and in a sixteenth of
/// the time afterwards, which becomes longer as long as nothing is found. In
/// all other rounds it suffices to note the first change.
class progress_monitor {
public:
    /// A running kernel.
    struct participant {
        virtual ~participant() = default;
        /// Whether it has warps, and each has repeated a state in this round, or
        /// waits for others.
        virtual bool is_stuck(std::uint32_t round) const = 0;
        virtual bool is_resident() const = 0;
        /// Throws an execution_error for a warp that repeats its states, if there is one.
        virtual void report() const = 0;
    };

    void enter(const participant& p) { participants_.push_back(&p); }
    void leave(const participant& p);

    /// Whether warps must note changes of memory, and compare their states.
    bool listens() const { return now() != activity::off; }
    bool compares() const { return now() == activity::comparing; }
    std::uint32_t round() const { return round_; }
    /// Memory has changed, or threads have begun or ended. May be called by any
    /// thread.
    void note_change() {
        if (listens()) activity_.store(activity::off, std::memory_order_relaxed);
    }

    /// To be called now and then, between steps.
    /// @param cycle     core cycle
    /// @param window    core cycles within which an instruction that issues ends
    /// @param host_timeout  time for which the host may yet change memory
    /// @throws execution_error  if no running kernel can make progress
    void check(std::uint64_t cycle, std::uint64_t window, std::chrono::milliseconds host_timeout);

private:
    enum class activity : std::uint8_t { off, listening, comparing };
    activity now() const { return activity_.load(std::memory_order_relaxed); }
    void begin(activity what, std::uint64_t cycle, std::uint64_t cycles);
    bool all_stuck() const;

    std::vector<const participant*> participants_;
    std::atomic<activity> activity_{activity::off};
    activity begun_ = activity::off;  ///< at the begin of the round; off then:
                                      ///< something has changed
    std::uint32_t round_ = 0;
    std::uint64_t round_ends_ = 0;
    std::uint64_t length_ = 0;   ///< cycles of a round that compares states
    unsigned stuck_rounds_ = 0;  ///< successive ones
    std::chrono::steady_clock::time_point stuck_since_;
};

}  // namespace simtlm::execution

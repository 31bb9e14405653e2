// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>

namespace simtlm::kernel {

/// Whether it pays that several threads of the host share the work of a step: both ways are tried
/// in turn, by the clock of the host, and the faster one is kept for a while. What is simulated
/// does not depend on it. Steps are timed as a whole, since what one thread has worked on is slow
/// to come by for another in the phases that are not shared.
///
/// A step asks shared(), and tells step_ended() at its end.
class parallel_autotuner {
public:
    using clock = std::chrono::steady_clock;

    /// @param shortest_step  of one thread, in seconds, from which on the others are asked at all
    ///                       unless they are at hand: to have them come costs as much, and they may
    ///                       keep a processor from the thread that reads the trace
    explicit parallel_autotuner(double shortest_step = 8e-6) : shortest_step_(shortest_step) {}

    /// Whether the next step is to be shared.
    bool shared() const { return trying() ? block_ % 2 == 1 : shared_; }
    /// What has been found last.
    bool pays() const { return shared_; }
    /// Whether the time that the next step takes is wanted.
    bool trying() const { return keep_ == 0; }

    /// A step has ended. @param took  of interest while trying()  @param pieces  of work it had
    void step_ended(clock::duration took, unsigned chunks) {
        if (!trying()) {
            --keep_;
            return;
        }
        // The first steps of a block find threads asleep, or another's data in the caches.
        if (step_ >= steps_to_settle) {
            const std::chrono::duration<double> seconds = took;
            time_ += seconds.count();
            chunks_ += chunks;
        }
        if (++step_ < steps_a_block) return;
        // Whatever else the machine does makes a block slower, never faster.
        double& best = best_[block_ % 2];
        best = block_ < 2 ? time_ / chunks_ : std::min(best, time_ / chunks_);
        const double step = time_ / (steps_a_block - steps_to_settle);
        time_ = chunks_ = 0;
        step_ = 0;
        if (block_ == 0 && !shared_ && step < shortest_step_) return keep(false);
        if (++block_ == blocks) keep(best_[1] < (shared_ ? 1 : worth) * best_[0]);
    }

private:
    static constexpr unsigned blocks = 6;  // odd ones are shared
    static constexpr unsigned steps_a_block = 16, steps_to_settle = 4;
    // Steps between trials, more and more as long as these find the same.
    static constexpr unsigned shortest = 500, longest = 32000;
    static constexpr unsigned shortest_shared = 2000, longest_shared = 16000;
    static constexpr double worth = 0.95;  // of the time of one thread, to begin with

    void keep(bool shared) {
        if (shared != shared_) pause_ = shared ? shortest_shared : shortest;
        shared_ = shared;
        keep_ = pause_;
        pause_ = std::min(2 * pause_, shared ? longest_shared : longest);
        block_ = 0;
    }

    double shortest_step_;
    bool shared_ = false;
    unsigned keep_ = 0;  // steps until the next trial
    unsigned pause_ = shortest;
    unsigned block_ = 0, step_ = 0;
    double time_ = 0, chunks_ = 0;  // of a block
    std::array<double, 2> best_{};  // time for a piece: not shared, shared
};

}  // namespace simtlm::kernel

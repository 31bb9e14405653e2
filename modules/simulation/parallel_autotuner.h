// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>

namespace simtlm::simulation {

/// Decides whether it pays to share the work of a step among several host threads: both modes are
/// timed alternately in trials, and the faster one is then kept for some number of steps.
/// Simulation results do not depend on the decision. Whole steps are timed, because data written by
/// one thread is slower to access for another in the phases that are not shared.
///
/// The caller queries shared() before a step and calls step_ended() after it.
class parallel_autotuner {
public:
    using clock = std::chrono::steady_clock;

    /// @param shortest_step  shortest single-threaded step, in seconds, for which a sleeping pool
    ///                       of threads is tried: waking the threads costs about as much, and they
    ///                       may take a processor from the thread that reads the trace
    explicit parallel_autotuner(double shortest_step = 8e-6) : shortest_step_(shortest_step) {}

    /// Whether the next step is to be run by several threads.
    bool shared() const { return trying() ? block_ % 2 == 1 : shared_; }
    /// Result of the last trial.
    bool pays() const { return shared_; }
    /// Whether a trial is running, which needs the duration of the next step.
    bool trying() const { return keep_ == 0; }

    /// Ends a step.
    /// @param took    duration of the step; used only while trying()
    /// @param chunks  units of work in the step
    void step_ended(clock::duration took, unsigned chunks) {
        if (!trying()) {
            --keep_;
            return;
        }
        // The first steps of a block are disturbed by sleeping threads and cold caches.
        if (step_ >= warm_up_steps) {
            const std::chrono::duration<double> seconds = took;
            time_ += seconds.count();
            chunks_ += chunks;
        }
        if (++step_ < steps_a_block) return;
        // Other load on the machine can only make a block slower, so the minimum is kept.
        double& best = best_[block_ % 2];
        best = block_ < 2 ? time_ / chunks_ : std::min(best, time_ / chunks_);
        const double step = time_ / (steps_a_block - warm_up_steps);
        time_ = chunks_ = 0;
        step_ = 0;
        if (block_ == 0 && !shared_ && step < shortest_step_) return keep(false);
        if (++block_ == blocks) keep(best_[1] < (shared_ ? 1 : worth) * best_[0]);
    }

private:
    static constexpr unsigned blocks = 6;  // per trial; odd ones are shared
    static constexpr unsigned steps_a_block = 16, warm_up_steps = 4;
    // Steps between trials, doubled as long as the result is the same.
    static constexpr unsigned shortest = 500, longest = 32000;
    static constexpr unsigned shortest_shared = 2000, longest_shared = 16000;
    static constexpr double worth = 0.95;  // to start sharing, the time must be below this fraction
                                           // of the single-threaded time

    void keep(bool shared) {
        if (shared != shared_) pause_ = shared ? shortest_shared : shortest;
        shared_ = shared;
        keep_ = pause_;
        pause_ = std::min(2 * pause_, shared ? longest_shared : longest);
        block_ = 0;
    }

    double shortest_step_;
    bool shared_ = false;
    unsigned keep_ = 0;  // remaining steps until the next trial; 0: trying
    unsigned pause_ = shortest;
    unsigned block_ = 0, step_ = 0;
    double time_ = 0, chunks_ = 0;  // sums over the current block
    std::array<double, 2> best_{};  // seconds per unit of work: single-threaded, shared
};

}  // namespace simtlm::simulation

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>

namespace simtlm::kernel {

/// Whether it pays that several threads of the host share the work of a visit: both ways are tried
/// in turn, by the clock of the host, and the faster one is kept for a while. What is simulated
/// does not depend on it.
///
/// A visit asks shared(), and tells visited() at its end.
class sharing_trial {
public:
    using clock = std::chrono::steady_clock;

    /// Whether the next visit is to be shared.
    bool shared() const { return trying() ? block_ % 2 == 0 : shared_; }
    /// Whether the time that the next visit takes is wanted.
    bool trying() const { return keep_ == 0; }

    /// A visit has ended. @param took  of interest while trying()  @param pieces  of work it had
    void visited(clock::duration took, unsigned pieces) {
        if (!trying()) {
            --keep_;
            return;
        }
        // The first visits of a block find threads asleep, or another's data in the caches.
        if (visit_ >= visits_to_settle) {
            const std::chrono::duration<double> seconds = took;
            time_ += seconds.count();
            pieces_ += pieces;
        }
        if (++visit_ < visits_a_block) return;
        // Whatever else the machine does makes a block slower, never faster.
        double& best = best_[block_ % 2];
        best = block_ < 2 ? time_ / pieces_ : std::min(best, time_ / pieces_);
        time_ = pieces_ = 0;
        visit_ = 0;
        if (++block_ < blocks) return;
        decide();
    }

private:
    static constexpr unsigned blocks = 6;  // even ones are shared
    static constexpr unsigned visits_a_block = 16, visits_to_settle = 4;
    static constexpr unsigned shortest = 500, longest = 32000;  // visits between trials
    static constexpr unsigned while_shared = 2000;
    static constexpr double worth = 0.97;  // of the time of one thread

    void decide() {
        shared_ = best_[0] < worth * best_[1];
        // What does not pay is tried less and less often.
        keep_ = shared_ ? while_shared : pause_;
        pause_ = shared_ ? shortest : std::min(2 * pause_, longest);
        block_ = 0;
    }

    bool shared_ = false;
    unsigned keep_ = 0;  // visits until the next trial
    unsigned pause_ = shortest;
    unsigned block_ = 0, visit_ = 0;
    double time_ = 0, pieces_ = 0;  // of a block
    std::array<double, 2> best_{};  // time for a piece: shared, not
};

}  // namespace simtlm::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/exact_clock.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::kernel {

/// The rising edges of a clock that it leaves out, some at a time, for an owner who counts them
/// when their time has come. Times are in units of the time resolution.
class suppressed_edges {
public:
    explicit suppressed_edges(computed_clock& clock) : clock_(clock) {}

    /// The clock leaves out the next ones. @pre it is high, and all of the last time have passed
    void suppress_more() {
        constexpr std::size_t at_a_time = 64;
        times_.resize(at_a_time);
        next_ = 0;
        clock_.suppress(times_);
    }

    /// The next one passes if it comes before a time. @return whether it does
    bool pass_before(std::uint64_t time) {
        if (!has_before(time)) return false;
        ++next_;
        return true;
    }
    /// The next one passes if it comes at a time. @pre none comes before @return whether it does
    bool pass_at(std::uint64_t time) {
        if (next_ == times_.size() || times_[next_] != time) return false;
        ++next_;
        return true;
    }
    /// The time of the one that passed last.
    std::uint64_t last() const { return times_[next_ - 1]; }
    bool has_before(std::uint64_t time) const {
        return next_ < times_.size() && times_[next_] < time;
    }

    /// The time of the k-th edge to come, left out or not, or a limit, whichever is earlier.
    /// @param k  from 1 on
    std::uint64_t rising_edge(std::uint64_t k, std::uint64_t limit) const {
        const std::size_t left = times_.size() - next_;
        if (k <= left) return std::min(times_[next_ + k - 1], limit);
        return clock_.rising_edge(k - left, limit);
    }

private:
    computed_clock& clock_;
    std::vector<std::uint64_t> times_;
    std::size_t next_ = 0;
};

}  // namespace simtlm::kernel

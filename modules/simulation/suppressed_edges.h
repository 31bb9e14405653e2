// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/exact_clock.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::simulation {

/// Rising edges of a clock that are suppressed in batches and that the owner consumes one by one
/// when their time has come. Times are in units of the time resolution.
class suppressed_edges {
public:
    explicit suppressed_edges(computed_clock& clock) : clock_(clock) {}

    /// Suppresses the next batch of edges. @pre the clock is high, and the previous batch has been
    /// consumed
    void suppress_more() {
        constexpr std::size_t at_a_time = 64;
        times_.resize(at_a_time);
        next_ = 0;
        clock_.suppress(times_);
    }

    /// Consumes the next edge if it is before a time. @return whether it was
    bool pass_before(std::uint64_t time) {
        if (!has_before(time)) return false;
        ++next_;
        return true;
    }
    /// Consumes the next edge if it is at a time. @pre none is earlier @return whether it was
    bool pass_at(std::uint64_t time) {
        if (next_ == times_.size() || times_[next_] != time) return false;
        ++next_;
        return true;
    }
    /// The time of the edge consumed last.
    std::uint64_t last() const { return times_[next_ - 1]; }
    bool has_before(std::uint64_t time) const {
        return next_ < times_.size() && times_[next_] < time;
    }

    /// The time of the k-th future edge, suppressed or not, or a limit, whichever is earlier.
    /// @param k  starts at 1
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

}  // namespace simtlm::simulation

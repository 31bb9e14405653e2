// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace simtlm::power {

/// The frequencies of the core clock since the start of the simulation, to convert cycles to time.
class clock_history {
public:
    /// @param hertz  at the start
    explicit clock_history(double hertz) : changes_{{0, hertz, 0}} {}

    /// The frequency changes. @param cycle  core cycle, not before that of the previous change
    void change(std::uint64_t cycle, double hertz) {
        changes_.push_back({cycle, hertz, changes_.back().seconds_at(cycle)});
    }
    /// The current frequency.
    double hertz() const { return changes_.back().hertz; }
    bool is_constant() const { return changes_.size() == 1; }

    /// The duration of the core cycles [from, to), in seconds.
    double seconds(std::uint64_t from, std::uint64_t to) const {
        if (from == 0) return last_before(to).seconds_at(to);
        auto at = std::upper_bound(changes_.begin(), changes_.end(), from,
                                   [](std::uint64_t c, const auto& s) { return c < s.cycle; });
        double sum = 0;
        for (; at != changes_.end() && at->cycle < to; from = at++->cycle)
            sum += static_cast<double>(at->cycle - from) / (at - 1)->hertz;
        return sum + static_cast<double>(to - from) / (at - 1)->hertz;
    }
    /// The mean frequency over the core cycles [from, to).
    double mean_hertz(std::uint64_t from, std::uint64_t to) const {
        return is_constant() || from >= to ? hertz()
                                           : static_cast<double>(to - from) / seconds(from, to);
    }

private:
    struct step {
        std::uint64_t cycle;
        double hertz;
        double seconds;  ///< from the start to this cycle

        double seconds_at(std::uint64_t later) const {
            return seconds + static_cast<double>(later - cycle) / hertz;
        }
    };
    const step& last_before(std::uint64_t cycle) const {
        const auto next =
            std::lower_bound(changes_.begin() + 1, changes_.end(), cycle,
                             [](const step& s, std::uint64_t c) { return s.cycle < c; });
        return *(next - 1);
    }
    std::vector<step> changes_;  ///< by cycle
};

}  // namespace simtlm::power

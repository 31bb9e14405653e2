// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/exact_clock.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::simulation {

/// Models the clocks of a simulator that accumulates periods in double precision and lets the
/// clocks with the smallest sum tick next (quirk rounded-clocks): edges that nominally coincide are
/// separate, in either order, if their sums have been rounded differently. An edge occurs at its
/// sum, or at the earliest time after the previous edge that the time resolution allows. A clock
/// falls half-way to the next rising edge of any of the clocks.
class rounded_clocks {
public:
    /// A clock.
    struct member {
        const char* name;
        double frequency;  ///< Hz
    };

    /// @param members  at most 32
    explicit rounded_clocks(const std::vector<member>& members);
    ~rounded_clocks();

    computed_clock& operator[](std::size_t c);

private:
    class clock;
    /// A time at which some of the clocks rise.
    struct step {
        std::uint64_t time;    // in units of the time resolution
        std::uint32_t rising;  // one bit per clock
    };

    std::uint64_t ticks(double seconds) const;
    const step& at(std::uint64_t number);
    std::uint64_t middle(std::uint64_t number);
    void add_step();
    void drop();

    double resolution_;                   // seconds
    std::vector<double> periods_, sums_;  // seconds
    std::deque<step> steps_;              // those that some clock has not passed yet
    std::uint64_t first_ = 0;             // number of the first of them
    std::vector<std::unique_ptr<clock>> clocks_;
};

}  // namespace simtlm::simulation

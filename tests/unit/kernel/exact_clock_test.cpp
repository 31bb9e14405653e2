// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/exact_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace simtlm;

/// Notes when a clock rises.
class edge_log : public sc_core::sc_module {
public:
    sc_core::sc_in<bool> clock;
    std::vector<sc_core::sc_time> edges;

    explicit edge_log(const sc_core::sc_module_name& name) : sc_module(name) {
        using SC_CURRENT_USER_MODULE = edge_log;
        SC_METHOD(note);
        sensitive << clock.pos();
        dont_initialize();
    }

private:
    void note() { edges.push_back(sc_core::sc_time_stamp()); }
};

TEST(ExactClock, RisesAtWholePeriodsRoundedToTheResolutionWithoutDrift) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    kernel::exact_clock clock("clock", 1132e6);
    edge_log log("log");
    log.clock.bind(clock.signal);
    sc_core::sc_start(50, sc_core::SC_US);
    ASSERT_GE(log.edges.size(), 56600U);
    for (const std::size_t n : {1U, 566U, 30000U, 56599U})
        EXPECT_NEAR(log.edges[n].to_seconds(), static_cast<double>(n) / 1132e6, 1e-15) << n;
}

TEST(ExactClock, CoincidesWithARelatedClockAgainAndAgain) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    kernel::exact_clock fast("fast", 1132e6), slow("slow", 850e6);
    edge_log a("a"), b("b");
    a.clock.bind(fast.signal);
    b.clock.bind(slow.signal);
    sc_core::sc_start(20, sc_core::SC_US);
    for (std::size_t k = 1; k < 40; ++k)
        EXPECT_EQ(a.edges[k * 566], b.edges[k * 425]) << "after " << k << " common periods";
}

TEST(ExactClock, KeepsCoincidentEdgesApartByTheRoundingOfSumsWhenAsked) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    kernel::exact_clock leader("leader", 1132e6), follower("follower", 850e6, 1132e6);
    edge_log a("a"), b("b");
    a.clock.bind(leader.signal);
    b.clock.bind(follower.signal);
    sc_core::sc_start(20, sc_core::SC_US);
    double leader_sum = 0, follower_sum = 0;
    std::size_t n = 0, m = 0;
    for (std::size_t k = 1; k < 40; ++k) {
        for (; n < k * 566; ++n) leader_sum += 1 / 1132e6;
        for (; m < k * 425; ++m) follower_sum += 1 / 850e6;
        const auto later = static_cast<std::int64_t>(b.edges[m].value()) -
                           static_cast<std::int64_t>(a.edges[n].value());
        EXPECT_EQ(later, follower_sum > leader_sum ? 1 : follower_sum < leader_sum ? -1 : 0) << k;
    }
}

}  // namespace

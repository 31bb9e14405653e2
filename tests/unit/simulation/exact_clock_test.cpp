// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/exact_clock.h"

#include "modules/simulation/rounded_clocks.h"
#include "modules/simulation/spawn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace simtlm;

/// Records the rising edges of a clock.
class edge_log : public sc_core::sc_module {
public:
    sc_core::sc_in<bool> clock;
    std::vector<sc_core::sc_time> edges;

    explicit edge_log(const sc_core::sc_module_name& name) : sc_module(name) {
        simulation::spawn_method("note", [this] { note(); }, {clock.pos()});
    }

private:
    void note() { edges.push_back(sc_core::sc_time_stamp()); }
};

TEST(ExactClock, RisesAtWholePeriodsRoundedToTheResolutionWithoutDrift) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    simulation::exact_clock clock("clock", 1132e6);
    edge_log log("log");
    log.clock.bind(clock);
    sc_core::sc_start(50, sc_core::SC_US);
    ASSERT_GE(log.edges.size(), 56600U);
    for (const std::size_t n : {1U, 566U, 30000U, 56599U})
        EXPECT_NEAR(log.edges[n].to_seconds(), static_cast<double>(n) / 1132e6, 1e-15) << n;
}

TEST(ExactClock, IsAnScClockForBindingListingAndTracing) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    simulation::exact_clock clock("clock", 1132e6);
    EXPECT_STREQ(clock.kind(), "sc_clock");
    EXPECT_EQ(sc_core::sc_find_object("clock"), &clock);
    sc_core::sc_clock& as_clock = clock;
    EXPECT_EQ(as_clock.period(), sc_core::sc_time(883392, sc_core::SC_FS));
    EXPECT_TRUE(as_clock.posedge_first());
    EXPECT_DOUBLE_EQ(as_clock.duty_cycle(), 0.5);
    edge_log log("log");
    log.clock.bind(as_clock);
    sc_core::sc_start(sc_core::sc_time(441695, sc_core::SC_FS));
    EXPECT_TRUE(log.clock.read());
    sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_FS));
    EXPECT_FALSE(log.clock.read()) << "half of the period is over";
}

TEST(ExactClock, FallsHalfWayBetweenItsRisingEdges) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    simulation::exact_clock clock("clock", 850e6);
    std::vector<double> falls;
    simulation::spawn_method("note",
                             [&] { falls.push_back(sc_core::sc_time_stamp().to_seconds()); },
                             {clock.negedge_event()});
    sc_core::sc_start(10, sc_core::SC_US);
    ASSERT_EQ(falls.size(), 8500u);
    for (const std::size_t n : {0U, 1U, 4711U, 8499U})
        EXPECT_NEAR(falls[n], (static_cast<double>(n) + 0.5) / 850e6, 1e-15) << n;
}

TEST(ExactClock, OmitsFallingEdgesUntilItsLevelMatters) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    simulation::exact_clock high("high", 1000e6), low("low", 1000e6), heard("heard", 1000e6);
    edge_log a("a"), b("b"), c("c");
    a.clock.bind(high);
    b.clock.bind(low);
    c.clock.bind(heard);
    const auto deltas_of = [](const sc_core::sc_time& span) {
        const sc_dt::uint64 before = sc_core::sc_delta_count();
        sc_core::sc_start(span);
        return sc_core::sc_delta_count() - before;
    };
    const sc_dt::uint64 without_falls = deltas_of(sc_core::sc_time(100.25, sc_core::SC_NS));
    EXPECT_TRUE(high.read());
    std::vector<double> falls;
    simulation::spawn_method("note",
                             [&] { falls.push_back(sc_core::sc_time_stamp().to_seconds()); },
                             {heard.negedge_event()});
    sc_core::sc_start(sc_core::sc_time(0.5, sc_core::SC_NS));
    EXPECT_FALSE(high.read());
    EXPECT_FALSE(low.read());
    sc_core::sc_start(sc_core::sc_time(0.5, sc_core::SC_NS));
    EXPECT_TRUE(high.read());
    EXPECT_TRUE(low.read());
    ASSERT_EQ(falls.size(), 1u);
    EXPECT_NEAR(falls[0], 100.5e-9, 2e-15);
    EXPECT_GT(deltas_of(sc_core::sc_time(100, sc_core::SC_NS)), without_falls * 4 / 3);
    for (const edge_log* log : {&a, &b, &c}) {
        ASSERT_EQ(log->edges.size(), 202u);
        for (std::size_t n = 0; n < log->edges.size(); ++n)
            EXPECT_NEAR(log->edges[n].to_seconds(), static_cast<double>(n) * 1e-9, 2e-15);
    }
}

TEST(ExactClock, TakesANewFrequencyFromTheGivenEdgeWithoutDrift) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    simulation::exact_clock clock("clock", 1000e6);
    edge_log log("log");
    log.clock.bind(clock);
    sc_core::sc_start(sc_core::sc_time(10.25, sc_core::SC_NS));
    clock.set_frequency(700e6, 13);
    EXPECT_EQ(clock.rising_edge(3, ~std::uint64_t{0}), 13000000u) << "edge 13";
    EXPECT_EQ(clock.rising_edge(4, ~std::uint64_t{0}), 14428571u);
    sc_core::sc_start(sc_core::sc_time(30, sc_core::SC_NS));
    const std::size_t from = log.edges.size() + 2;
    clock.set_frequency(1400e6, from);
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
    const auto period = [&](std::size_t n) {
        return (log.edges[n + 1] - log.edges[n]).to_seconds();
    };
    EXPECT_NEAR(period(12), 1e-9, 2e-15);
    EXPECT_NEAR(period(13), 1 / 700e6, 2e-15);
    EXPECT_NEAR(period(from - 1), 1 / 700e6, 2e-15);
    EXPECT_NEAR(period(from), 1 / 1400e6, 2e-15);
    EXPECT_NEAR((log.edges[from + 20000] - log.edges[from]).to_seconds(), 20000 / 1400e6, 2e-15);
}

TEST(ExactClock, CoincidesPeriodicallyWithARelatedClock) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    simulation::exact_clock fast("fast", 1132e6), slow("slow", 850e6);
    edge_log a("a"), b("b");
    a.clock.bind(fast);
    b.clock.bind(slow);
    sc_core::sc_start(20, sc_core::SC_US);
    for (std::size_t k = 1; k < 40; ++k)
        EXPECT_EQ(a.edges[k * 566], b.edges[k * 425]) << "after " << k << " common periods";
}

TEST(RoundedClocks, TickInTheOrderOfTheSumsOfTheirPeriods) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    const std::vector<double> frequencies{1132e6, 566e6, 1132e6, 850e6};
    simulation::rounded_clocks clocks({{"core", frequencies[0]},
                                       {"icnt", frequencies[1]},
                                       {"l2", frequencies[2]},
                                       {"dram", frequencies[3]}});
    std::vector<std::unique_ptr<edge_log>> logs;
    for (unsigned c = 0; c < 4; ++c) {
        logs.push_back(std::make_unique<edge_log>(("log" + std::to_string(c)).c_str()));
        logs.back()->clock.bind(clocks[c]);
    }
    sc_core::sc_start(20, sc_core::SC_US);
    std::vector<double> sums(4);
    std::vector<std::size_t> n(4);
    sc_core::sc_time before;
    std::size_t apart = 0;
    for (unsigned step = 0; step < 20000; ++step) {
        const double now = *std::min_element(sums.begin(), sums.end());
        sc_core::sc_time at;
        for (unsigned c = 0; c < 4; ++c) {
            if (sums[c] != now) continue;
            const sc_core::sc_time edge = logs[c]->edges.at(n[c]++);
            if (at != sc_core::SC_ZERO_TIME) {
                ASSERT_EQ(edge, at) << "they tick together";
            }
            at = edge;
            sums[c] += 1 / frequencies[c];
        }
        ASSERT_NEAR(at.to_seconds(), now, 1e-14);
        if (step > 0) {
            ASSERT_GT(at, before);
        }
        apart += step > 0 && (at - before).value() < 10 ? 1 : 0;
        before = at;
    }
    EXPECT_GT(apart, 0u) << "some sums differ by no more than rounding";
}

}  // namespace

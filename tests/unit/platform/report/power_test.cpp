// SPDX-License-Identifier: Apache-2.0
// Clock, voltage and temperature of the power model.
#include "modules/cache/cache_statistics.h"
#include "modules/power/activity_reader.h"
#include "modules/power/clock_governor.h"
#include "modules/power/thermal_node.h"

#include <gtest/gtest.h>

namespace simtlm::power {
namespace {

energy_table table_with_curve() {
    energy_table table;
    table.curve = {{500, 0.5}, {1000, 1.0}};
    return table;
}

/// A window of 10 microseconds in which a component takes power.
energy_meter::window window_of(component c, double watts, double hertz) {
    energy_meter::window w;
    w.seconds = 10e-6;
    w.at.hertz = hertz;
    w.picojoules[static_cast<unsigned>(c)] = watts * w.seconds * 1e12;
    return w;
}

clock_governor::settings limit_of(double watts) {
    clock_governor::settings how;
    how.limit_watts = watts;
    how.interval = 20e-6;
    how.highest = 1e9;
    how.step = 10e6;
    return how;
}

TEST(ClockGovernor, TakesTheHighestClockAtWhichTheWorkWouldHaveStayedWithinTheLimit) {
    const energy_table table = table_with_curve();
    clock_governor governor(table, limit_of(72.9));
    EXPECT_FALSE(governor.add(window_of(component::fp32, 100, 1e9)))
        << "the interval has not ended";
    EXPECT_TRUE(governor.add(window_of(component::fp32, 100, 1e9)));
    EXPECT_DOUBLE_EQ(governor.hertz(), 900e6) << "0.9 of the clock and of the voltage: 0.729";
    for (int i = 0; i < 4; ++i) governor.add(window_of(component::fp32, 50, 900e6));
    EXPECT_DOUBLE_EQ(governor.hertz(), 1e9) << "returns, with less power";
}

TEST(ClockGovernor, DoesNotGoBelowTheVoltageCurve) {
    const energy_table table = table_with_curve();
    clock_governor governor(table, limit_of(1));
    for (int i = 0; i < 4; ++i) governor.add(window_of(component::fp32, 100, governor.hertz()));
    EXPECT_DOUBLE_EQ(governor.hertz(), 500e6);
}

TEST(ClockGovernor, KnowsThatMemoryAndBoardHaveAnotherVoltageAndLeakageNoClock) {
    const energy_table table = table_with_curve();
    for (const component c : {component::dram, component::constant}) {
        clock_governor governor(table, limit_of(99));
        for (int i = 0; i < 2; ++i) governor.add(window_of(c, 100, 1e9));
        EXPECT_DOUBLE_EQ(governor.hertz(), 500e6) << "no clock helps";
    }
    clock_governor governor(table, limit_of(80));
    for (int i = 0; i < 2; ++i) governor.add(window_of(component::static_power, 100, 1e9));
    EXPECT_DOUBLE_EQ(governor.hertz(), 800e6) << "proportional to the voltage";
}

TEST(ClockHistory, ConvertsCyclesToTimeAcrossChanges) {
    clock_history clock(1e9);
    EXPECT_TRUE(clock.is_constant());
    EXPECT_DOUBLE_EQ(clock.mean_hertz(7, 7), 1e9);
    clock.change(1000, 500e6);
    clock.change(2000, 250e6);
    EXPECT_DOUBLE_EQ(clock.seconds(0, 1000), 1e-6);
    EXPECT_DOUBLE_EQ(clock.seconds(500, 2500), 0.5e-6 + 2e-6 + 2e-6);
    EXPECT_DOUBLE_EQ(clock.seconds(2100, 2100), 0);
    EXPECT_DOUBLE_EQ(clock.seconds(0, 0), 0);
    EXPECT_DOUBLE_EQ(clock.seconds(0, 2500), 1e-6 + 2e-6 + 2e-6);
    EXPECT_DOUBLE_EQ(clock.mean_hertz(1000, 3000), 2000 / 6e-6);
    EXPECT_DOUBLE_EQ(clock.hertz(), 250e6);
}

TEST(ThermalNode, ApproachesTheTemperatureOfItsPowerWithItsTimeConstant) {
    thermal_node die({0.1, 2, 25}, 25);
    die.heat(300, 0.2);  // one time constant
    EXPECT_NEAR(die.celsius(), 25 + 30 * (1 - std::exp(-1)), 1e-9);
    die.heat(300, 100);
    EXPECT_NEAR(die.celsius(), 55, 1e-9);
    thermal_node light({0.1, 0, 25}, 90);
    light.heat(100, 1e-9);
    EXPECT_DOUBLE_EQ(light.celsius(), 35) << "no capacity";
}

TEST(EnergyTable, ScalesWithVoltageAndTemperature) {
    energy_table table = table_with_curve();
    EXPECT_DOUBLE_EQ(table.voltage_factor(component::fp32, 0.8), 0.64);
    EXPECT_DOUBLE_EQ(table.voltage_factor(component::static_power, 0.8), 0.8);
    EXPECT_DOUBLE_EQ(table.voltage_factor(component::dram, 0.8), 1);
    table.board_on_core_rail = true;  // AccelWattch
    EXPECT_DOUBLE_EQ(table.voltage_factor(component::dram, 0.8), 0.64);
    EXPECT_DOUBLE_EQ(table.leakage_factor(table.reference_celsius), 1);
    EXPECT_DOUBLE_EQ(table.leakage_factor(table.reference_celsius + table.leakage_doubling), 2);
}

/// The L1D's part of the activity of a GPU whose only block is an L1D.
activity_counts activity_of(const cache::cache_statistics& l1d, bool quirk) {
    support::statistics list;
    list.add("gpu.l1d", "l1d", l1d);
    gpu_parameters parameters;
    parameters.quirk_merges_reduce_misses = quirk;
    return activity_reader(list, parameters, {}).read(0);
}

TEST(ActivityReader, CountsAnAccessThatJoinsAPendingMissAsAHitAndNotAsAMiss) {
    cache::cache_statistics l1d;
    const auto count = [&](cache::access_outcome o, std::uint64_t n) {
        l1d.outcomes[static_cast<unsigned>(protocol::access_type::global_read)]
                    [static_cast<unsigned>(o)] = n;
    };
    count(cache::access_outcome::hit, 5);
    count(cache::access_outcome::hit_reserved, 40);
    count(cache::access_outcome::miss, 7);
    count(cache::access_outcome::sector_miss, 3);
    count(cache::access_outcome::mshr_hit, 41);  // one of them after its line was replaced: a miss
    const activity_counts a = activity_of(l1d, false);
    EXPECT_EQ(a[activity::l1_read_hits], 46);
    EXPECT_EQ(a[activity::l1_read_misses], 9);
    const activity_counts reference = activity_of(l1d, true);
    EXPECT_EQ(reference[activity::l1_read_hits], 46);
    EXPECT_EQ(reference[activity::l1_read_misses], -31) << "as AccelWattch counts";
}

}  // namespace
}  // namespace simtlm::power

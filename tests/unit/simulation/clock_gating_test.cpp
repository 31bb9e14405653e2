// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/clocked_process.h"
#include "modules/simulation/exact_clock.h"
#include "modules/simulation/rounded_clocks.h"
#include "modules/simulation/spawn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace simtlm::simulation {
namespace {

constexpr double frequencies[] = {1132e6, 566e6, 850e6};

/// Clocks of given frequencies, computed or sc_clock.
class clock_set {
public:
    explicit clock_set(bool rounded) {
        std::vector<rounded_clocks::member> members;
        for (unsigned d = 0; d < std::size(frequencies); ++d) {
            names_.push_back(sc_core::sc_gen_unique_name("clock"));
            members.push_back({names_[d].c_str(), frequencies[d]});
        }
        if (rounded) {
            rounded_ = std::make_unique<rounded_clocks>(members);
            return;
        }
        for (const auto& m : members)
            exact_.push_back(std::make_unique<exact_clock>(m.name, m.frequency));
    }
    computed_clock& operator[](unsigned d) { return rounded_ ? (*rounded_)[d] : *exact_[d]; }
    exact_clock& exact(unsigned d) { return *exact_[d]; }

private:
    std::vector<std::string> names_;
    std::unique_ptr<rounded_clocks> rounded_;
    std::vector<std::unique_ptr<exact_clock>> exact_;
};

/// When a process ran: femtoseconds, process, and cycle of its domain.
using run = std::tuple<std::uint64_t, unsigned, std::uint64_t>;

/// A process that sleeps for random times, and occasionally wakes one of another phase.
class sleeper : public sc_core::sc_module {
public:
    clocked_process process;
    sleeper* other = nullptr;

    sleeper(const sc_core::sc_module_name& name, phase_sequencer& sequencer, unsigned number,
            std::vector<run>& log)
        : sc_module(name),
          process("process", sequencer, number, on_edge<&sleeper::cycle>(this), true),
          number_(number),
          log_(log),
          random_(number) {}

    /// Wakes it from outside.
    void call() {
        called_ = true;
        process.wake();
    }

private:
    void cycle() {
        log_.emplace_back(sc_core::sc_time_stamp().value(), number_, process.now());
        if (process.now() < due_ && !std::exchange(called_, false)) return process.sleep();
        const auto choice = random_() % 8;
        if (choice == 0) return;  // runs again in the next cycle
        if (choice == 1) {
            other->called_ = true;
            other->process.wake();
        }
        constexpr unsigned longest[] = {3, 30, 300, 5000};
        due_ = process.now() + 1 + random_() % longest[choice % 4];
        process.sleep_until(due_);
    }
    unsigned number_;
    std::vector<run>& log_;
    std::mt19937 random_;
    std::uint64_t due_ = 0;  // earlier timers stay pending
    bool called_ = false;
};

/// A design of three domains with gated or ungated clocks.
struct design : sc_core::sc_module {
    clock_set clocks;
    phase_sequencer sequencer;
    std::vector<run> log;
    std::vector<std::unique_ptr<sleeper>> sleepers;

    design(const sc_core::sc_module_name& name, bool rounded, bool gated, unsigned processes,
           std::function<std::uint64_t()> limit = {})
        : sc_module(name),
          clocks(rounded),
          sequencer("sequencer", 3, {{0, "a"}, {1, "b"}, {2, "c"}, {0, "d"}}) {
        std::vector<computed_clock*> all;
        for (unsigned d = 0; d < 3; ++d) {
            sequencer.clock[d].bind(clocks[d]);
            all.push_back(&clocks[d]);
        }
        if (gated) sequencer.gate(all, std::move(limit));
        for (unsigned n = 0; n < processes; ++n)
            sleepers.push_back(std::make_unique<sleeper>(("sleeper" + std::to_string(n)).c_str(),
                                                         sequencer, n, log));
        for (unsigned n = 0; n < processes; ++n)
            sleepers[n]->other = sleepers[(n + 1) % processes].get();
    }
};

class ClockGating : public ::testing::TestWithParam<bool> {};

TEST_P(ClockGating, ChangesNothingButTheNumberOfSteps) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    design gated("gated", GetParam(), true, 4), free("free", GetParam(), false, 4);
    sc_core::sc_start(300, sc_core::SC_US);
    ASSERT_GT(free.log.size(), 1000u);
    const auto [ours, theirs] =
        std::mismatch(gated.log.begin(), gated.log.end(), free.log.begin(), free.log.end());
    EXPECT_TRUE(ours == gated.log.end() && theirs == free.log.end())
        << "run " << ours - gated.log.begin() << " of " << free.log.size() << ": "
        << ::testing::PrintToString(*ours) << " for " << ::testing::PrintToString(*theirs);
    EXPECT_LT(gated.sequencer.steps(), free.sequencer.steps() / 10);
}

/// Changes the clocks of two domains after every 777th edge of the first one.
class clock_changer : public step_observer {
public:
    explicit clock_changer(design& d) : design_(d) { d.sequencer.observe_at(this, 777); }
    std::vector<std::uint64_t> times;  ///< of calls, in edges of the first domain

private:
    void step_ended(unsigned) override {
        phase_sequencer& s = design_.sequencer;
        times.push_back(s.edges(0));
        constexpr double factors[] = {0.31, 0.7, 1};
        for (unsigned d = 0; d < 2; ++d)
            design_.clocks.exact(d).set_frequency(frequencies[d] * factors[times.size() % 3],
                                                  s.edges(d) + 2);
        s.observe_at(this, s.edges(0) + 777);
    }
    design& design_;
};

TEST(ChangingClocks, ChangeAtTheSameEdgesWhetherGatedOrNot) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    design gated("gated", false, true, 4), free("free", false, false, 4);
    clock_changer of_gated(gated), of_free(free);
    sc_core::sc_start(300, sc_core::SC_US);
    ASSERT_GT(of_free.times.size(), 100u);
    EXPECT_EQ(of_free.times.back(), of_free.times.size() * 777);
    EXPECT_EQ(of_gated.times, of_free.times);
    EXPECT_EQ(gated.log, free.log);
    EXPECT_LT(gated.sequencer.steps(), free.sequencer.steps() / 10);
}

TEST_P(ClockGating, ChangesNothingForAHostWithDeclaredWakeTimes) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    std::uint64_t next = 0;
    design gated("gated", GetParam(), true, 3, [&] { return next; });
    design free("free", GetParam(), false, 3);
    std::mt19937 random(5);
    for (unsigned i = 0; i < 200; ++i) {
        const std::uint64_t step = 1 + random() % 4'000'000'000;
        next = sc_core::sc_time_stamp().value() + step;
        sc_core::sc_start(sc_core::sc_time::from_value(step));
        for (design* d : {&gated, &free}) d->sleepers[i % d->sleepers.size()]->call();
    }
    ASSERT_GT(free.log.size(), 200u);
    EXPECT_EQ(gated.log, free.log);
    EXPECT_LT(gated.sequencer.steps(), free.sequencer.steps() / 10);
}

TEST_P(ClockGating, CountsSuppressedEdges) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    design gated("gated", GetParam(), true, 1);
    sc_core::sc_start(300, sc_core::SC_US);
    const auto [time, who, cycle] = gated.log.back();
    EXPECT_NEAR(static_cast<double>(cycle), static_cast<double>(time) * 1e-15 * frequencies[0], 1);
    for (unsigned d = 0; d < 3; ++d)  // up to an edge in the future
        EXPECT_GE(static_cast<double>(gated.sequencer.edges(d)), 300e-6 * frequencies[d] - 1) << d;
}

TEST_P(ClockGating, KeepsAClockLowFromItsFallingEdgeOn) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    clock_set clocks(GetParam());
    std::vector<std::uint64_t> rises, falls;
    const auto now = [] { return sc_core::sc_time_stamp().value(); };
    std::uint64_t tenth = 0;
    spawn_method("rise",
                 [&] {
                     rises.push_back(now());
                     if (rises.size() != 3) return;
                     tenth = clocks[0].rising_edge(10, ~std::uint64_t{0});
                     EXPECT_EQ(clocks[0].rising_edge(10, tenth - 1), tenth - 1) << "the limit";
                     EXPECT_EQ(clocks[0].gate_until(tenth), 9u);
                     EXPECT_EQ(clocks[0].rising_edge(1, ~std::uint64_t{0}), tenth);
                     EXPECT_EQ(clocks[0].gate_until(tenth), 0u) << "nothing is left to be left out";
                 },
                 {clocks[0].posedge_event()});
    spawn_method("fall", [&] { falls.push_back(now()); }, {clocks[0].negedge_event()});
    sc_core::sc_start(15, sc_core::SC_NS);
    ASSERT_GE(rises.size(), 5u);
    EXPECT_EQ(rises[3], tenth);
    EXPECT_NEAR(static_cast<double>(tenth), 12e15 / frequencies[0], 3);
    EXPECT_NEAR(static_cast<double>(rises[4]), 13e15 / frequencies[0], 3);
    EXPECT_LT(falls[2], rises[2] + 1'000'000) << "falls as ever";
    EXPECT_GT(falls[3], tenth) << "and not again before it has risen";
}

TEST(ClockGatingOfADesign, DoesNotGateWithoutATimer) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    design gated("gated", false, true, 0);
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_GT(gated.sequencer.steps(), 1131u);
}

TEST(ClockGatingOfADesign, SkipsIdleCyclesBetweenDeclaredHostTimes) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    constexpr std::uint64_t period = 1'000'000'000;  // 1 us
    design gated("gated", false, true, 0,
                 [] { return (sc_core::sc_time_stamp().value() / period + 1) * period; });
    sc_core::sc_start(100, sc_core::SC_US);
    EXPECT_LT(gated.sequencer.steps(), 1000u);
    for (unsigned d = 0; d < 3; ++d)
        EXPECT_NEAR(static_cast<double>(gated.sequencer.edges(d)), 100e-6 * frequencies[d], 2) << d;
}

TEST(ClockGatingOfADesign, IsDisabledWhileStepsAreObserved) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    struct : phase_sequencer::step_observer {
        unsigned notifications = 0;
        void step_ended(unsigned ticked) override { notifications += ticked & 1u; }
    } watch;
    design gated("gated", false, true, 1);
    gated.sequencer.observe(&watch);
    sc_core::sc_start(10, sc_core::SC_US);
    EXPECT_NEAR(watch.notifications, 11320, 2);
}

INSTANTIATE_TEST_SUITE_P(Clocks, ClockGating, ::testing::Bool(),
                         [](const auto& about) { return about.param ? "Rounded" : "Exact"; });

}  // namespace
}  // namespace simtlm::simulation

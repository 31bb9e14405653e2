// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/simulation/sequencer_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::simulation {
namespace {

using ::testing::ElementsAre;

/// Processes that are called, that are SystemC threads, and that form a group.
class ClockedProcess : public testing::TestWithParam<way> {};
INSTANTIATE_TEST_SUITE_P(Ways, ClockedProcess,
                         testing::Values(way::called, way::threads, way::grouped),
                         [](const auto& w) { return name_of(w.param); });

TEST_P(ClockedProcess, SleepsUntilItIsWoken) {
    sequencer_rig rig("rig", {1000}, {{0, "early"}, {0, "late"}}, {}, GetParam());
    recorder waker("waker", rig.sequencer, 0), sleeper("sleeper", rig.sequencer, 1, false);
    sleeper.then = [](recorder& r) { r.process.sleep(); };
    waker.then = [&](recorder& r) {
        EXPECT_FALSE(sleeper.process.awake());
        if (r.process.now() == 2 || r.process.now() == 7) sleeper.process.wake();
    };
    rig.run_to(10);
    // Woken in an earlier phase: it runs at the same edge.
    EXPECT_THAT(sleeper.cycles, ElementsAre(2, 7));
}

TEST_P(ClockedProcess, RunsFromTheNextEdgeWhenALaterPhaseWakesIt) {
    sequencer_rig rig("rig", {1000}, {{0, "early"}, {0, "late"}}, {}, GetParam());
    recorder sleeper("sleeper", rig.sequencer, 0, false), waker("waker", rig.sequencer, 1);
    sleeper.then = [](recorder& r) { r.process.sleep(); };
    waker.then = [&](recorder& r) {
        if (r.process.now() == 2) sleeper.process.wake();
    };
    rig.run_to(10);
    EXPECT_THAT(sleeper.cycles, ElementsAre(3));
}

TEST_P(ClockedProcess, RunsFromTheNextEdgeWhenItWakesItself) {
    sequencer_rig rig("rig", {1000}, {{0, "only"}}, {}, GetParam());
    recorder r("r", rig.sequencer, 0);
    r.then = [](recorder& self) {
        self.process.sleep();
        if (self.process.now() < 3) self.process.wake();
    };
    rig.run_to(10);
    EXPECT_THAT(r.cycles, ElementsAre(0, 1, 2, 3));
}

TEST_P(ClockedProcess, RunsOnceIfWokenRepeatedly) {
    sequencer_rig rig("rig", {1000}, {{0, "early"}, {0, "late"}}, {}, GetParam());
    recorder waker("waker", rig.sequencer, 0), sleeper("sleeper", rig.sequencer, 1, false);
    sleeper.then = [](recorder& r) {
        r.process.sleep();
        r.process.sleep();
    };
    waker.then = [&](recorder& r) {
        if (r.process.now() != 4) return;
        for (int i = 0; i < 5; ++i) sleeper.process.wake();
        sleeper.process.wake_at(4);
    };
    rig.run_to(10);
    EXPECT_THAT(sleeper.cycles, ElementsAre(4));
    EXPECT_EQ(rig.sequencer.observed().activations[1], 1u);
}

TEST_P(ClockedProcess, WakesAtTheRequestedCycle) {
    // Around and beyond the 1024 cycles of the timer wheel, and the 64 of a group's.
    sequencer_rig rig("rig", {1000}, {{0, "only"}}, {}, GetParam());
    const std::vector<std::uint64_t> wanted = {0,    1,    5,    68,   131,  196,   1028, 1029,
                                               2053, 3078, 5126, 9222, 9223, 12000, 20000};
    recorder r("r", rig.sequencer, 0);
    std::size_t next = 1;
    r.then = [&](recorder& self) {
        if (next == wanted.size())
            self.process.sleep();
        else
            self.process.sleep_until(wanted[next++]);
    };
    rig.run_to(21000);
    EXPECT_EQ(r.cycles, wanted);
}

TEST_P(ClockedProcess, SeparatesTimersOfOneBucket) {
    sequencer_rig rig("rig", {1000}, {{0, "only"}}, {}, GetParam());
    recorder r("r", rig.sequencer, 0);
    r.then = [](recorder& self) {
        self.process.sleep();
        if (self.process.now() != 0) return;
        self.process.wake_at(7 + 2048);
        self.process.wake_at(7);
        self.process.wake_at(7 + 1024);
        self.process.wake_at(7);
    };
    rig.run_to(5000);
    EXPECT_THAT(r.cycles, ElementsAre(0, 7, 1031, 2055));
}

TEST_P(ClockedProcess, WakesImmediatelyIfTheCycleHasPassed) {
    sequencer_rig rig("rig", {1000}, {{0, "early"}, {0, "late"}}, {}, GetParam());
    recorder waker("waker", rig.sequencer, 0), sleeper("sleeper", rig.sequencer, 1, false);
    sleeper.then = [](recorder& r) { r.process.sleep(); };
    waker.then = [&](recorder& r) {
        if (r.process.now() == 5) sleeper.process.wake_at(3);
        if (r.process.now() == 8) sleeper.process.wake_at(8);
    };
    rig.run_to(10);
    EXPECT_THAT(sleeper.cycles, ElementsAre(5, 8));
}

TEST_P(ClockedProcess, StaysAwakeWhenItSleepsUntilTheNextCycle) {
    sequencer_rig rig("rig", {1000}, {{0, "only"}}, {}, GetParam());
    recorder r("r", rig.sequencer, 0);
    r.then = [](recorder& self) {
        self.process.sleep_until(self.process.now() + 1);
        EXPECT_TRUE(self.process.awake());
    };
    rig.run_to(3);
    EXPECT_EQ(r.cycles.size(), 3u);
}

TEST_P(ClockedProcess, MayBeWokenBeforeItsTimer) {
    sequencer_rig rig("rig", {1000}, {{0, "early"}, {0, "late"}}, {}, GetParam());
    recorder waker("waker", rig.sequencer, 0), sleeper("sleeper", rig.sequencer, 1, false);
    sleeper.then = [](recorder& r) { r.process.sleep(); };
    waker.then = [&](recorder& r) {
        if (r.process.now() == 0) sleeper.process.wake_at(6);
        if (r.process.now() == 3) sleeper.process.wake();
    };
    rig.run_to(10);
    EXPECT_THAT(sleeper.cycles, ElementsAre(3, 6));
}

TEST_P(ClockedProcess, CountsTheTimersOfItsOwnDomain) {
    sequencer_rig rig("rig", {1000, 3700}, {{0, "fast"}, {1, "slow"}}, {}, GetParam());
    recorder fast("fast", rig.sequencer, 0), slow("slow", rig.sequencer, 1);
    std::vector<unsigned> at;
    fast.then = slow.then = [&](recorder& r) {
        at.push_back(
            static_cast<unsigned>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS)));
        r.process.sleep_until(r.process.now() + 10);
    };
    rig.run_to(40);
    EXPECT_THAT(fast.cycles, ElementsAre(0, 10, 20, 30));
    EXPECT_THAT(slow.cycles, ElementsAre(0, 10));
    EXPECT_THAT(at, ElementsAre(0, 0, 10000, 20000, 30000, 37000));
}

TEST_P(ClockedProcess, RunsAgainOnThisEdgeForALaterSubPhase) {
    sequencer_rig rig("rig", {1000}, {{0, "turns"}}, {}, GetParam());
    recorder r("r", rig.sequencer, 0, true, 3);
    std::vector<unsigned> sub_phases;
    r.then = [&](recorder& self) {
        sub_phases.push_back(self.process.selected_sub_phase());
        self.process.select_sub_phase((self.process.selected_sub_phase() + 1) % 3);
    };
    rig.run_to(2);
    EXPECT_THAT(sub_phases, ElementsAre(0, 1, 2, 0, 1, 2));
    EXPECT_THAT(r.cycles, ElementsAre(0, 0, 0, 1, 1, 1));
}

TEST_P(ClockedProcess, StaysAsleepWhenItSelectsASubPhaseAsleep) {
    sequencer_rig rig("rig", {1000}, {{0, "turns"}}, {}, GetParam());
    recorder waker("waker", rig.sequencer, 0, true, 2), r("r", rig.sequencer, 0, false, 3);
    waker.process.select_sub_phase(1);
    r.then = [](recorder& self) { self.process.sleep(); };
    waker.then = [&](recorder& w) {
        EXPECT_TRUE(r.process.sub_phase_has_passed(0));
        EXPECT_TRUE(r.process.sub_phase_has_passed(1));
        EXPECT_FALSE(r.process.sub_phase_has_passed(2));
        if (w.process.now() == 1) r.process.select_sub_phase(2);
        if (w.process.now() == 2) r.process.wake();  // its phase is still to come
        if (w.process.now() == 4) {
            r.process.select_sub_phase(0);
            r.process.wake();  // its phase has passed
        }
    };
    rig.run_to(8);
    EXPECT_THAT(r.cycles, ElementsAre(2, 5));
}

TEST_P(ClockedProcess, RotatesTheFirstBlockBySubPhases) {
    // Three blocks that act successively, with rotating priority.
    sequencer_rig rig("rig", {1000}, {{0, "turns"}}, {}, GetParam());
    std::vector<std::unique_ptr<recorder>> blocks;
    std::string order;
    for (unsigned i = 0; i < 3; ++i) {
        blocks.push_back(std::make_unique<recorder>(("b" + std::to_string(i)).c_str(),
                                                    rig.sequencer, 0, true, 3));
        blocks[i]->process.select_sub_phase(i);
        blocks[i]->then = [&order, i, last = std::uint64_t{99}](recorder& r) mutable {
            const std::uint64_t now = r.process.now();
            if (last == now) return;  // has already run in this cycle
            last = now;
            order += static_cast<char>('0' + i);
            r.process.select_sub_phase((i + 3 - static_cast<unsigned>((now + 1) % 3)) % 3);
        };
    }
    rig.run_to(4);
    EXPECT_EQ(order, "012120201012");
}

TEST_P(ClockedProcess, PresentsSubPhasesAsOnePhaseToOtherBlocks) {
    // More members than bits in a word, sixteen in each sub-phase.
    constexpr unsigned members = 128, sub_phases = 8;
    sequencer_rig rig("rig", {1000}, {{0, "before"}, {0, "turns"}, {0, "after"}}, {}, GetParam());
    recorder after("after", rig.sequencer, 2), before("before", rig.sequencer, 0);
    std::vector<std::unique_ptr<recorder>> all;
    std::vector<unsigned> order;  // order in which the sub-phases ran
    for (unsigned i = 0; i < members; ++i) {
        all.push_back(std::make_unique<recorder>(("m" + std::to_string(i)).c_str(), rig.sequencer,
                                                 1, true, sub_phases));
        all.back()->process.select_sub_phase(i * 5 % sub_phases);
        all.back()->then = [&order](recorder& r) {
            order.push_back(r.process.selected_sub_phase());
        };
    }
    before.then = [&order](recorder&) { order.push_back(100); };
    after.then = [&order](recorder&) { order.push_back(200); };
    rig.run_to(1);
    std::vector<unsigned> expected{100};
    for (unsigned t = 0; t < sub_phases; ++t)
        expected.insert(expected.end(), members / sub_phases, t);
    expected.push_back(200);
    EXPECT_EQ(order, expected);
    EXPECT_EQ(rig.sequencer.activations(1), members);
    EXPECT_EQ(rig.sequencer.observed().deltas, GetParam() == way::grouped ? 1 : sub_phases + 2u);
}

TEST_P(ClockedProcess, KeepsSubPhaseOrderWhenProcessesAreShuffled) {
    phase_sequencer::options options;
    options.shuffle_seed = 3;
    sequencer_rig rig("rig", {1000}, {{0, "turns"}}, options, GetParam());
    std::vector<std::unique_ptr<recorder>> all;
    std::vector<unsigned> order;
    for (unsigned i = 0; i < 70; ++i) {
        all.push_back(std::make_unique<recorder>(("m" + std::to_string(i)).c_str(), rig.sequencer,
                                                 0, true, 70));
        all.back()->process.select_sub_phase(69 - i);
        all.back()->then = [&order, i](recorder&) { order.push_back(i); };
    }
    rig.run_to(1);
    ASSERT_EQ(order.size(), 70u);
    for (unsigned i = 0; i < 70; ++i) EXPECT_EQ(order[i], 69 - i);
}

}  // namespace
}  // namespace simtlm::simulation

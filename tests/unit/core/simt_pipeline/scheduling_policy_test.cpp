// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/scheduling_policy.h"

#include "modules/support/error.h"
#include "tests/unit/core/warps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::core::simt_pipeline {
namespace {

struct SchedulingPolicyTest : ::testing::Test {
    test::warps warps{8};
    scoreboard scores{warps.table};
    program::static_instruction nop = test::instruction(program::op_class::sp, {1}, {2});
    program::dynamic_instruction next;

    SchedulingPolicyTest() {
        warps.table.resident = 0xff;
        next.info = &nop;
        for (unsigned w = 0; w < 8; ++w) warps.table.warp[w].dynamic_id = w;
    }
    std::unique_ptr<scheduling_policy> make(const std::string& text, warp_mask mine = 0xff) {
        return make_scheduling_policy(text, warps.table, scores, mine);
    }
    /// The warps in the order in which a policy tries them.
    static std::vector<unsigned> order(scheduling_policy& p, warp_mask eligible) {
        std::vector<unsigned> result;
        for (warp_mask left = p.begin_cycle(eligible); left != 0;) {
            result.push_back(p.first(left));
            left &= ~warp_bit(result.back());
        }
        return result;
    }
};
using SchedulingPolicy = SchedulingPolicyTest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(SchedulingPolicy, LrrBeginsAfterTheWarpThatIssuedLast) {
    auto p = make("lrr");
    EXPECT_THAT(order(*p, 0b10110), ElementsAre(1, 2, 4));
    p->issued(2, 1);
    EXPECT_THAT(order(*p, 0b10110), ElementsAre(4, 1, 2));
    p->issued(7, 1);
    EXPECT_THAT(order(*p, 0b10110), ElementsAre(1, 2, 4));
    p->issued(0, 1);
    EXPECT_THAT(order(*p, 0b1), ElementsAre(0));
    EXPECT_FALSE(p->acts_when_idle());
}

TEST_F(SchedulingPolicy, LrrWrapsAtTheLastOfSixtyFourWarps) {
    test::warps many(64);
    const scoreboard s(many.table);
    auto p = make_scheduling_policy("lrr", many.table, s, ~warp_mask{0});
    p->issued(63, 1);
    EXPECT_EQ(p->first(warp_bit(63) | warp_bit(5)), 5u);
    p->issued(62, 1);
    EXPECT_EQ(p->first(warp_bit(63) | warp_bit(5)), 63u);
}

TEST_F(SchedulingPolicy, GtoStaysWithTheWarpThatIssuedLast) {
    auto p = make("gto");
    p->issued(5, 1);
    EXPECT_THAT(order(*p, 0b111010), ElementsAre(5, 1, 3, 4));
    EXPECT_THAT(order(*p, 0b011010), ElementsAre(1, 3, 4)) << "it cannot go on";
}

TEST_F(SchedulingPolicy, GtoPrefersTheWarpLaunchedFirst) {
    auto p = make("gto");
    warps.table.warp[1].dynamic_id = 100;  // a younger CTA occupies the slot
    warps.table.warp[0].dynamic_id = 101;
    p->issued(7, 1);
    EXPECT_THAT(order(*p, 0b1111), ElementsAre(2, 3, 1, 0));
}

TEST_F(SchedulingPolicy, OldestIsNotGreedy) {
    for (const char* name : {"old", "oldest"}) {
        auto p = make(name);
        p->issued(5, 1);
        EXPECT_THAT(order(*p, 0b111010), ElementsAre(1, 3, 4, 5));
    }
}

TEST_F(SchedulingPolicy, RrrSelectsOneWarp) {
    auto p = make("rrr");
    EXPECT_THAT(order(*p, 0b1111), ElementsAre(0));
    EXPECT_THAT(order(*p, 0b1110), IsEmpty()) << "the turn waits for its warp's instruction";
    p->issued(0, 1);
    EXPECT_THAT(order(*p, 0b1111), ElementsAre(1));
    warps.table.at_barrier = warp_bit(1) | warp_bit(2);
    EXPECT_THAT(order(*p, 0b1001), ElementsAre(3)) << "waiting passes the turn on";
    EXPECT_TRUE(p->acts_when_idle());
}

TEST_F(SchedulingPolicy, RrrReturnsToAStalledWarpBeforeAnyOtherIssues) {
    auto p = make("rrr");
    warps.table.at_barrier = warp_bit(0);
    EXPECT_THAT(order(*p, 0b1110), ElementsAre(1));
    warps.table.at_barrier = 0;
    EXPECT_THAT(order(*p, 0b1111), ElementsAre(0));
}

TEST_F(SchedulingPolicy, RrrOfGpgpuSimBeginsWithWarp0OnEveryScheduler) {
    auto p = make_scheduling_policy("rrr", warps.table, scores, 0b10101010, true);
    EXPECT_EQ(p->supervised(0b10101010), 0b10101011u);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(0));
    EXPECT_THAT(order(*p, 0xfe), IsEmpty()) << "it keeps to warp 0 until it issues";
    p->issued(0, 1);
    EXPECT_EQ(p->supervised(0b10101010), 0b10101010u);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(1));
}

TEST_F(SchedulingPolicy, RrrRotatesOverItsOwnWarps) {
    auto p = make("rrr", 0b10101010);
    std::vector<unsigned> turns;
    for (int i = 0; i < 6; ++i) {
        const auto o = order(*p, 0xff);
        ASSERT_EQ(o.size(), 1u);
        turns.push_back(o[0]);
        p->issued(o[0], 1);
    }
    EXPECT_THAT(turns, ElementsAre(1, 3, 5, 7, 1, 3));
}

TEST_F(SchedulingPolicy, TwoLevelIssuesActiveWarpsOnly) {
    auto p = make("two_level_active:3:0:1");
    EXPECT_THAT(order(*p, 0xff), ElementsAre(0, 1, 2));
    p->issued(0, 1);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(1, 2, 0)) << "in loose round robin";
    EXPECT_THAT(order(*p, 0b11111001), ElementsAre(0));
}

TEST_F(SchedulingPolicy, TwoLevelRotatesOncePerDualIssueExceptUnderTheQuirk) {
    auto p = make("two_level_active:3:0:1");
    p->issued(0, 2);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(1, 2, 0));
    const std::string two_level = "two_level_active:3:0:1";
    p = make_scheduling_policy(two_level, warps.table, scores, 0xff, false, true);
    p->issued(0, 2);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(2, 0, 1));
    p->issued(0, 2);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(0, 1, 2)) << "four places";
    p->issued(0, 1);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(1, 2, 0));
}

TEST_F(SchedulingPolicy, TwoLevelReplacesAWarpAtALongLatencyOperation) {
    auto p = make("two_level_active:3:0:1");
    program::static_instruction uses_9 = test::instruction(program::op_class::sp, {1}, {9});
    program::dynamic_instruction stuck;
    stuck.info = &uses_9;
    scores.reserve(1, test::load(9), program::memory_space::global);
    warps.table.warp[1].ibuffer.fill(&stuck, nullptr);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(0, 2, 3));
    warps.table.at_barrier = warp_bit(0);
    EXPECT_THAT(order(*p, 0xfe), ElementsAre(2, 3, 4));
    // Warp 1 has its data, but is at the end of the pending list: 5 6 7 1 0.
    scores.release(1, test::load(9));
    warps.table.at_barrier = warp_bit(2) | warp_bit(3) | warp_bit(4);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(5, 6, 7));
    warps.table.at_barrier = warp_bit(5);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(6, 7, 1));
}

TEST_F(SchedulingPolicy, TwoLevelKeepsAWarpDuringAShortHazard) {
    auto p = make("two_level_active:3:0:1");
    program::static_instruction uses_9 = test::instruction(program::op_class::sp, {1}, {9});
    program::dynamic_instruction stuck;
    stuck.info = &uses_9;
    scores.reserve(1, test::instruction(program::op_class::sp, {9}, {}),
                   program::memory_space::none);
    warps.table.warp[1].ibuffer.fill(&stuck, nullptr);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(0, 1, 2));
}

TEST_F(SchedulingPolicy, WarpLimitingIssuesTheOldestWarps) {
    auto p = make("warp_limiting:2:3");
    p->issued(0, 1);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(0, 1, 2));
    warps.table.at_barrier = warp_bit(1);
    EXPECT_THAT(order(*p, 0xfd), ElementsAre(0, 2, 3)) << "a waiting warp takes no place";
    // An oldest warp without an instruction still occupies a place.
    warps.table.at_barrier = 0;
    EXPECT_THAT(order(*p, 0b11111001), ElementsAre(0));
}

TEST_F(SchedulingPolicy, WarpLimitingContinuesTheGreedyWarp) {
    auto p = make("warp_limiting:2:2");
    p->issued(6, 1);
    EXPECT_THAT(order(*p, 0xff), ElementsAre(6, 0, 1));
}

TEST_F(SchedulingPolicy, RejectsAnUnknownPolicyByName) {
    for (const char* text : {"greedy", "", "two_level_active", "two_level_active:0:0:1",
                             "warp_limiting", "warp_limiting:2", "warp_limiting:2:0"})
        EXPECT_THROW(make(text), support::user_error) << text;
    try {
        make("fifo");
        FAIL();
    } catch (const support::user_error& e) {
        EXPECT_THAT(e.what(), ::testing::HasSubstr("no warp scheduler \"fifo\""));
        for (const std::string& name : scheduling_policy_names())
            EXPECT_THAT(e.what(), ::testing::HasSubstr(name));
    }
}

TEST_F(SchedulingPolicy, CanBeMadeForAnSmWithFewerWarpsThanSchedulers) {
    for (const std::string text :
         {"lrr", "rrr", "gto", "old", "two_level_active:4:0:1", "warp_limiting:2:2"}) {
        auto p = make(text, 0);
        EXPECT_THAT(order(*p, 0), IsEmpty()) << text;
    }
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

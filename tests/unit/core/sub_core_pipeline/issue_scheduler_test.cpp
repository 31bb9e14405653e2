// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/issue_scheduler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace simtlm::core::sub_core_pipeline {
namespace {

/// Warps that execute only dependent instructions, on one sub-core.
struct warps {
    issue_scheduler scheduler;
    std::vector<unsigned> left;
    std::vector<std::uint64_t> finished;

    warps(unsigned n, unsigned instructions, issue_policy policy = issue_policy::cggty)
        : scheduler(policy), left(n, instructions), finished(n, 0) {
        for (unsigned w = 0; w < n; ++w) scheduler.warp_starts(w);
    }
    std::string run(unsigned distance, std::uint64_t cycles) {
        std::string course;
        for (std::uint64_t now = 1; now <= cycles; ++now) {
            scheduler.advance(now);
            slot_mask ready = 0;
            for (unsigned w = 0; w < left.size(); ++w)
                if (left[w] != 0) ready |= slot_bit(w);
            if (ready == 0) break;
            const int w = scheduler.choose(ready, [](unsigned) { return true; });
            course += w < 0 ? '.' : static_cast<char>('A' + w);
            if (w < 0) continue;
            const auto slot = static_cast<unsigned>(w);
            scheduler.issued(slot);
            scheduler.stall(slot, now, now + distance);
            if (--left[slot] == 0) finished[slot] = now;
        }
        return course;
    }
};

TEST(IssueScheduler, ContinuesWithTheWarpThatIssuedWhileItIsEligible) {
    warps w(3, 4);
    EXPECT_EQ(w.run(1, 20), "CCCCBBBBAAAA");
}

TEST(IssueScheduler, SelectsTheYoungestWhenTheGreedyWarpStalls) {
    warps w(4, 2);
    EXPECT_EQ(w.run(4, 8), "DCBADCBA");
}

TEST(IssueScheduler, FourPrioritizedWarpsSaturateIssue) {
    // Measured on an H100 with chains of dependent FFMAs: 512 cycles per four warps of a sub-core;
    // a loose round robin of six would take 768.
    warps w(6, 128);
    w.run(4, 4000);
    EXPECT_EQ(w.finished[5], 1 + 4 * 127u);
    EXPECT_EQ(w.finished[2], 4 + 4 * 127u);
    EXPECT_GT(w.finished[1], 512u + 4 * 126u);
    EXPECT_LE(w.finished[0], 1030u);
}

TEST(IssueScheduler, SelectsWarpsByLooseRoundRobin) {
    EXPECT_EQ(warps(3, 3, issue_policy::lrr).run(1, 20), "ABCABCABC");
    // Six chains of dependent FFMAs share the sub-core: none is favoured.
    warps w(6, 128, issue_policy::lrr);
    w.run(4, 4000);
    for (const std::uint64_t f : w.finished) EXPECT_GT(f, 6 * 127u);
}

TEST(IssueScheduler, ContinuesWithAWarpAndThenRotates) {
    EXPECT_EQ(warps(3, 3, issue_policy::glrr).run(1, 20), "AAABBBCCC");
    EXPECT_EQ(warps(3, 3, issue_policy::glrr).run(2, 20), "ABCABCABC");
    issue_scheduler s(issue_policy::glrr);
    for (unsigned w = 0; w < 4; ++w) s.warp_starts(w);
    s.issued(2);
    EXPECT_EQ(s.choose(0b1111, [](unsigned) { return true; }), 2);
    EXPECT_EQ(s.choose(0b1111, [](unsigned w) { return w != 2; }), 3);
    EXPECT_EQ(s.choose(0b0011, [](unsigned) { return true; }), 0);
}

TEST(IssueScheduler, SkipsABusyUnitByLooseRoundRobin) {
    issue_scheduler s(issue_policy::lrr);
    for (unsigned w = 0; w < 4; ++w) s.warp_starts(w);
    s.issued(2);
    EXPECT_EQ(s.choose(0b0111, [](unsigned w) { return w != 0; }), 1);
    EXPECT_EQ(s.choose(0b1111, [](unsigned) { return true; }), 3);
    EXPECT_EQ(s.choose(0b1111, [](unsigned) { return false; }), -1);
}

TEST(IssueScheduler, SkipsAWarpWhoseUnitIsBusy) {
    issue_scheduler s;
    for (unsigned w = 0; w < 3; ++w) s.warp_starts(w);
    EXPECT_EQ(s.choose(0b111, [](unsigned w) { return w != 2; }), 1);
    s.issued(0);
    EXPECT_EQ(s.choose(0b111, [](unsigned) { return true; }), 0);
    EXPECT_EQ(s.choose(0b111, [](unsigned) { return false; }), -1);
}

TEST(IssueScheduler, ReleasesAWarpWhenItsStallCounterReachesZero) {
    issue_scheduler s;
    s.warp_starts(0);
    s.advance(10);
    s.stall(0, 10, 21);
    EXPECT_EQ(s.next_release(10), 21u);
    s.advance(20);
    EXPECT_EQ(s.stalled(), 1u);
    s.advance(21);
    EXPECT_EQ(s.stalled(), 0u);
    s.stall(0, 21, 66);
    s.advance(500);  // after a long sleep
    EXPECT_EQ(s.stalled(), 0u);
}

TEST(IssueScheduler, IgnoresAnExitedWarp) {
    issue_scheduler s;
    for (unsigned w = 0; w < 3; ++w) s.warp_starts(w);
    s.issued(2);
    s.warp_ends(2);
    EXPECT_EQ(s.last(), -1);
    EXPECT_EQ(s.choose(0b011, [](unsigned) { return true; }), 1);
    s.warp_starts(2);
    EXPECT_EQ(s.choose(0b111, [](unsigned) { return true; }), 2);
    EXPECT_EQ(s.youngest(0b011), 1u);
}

TEST(IssueDistance, FollowsTheStallCounterAndTheYieldBit) {
    EXPECT_EQ(issue_distance(1, false), 1u);
    EXPECT_EQ(issue_distance(4, false), 4u);
    EXPECT_EQ(issue_distance(11, false), 11u);
    EXPECT_EQ(issue_distance(12, false), 2u);  // above 11 without yield
    EXPECT_EQ(issue_distance(13, true), 13u);
    EXPECT_EQ(issue_distance(1, true), 2u);  // yield: not in the next cycle
    EXPECT_EQ(issue_distance(0, true), 45u);
}

}  // namespace
}  // namespace simtlm::core::sub_core_pipeline

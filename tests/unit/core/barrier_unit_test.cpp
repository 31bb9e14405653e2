// SPDX-License-Identifier: Apache-2.0
#include "modules/core/barrier_unit.h"

#include "tests/unit/core/warps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::core {
namespace {

using program::barrier_kind;

barrier_request bar(int id, int threads = 0, barrier_kind kind = barrier_kind::sync) {
    return {kind, id, threads};
}

struct BarrierUnitTest : ::testing::Test {
    test::warps warps{16};
    barrier_unit unit{warps.table, 4, 16};
    warp_mask waiting() const { return warps.table.at_barrier; }
};
using BarrierUnit = BarrierUnitTest;

TEST_F(BarrierUnit, ReleasesWarpsWhenTheLastWarpOfTheCtaArrives) {
    unit.allocate(0, 0b1111);
    for (unsigned w = 0; w < 3; ++w) {
        unit.arrive(0, w, bar(0));
        EXPECT_EQ(waiting(), (1u << (w + 1)) - 1);
    }
    EXPECT_TRUE(warps.issue_notified.empty());
    unit.arrive(0, 3, bar(0));
    EXPECT_EQ(waiting(), 0u);
    EXPECT_THAT(warps.issue_notified, ::testing::UnorderedElementsAre(0, 1, 2, 3));
}

TEST_F(BarrierUnit, IsReusableImmediately) {
    unit.allocate(0, 0b11);
    for (int round = 0; round < 5; ++round) {
        unit.arrive(0, 0, bar(0));
        EXPECT_EQ(waiting(), 1u);
        unit.arrive(0, 1, bar(0));
        EXPECT_EQ(waiting(), 0u);
    }
}

TEST_F(BarrierUnit, CountsAWarpTwiceThatArrivesAndThenWaits) {
    unit.allocate(0, 0b1111);
    for (const unsigned w : {0u, 1u}) unit.arrive(0, w, bar(9, 128, barrier_kind::arrive));
    unit.arrive(0, 0, bar(9, 128));
    EXPECT_EQ(waiting(), 0b0001u);
    unit.arrive(0, 1, bar(9, 128));
    EXPECT_EQ(waiting(), 0u);
}

TEST_F(BarrierUnit, SeparatesCtas) {
    unit.allocate(0, 0b0011);
    unit.allocate(1, 0b1100);
    unit.arrive(0, 0, bar(0));
    unit.arrive(1, 2, bar(0));
    unit.arrive(1, 3, bar(0));
    EXPECT_EQ(waiting(), 0b0001u);
}

TEST_F(BarrierUnit, SupportsSeveralNamedBarriersConcurrently) {
    unit.allocate(0, 0b111111);
    // Barrier 1 is for warps 0-1, barrier 2 for warps 2-3, barrier 3 for warps 4-5; arrivals are
    // interleaved.
    unit.arrive(0, 0, bar(1, 64));
    unit.arrive(0, 2, bar(2, 64));
    unit.arrive(0, 4, bar(3, 64));
    EXPECT_EQ(waiting(), 0b010101u);
    unit.arrive(0, 3, bar(2, 64));
    EXPECT_EQ(waiting(), 0b010001u);
    unit.arrive(0, 5, bar(3, 64));
    EXPECT_EQ(waiting(), 0b000001u);
    unit.arrive(0, 1, bar(1, 64));
    EXPECT_EQ(waiting(), 0u);
}

TEST_F(BarrierUnit, CountsAThreadCountInWholeWarps) {
    unit.allocate(0, 0b1111);
    unit.arrive(0, 0, bar(5, 96));
    unit.arrive(0, 1, bar(5, 96));
    EXPECT_EQ(waiting(), 0b11u);
    unit.arrive(0, 2, bar(5, 96));
    EXPECT_EQ(waiting(), 0u);
}

TEST_F(BarrierUnit, DoesNotBlockAWarpThatOnlyArrives) {
    unit.allocate(0, 0b1111);
    // Producers 2 and 3 arrive; consumers 0 and 1 wait for them.
    unit.arrive(0, 2, bar(1, 128, barrier_kind::arrive));
    unit.arrive(0, 0, bar(1, 128));
    EXPECT_EQ(waiting(), 0b0001u);
    unit.arrive(0, 3, bar(1, 128, barrier_kind::arrive));
    EXPECT_EQ(waiting(), 0b0001u);
    unit.arrive(0, 1, bar(1, 128));
    EXPECT_EQ(waiting(), 0u);
}

TEST_F(BarrierUnit, ReleasesWaitingWarpsWhenAnArrivalIsTheLast) {
    unit.allocate(0, 0b11);
    unit.arrive(0, 0, bar(1, 64));
    unit.arrive(0, 1, bar(1, 64, barrier_kind::arrive));
    EXPECT_EQ(waiting(), 0u);
    EXPECT_EQ(warps.issue_notified, std::vector<unsigned>{0});
}

TEST_F(BarrierUnit, DoesNotReleaseAProducerThatWaitsElsewhere) {
    unit.allocate(0, 0b111);
    unit.arrive(0, 2, bar(1, 64, barrier_kind::arrive));
    unit.arrive(0, 2, bar(2, 96));  // continues, and waits at another barrier
    unit.arrive(0, 0, bar(1, 64));  // opens barrier 1
    EXPECT_EQ(waiting(), 0b100u) << "warp 2 still waits at barrier 2";
}

TEST_F(BarrierUnit, BlocksReductions) {
    unit.allocate(0, 0b11);
    unit.arrive(0, 0, bar(0, 0, barrier_kind::reduction));
    EXPECT_EQ(waiting(), 1u);
    unit.arrive(0, 1, bar(0, 0, barrier_kind::reduction));
    EXPECT_EQ(waiting(), 0u);
}

TEST_F(BarrierUnit, DoesNotWaitForAnExitedWarp) {
    unit.allocate(0, 0b1111);
    unit.arrive(0, 0, bar(0));
    unit.arrive(0, 1, bar(0));
    unit.warp_ended(0, 3);
    EXPECT_EQ(waiting(), 0b11u);
    unit.warp_ended(0, 2);
    EXPECT_EQ(waiting(), 0u);
    // The remaining warps continue with a lower count.
    unit.arrive(0, 1, bar(0));
    EXPECT_EQ(waiting(), 0b10u);
    unit.arrive(0, 0, bar(0));
    EXPECT_EQ(waiting(), 0u);
}

TEST_F(BarrierUnit, CountsAnArrivalOfAWarpThatHasExitedSince) {
    unit.allocate(0, 0b111);
    unit.arrive(0, 2, bar(1, 64, barrier_kind::arrive));
    unit.warp_ended(0, 2);
    EXPECT_EQ(waiting(), 0u);
    unit.arrive(0, 0, bar(1, 64));
    EXPECT_EQ(waiting(), 0u) << "two warps have arrived";
}

TEST_F(BarrierUnit, DoesNotReleaseANamedBarrierWhenAnotherWarpExits) {
    unit.allocate(0, 0b1111);
    unit.arrive(0, 0, bar(1, 96));
    unit.arrive(0, 1, bar(1, 96));
    unit.warp_ended(0, 3);
    EXPECT_EQ(waiting(), 0b0011u) << "warp 2 is still to come";
}

TEST_F(BarrierUnit, BlocksEveryLiveWarpIfTheTraceHasNoBarrierName) {
    unit.allocate(0, 0b111);
    unit.arrive(0, 0, bar(-1));
    unit.arrive(0, 1, bar(0));  // a named barrier is independent
    EXPECT_EQ(waiting(), 0b011u);
    unit.arrive(0, 2, bar(-1));
    EXPECT_EQ(waiting(), 0b111u);
}

TEST_F(BarrierUnit, ClearsTheStateOfThePreviousCta) {
    unit.allocate(0, 0b11);
    unit.arrive(0, 0, bar(1, 64, barrier_kind::arrive));
    unit.deallocate(0);
    unit.allocate(0, 0b11);
    unit.arrive(0, 0, bar(1, 64));
    EXPECT_EQ(waiting(), 1u);
}

TEST_F(BarrierUnit, ReportsWaitingAndMissingWarps) {
    unit.allocate(0, 0b111);
    EXPECT_EQ(unit.describe(0), "");
    unit.arrive(0, 1, bar(3, 96));
    EXPECT_EQ(unit.describe(0), "    CTA slot 0 barrier 3: arrived warps 0x2, live warps 0x7\n");
}

}  // namespace
}  // namespace simtlm::core

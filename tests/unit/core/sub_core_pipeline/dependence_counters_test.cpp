// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/dependence_counters.h"

#include <gtest/gtest.h>

namespace simtlm::core::sub_core_pipeline {
namespace {

TEST(DependenceCounters, HoldAnInstructionUntilAllCountersOfItsMaskAreZero) {
    dependence_counters c;
    EXPECT_TRUE(c.ready(0x3f));
    c.increment(0);
    c.increment(3);
    c.increment(3);
    EXPECT_FALSE(c.ready(0b001001));
    EXPECT_TRUE(c.ready(0b110110));
    EXPECT_TRUE(c.decrement(0));
    EXPECT_FALSE(c.ready(0b001001));
    EXPECT_FALSE(c.decrement(3));
    EXPECT_TRUE(c.decrement(3));
    EXPECT_TRUE(c.ready(0b001001));
}

TEST(DependenceCounters, ReleaseDepbarAtOrBelowItsLimit) {
    dependence_counters c;
    for (int i = 0; i < 3; ++i) c.increment(2);
    c.increment(4);
    EXPECT_FALSE(c.at_most(2, 2, 0));
    c.decrement(2);
    EXPECT_TRUE(c.at_most(2, 2, 0));
    EXPECT_FALSE(c.at_most(2, 2, 1u << 4));
    c.decrement(4);
    EXPECT_TRUE(c.at_most(2, 2, 1u << 4));
}

TEST(DependenceCounters, AreFullAt63) {
    dependence_counters c;
    for (int i = 0; i < 62; ++i) c.increment(5);
    EXPECT_FALSE(c.full(5));
    c.increment(5);
    EXPECT_TRUE(c.full(5));
}

TEST(ControlBits, DecodeTheFieldsOfAControlWord) {
    // Stall 5, no yield (bit 4 set), write barrier 2, read barrier 7, wait mask 0b100001, reuse
    // 0b011.
    const std::uint32_t word = 5u | 16u | 2u << 5 | 7u << 8 | 0b100001u << 11 | 0b011u << 17;
    const auto c = program::control_bits::decode(word);
    EXPECT_EQ(c.stall, 5);
    EXPECT_FALSE(c.yield);
    EXPECT_EQ(c.write_barrier, 2);
    EXPECT_EQ(c.read_barrier, program::control_bits::no_barrier);
    EXPECT_EQ(c.wait_mask, 0b100001);
    EXPECT_EQ(c.reuse, 0b011);
    EXPECT_EQ(c.encode(), word);
    EXPECT_TRUE(program::control_bits::decode(word & ~16u).yield);
}

}  // namespace
}  // namespace simtlm::core::sub_core_pipeline

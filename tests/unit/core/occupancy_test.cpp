// SPDX-License-Identifier: Apache-2.0
#include "modules/core/occupancy.h"

#include <gtest/gtest.h>

namespace simtlm::core {
namespace {

sm_config volta() {
    sm_config c;
    c.max_threads = 2048;
    c.registers = 65536;
    c.max_ctas = 32;
    c.shared.bytes = 98304;
    return c;
}
constexpr std::uint64_t large_grid = 1u << 20;

TEST(Occupancy, IsLimitedByThreads) {
    const auto o = occupancy_of(volta(), {1024, 32, 0}, large_grid, 80);
    EXPECT_EQ(o.ctas, 2u);
    EXPECT_TRUE(o.by_threads);
    EXPECT_TRUE(o.by_registers) << "64 K registers are two CTAs as well";
    EXPECT_FALSE(o.by_shared_memory || o.by_cta_limit);
}

TEST(Occupancy, PadsACtaToWholeWarps) {
    EXPECT_EQ(occupancy_of(volta(), {97, 8, 0}, large_grid, 80).ctas, 16u);
    EXPECT_EQ(occupancy_of(volta(), {96, 8, 0}, large_grid, 80).ctas, 21u);
}

TEST(Occupancy, IsLimitedBySharedMemory) {
    const auto o = occupancy_of(volta(), {128, 16, 40000}, large_grid, 80);
    EXPECT_EQ(o.ctas, 2u);
    EXPECT_TRUE(o.by_shared_memory);
    EXPECT_FALSE(o.by_threads || o.by_registers || o.by_cta_limit);
    EXPECT_EQ(occupancy_of(volta(), {128, 16, 98304}, large_grid, 80).ctas, 1u);
    EXPECT_EQ(occupancy_of(volta(), {128, 16, 98305}, large_grid, 80).ctas, 0u);
}

TEST(Occupancy, IsLimitedByRegistersAllottedFourAtATime) {
    // 256 threads with 33 registers, rounded up to 36: 65536 / 9216 = 7.
    const auto o = occupancy_of(volta(), {256, 33, 0}, large_grid, 80);
    EXPECT_EQ(o.ctas, 7u);
    EXPECT_TRUE(o.by_registers);
    EXPECT_EQ(occupancy_of(volta(), {256, 32, 0}, large_grid, 80).ctas, 8u);
}

TEST(Occupancy, IsLimitedByTheNumberOfCtas) {
    const auto o = occupancy_of(volta(), {32, 8, 0}, large_grid, 80);
    EXPECT_EQ(o.ctas, 32u);
    EXPECT_TRUE(o.by_cta_limit);
}

TEST(Occupancy, SpreadsASmallGridOverTheSms) {
    EXPECT_EQ(occupancy_of(volta(), {32, 8, 0}, 80, 80).ctas, 1u);
    EXPECT_EQ(occupancy_of(volta(), {32, 8, 0}, 81, 80).ctas, 2u);
    EXPECT_EQ(occupancy_of(volta(), {32, 8, 0}, 1, 80).ctas, 1u);
    EXPECT_EQ(occupancy_of(volta(), {32, 8, 0}, 32 * 80, 80).ctas, 32u);
}

TEST(Occupancy, LetsOneCtaInThatFitsNothingWhenLimitsAreIgnored) {
    sm_config c = volta();
    c.ignore_resource_limits = true;
    EXPECT_EQ(occupancy_of(c, {128, 16, 200000}, large_grid, 80).ctas, 1u);
}

sm_config adaptive() {
    sm_config c = volta();
    c.l1.adaptive = true;
    c.l1.unified_kb = 128;
    c.shared.carve_out_kb = {0, 8, 16, 32, 64, 96};
    c.l1.data.kind = cache::cache_kind::sector;
    c.l1.data.sets = 4;
    c.l1.data.line_bytes = 128;
    c.l1.data.ways = 64;
    c.l1.data.allocation = cache::allocation_policy::streaming;
    return c;
}

TEST(L1Split, LeavesAFixedCacheAlone) {
    sm_config c = adaptive();
    c.l1.adaptive = false;
    const auto s = l1_split_of(c, {256, 32, 16384}, 4);
    EXPECT_EQ(s.ways, 64u);
    EXPECT_EQ(s.allocation, cache::allocation_policy::streaming);
}

TEST(L1Split, GivesTheL1WhatTheCarveOutLeaves) {
    // 128 KiB as a cache of four sets have 256 ways.
    const sm_config c = adaptive();
    EXPECT_EQ(l1_split_of(c, {256, 32, 0}, 8).ways, 256u);
    EXPECT_EQ(l1_split_of(c, {256, 32, 1}, 8).ways, 240u);     // 8 KiB
    EXPECT_EQ(l1_split_of(c, {256, 32, 1024}, 8).ways, 240u);  // 8 KiB exactly
    EXPECT_EQ(l1_split_of(c, {256, 32, 1025}, 8).ways, 224u);  // 16
    EXPECT_EQ(l1_split_of(c, {256, 32, 4096}, 8).ways, 192u);  // 32
    EXPECT_EQ(l1_split_of(c, {256, 32, 8192}, 8).ways, 128u);  // 64
    EXPECT_EQ(l1_split_of(c, {256, 32, 12288}, 8).ways, 64u);  // 96
}

TEST(L1Split, LetsAStreamingCacheAllocateOnMissOnlyWithoutSharedMemory) {
    const sm_config c = adaptive();
    EXPECT_EQ(l1_split_of(c, {256, 32, 0}, 8).allocation, cache::allocation_policy::on_miss);
    EXPECT_EQ(l1_split_of(c, {256, 32, 64}, 8).allocation, cache::allocation_policy::on_fill);
}

}  // namespace
}  // namespace simtlm::core

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/l0_instruction_cache.h"

#include <gtest/gtest.h>

#include <deque>

namespace simtlm::core::sub_core_pipeline {
namespace {

using answer = l0_instruction_cache::answer;

TEST(StreamBuffer, HitsAtItsHeadOnly) {
    stream_buffer s(4, 128);
    s.restart(0);
    for (int i = 0; i < 4; ++i) s.arrived(s.ask());
    EXPECT_FALSE(s.wants_line());
    EXPECT_EQ(s.find(256), stream_buffer::look_up::miss);
    EXPECT_EQ(s.find(128), stream_buffer::look_up::hit);
    EXPECT_EQ(s.find(256), stream_buffer::look_up::hit);
    EXPECT_TRUE(s.wants_line());
    EXPECT_EQ(s.ask(), 640u);
}

TEST(StreamBuffer, RestartsAfterTheLineThatMissed) {
    stream_buffer s(8, 128);
    s.restart(0);
    EXPECT_EQ(s.ask(), 128u);
    s.restart(4096);
    EXPECT_EQ(s.lines(), 0u);
    EXPECT_FALSE(s.arrived(128));  // belongs to the previous stream
    EXPECT_EQ(s.ask(), 4096u + 128);
    EXPECT_EQ(s.find(4096 + 128), stream_buffer::look_up::waiting);
    EXPECT_TRUE(s.arrived(4096 + 128));
    EXPECT_EQ(s.find(4096 + 128), stream_buffer::look_up::hit);
}

TEST(StreamBuffer, WithoutLinesPrefetchesNothing) {
    stream_buffer s(0, 128);
    s.restart(0);
    EXPECT_FALSE(s.wants_line());
}

TEST(L0InstructionCache, RequestsALineThatSeveralFetchesMissOnce) {
    l0_instruction_cache_config c;
    c.stream_buffer_lines = 0;
    l0_instruction_cache l0(c);
    EXPECT_EQ(l0.fetch(16), answer::miss);
    EXPECT_EQ(l0.fetch(32), answer::miss);
    ASSERT_TRUE(l0.has_request());
    EXPECT_EQ(l0.take_request(), 0u);
    EXPECT_FALSE(l0.has_request());
    l0.arrived(0);
    EXPECT_EQ(l0.fetch(16), answer::hit);
    EXPECT_EQ(l0.statistics().misses, 1u);
}

TEST(L0InstructionCache, ReplacesTheLineUsedLeastRecently) {
    l0_instruction_cache_config c;
    c.sets = 1;
    c.ways = 2;
    c.stream_buffer_lines = 0;
    l0_instruction_cache l0(c);
    for (const std::uint64_t line : {0u, 128u}) {
        l0.fetch(line);
        l0.arrived(l0.take_request());
    }
    EXPECT_EQ(l0.fetch(0), answer::hit);
    l0.fetch(256);
    l0.arrived(l0.take_request());
    EXPECT_EQ(l0.fetch(0), answer::hit);
    EXPECT_EQ(l0.fetch(128), answer::miss);
}

TEST(L0InstructionCache, IsInvalidatedWhenAKernelEnds) {
    l0_instruction_cache l0({});
    l0.fetch(0);
    l0.arrived(l0.take_request());
    EXPECT_EQ(l0.fetch(0), answer::hit);
    l0.invalidate();
    EXPECT_FALSE(l0.has_request());
    EXPECT_EQ(l0.fetch(0), answer::miss);
}

/// Cycles needed to fetch straight-line code of a number of lines at one instruction per cycle,
/// through a path to the L1 with fixed latency and one line per cycle.
std::uint64_t straight_code(unsigned stream_lines, unsigned lines, unsigned latency) {
    l0_instruction_cache_config c;
    c.stream_buffer_lines = stream_lines;
    l0_instruction_cache l0(c);
    struct reply {
        std::uint64_t at, line;
    };
    std::deque<reply> flying;
    std::uint64_t now = 0;
    for (std::uint64_t pc = 0; pc < std::uint64_t{lines} * 128; ++now) {
        while (!flying.empty() && flying.front().at <= now) {
            l0.arrived(flying.front().line);
            flying.pop_front();
        }
        if (l0.fetch(pc) == answer::hit) pc += 16;
        if (l0.has_request()) flying.push_back({now + latency, l0.take_request()});
    }
    return now;
}

TEST(L0InstructionCache, HidesTheL1LatencyOfStraightLineCodeByItsStreamBuffer) {
    // Without the prefetcher, each line of 8 instructions costs the round trip of 78 cycles to the
    // L1.
    EXPECT_GE(straight_code(0, 32, 78), 32u * 78);
    // With 8 lines in flight, 8 lines take one round trip: 64 cycles of instructions.
    EXPECT_LE(straight_code(8, 32, 78), 78 + 32 * 8 + 4 * (78 - 64 + 8));
    // Twice as many make hardly any difference.
    EXPECT_LE(straight_code(8, 32, 78) - straight_code(16, 32, 78), 80u);
    EXPECT_GT(straight_code(1, 32, 78), straight_code(4, 32, 78));
}

}  // namespace
}  // namespace simtlm::core::sub_core_pipeline

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/memory_queue.h"

#include "modules/core/sub_core_pipeline/memory_latency.h"
#include "modules/core/sub_core_pipeline/tensor_timing.h"
#include "modules/isa/matrix_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <vector>

namespace simtlm::core::sub_core_pipeline {
namespace {

/// Sub-cores that issue loads as fast as their queues permit, from cycle 2 on.
/// @return issue cycles, by sub-core
std::vector<std::vector<std::uint64_t>> issue_cycles(unsigned sub_cores, unsigned loads,
                                                     bool quick = false) {
    const memory_queue_config config;
    std::deque<memory_queue<int>> queues;
    for (unsigned s = 0; s < sub_cores; ++s) queues.emplace_back(config);
    memory_arbiter arbiter(sub_cores, config.accept_interval);
    std::vector<std::vector<std::uint64_t>> issued(sub_cores);
    for (std::uint64_t now = 2; now < 200; ++now) {
        if (arbiter.free(now)) {
            const int s = arbiter.choose(
                [&](unsigned q) { return !queues[q].empty() && queues[q].ready_at() <= now; });
            if (s >= 0) {
                queues[static_cast<unsigned>(s)].take(now);
                arbiter.taken(static_cast<unsigned>(s), now);
            }
        }
        for (unsigned q = 0; q < sub_cores; ++q)
            if (issued[q].size() < loads && queues[q].can_issue()) {
                queues[q].issue(0, quick, now);
                issued[q].push_back(now);
            }
    }
    return issued;
}

using row = std::vector<std::uint64_t>;

// Table of Huerta et al.: issue cycles of memory instructions by number of active sub-cores.
TEST(MemoryQueue, IssuesTheLoadsOfOneSubCoreAsMeasured) {
    EXPECT_EQ(issue_cycles(1, 9)[0], (row{2, 3, 4, 5, 6, 13, 17, 21, 25}));
}
TEST(MemoryQueue, IssuesTheLoadsOfTwoSubCoresAsMeasured) {
    const auto i = issue_cycles(2, 9);
    EXPECT_EQ(i[0], (row{2, 3, 4, 5, 6, 13, 17, 21, 25}));
    EXPECT_EQ(i[1], (row{2, 3, 4, 5, 6, 15, 19, 23, 27}));
}
TEST(MemoryQueue, IssuesTheLoadsOfThreeSubCoresAsMeasured) {
    const auto i = issue_cycles(3, 9);
    EXPECT_EQ(i[0], (row{2, 3, 4, 5, 6, 13, 19, 25, 31}));
    EXPECT_EQ(i[1], (row{2, 3, 4, 5, 6, 15, 21, 27, 33}));
    EXPECT_EQ(i[2], (row{2, 3, 4, 5, 6, 17, 23, 29, 35}));
}
TEST(MemoryQueue, IssuesTheLoadsOfFourSubCoresAsMeasured) {
    const auto i = issue_cycles(4, 9);
    EXPECT_EQ(i[0], (row{2, 3, 4, 5, 6, 13, 21, 29, 37}));
    EXPECT_EQ(i[3], (row{2, 3, 4, 5, 6, 19, 27, 35, 43}));
}

TEST(MemoryQueue, CalculatesAnAddressWhileThePreviousOneIsStalled) {
    const memory_queue_config c;
    memory_queue<int> q(c);
    for (int i = 0; i < 3; ++i) q.issue(i, false, 100);
    const std::uint64_t first = q.ready_at();
    EXPECT_EQ(first, 100u + c.stages + c.address_cycles);
    q.take(first + 3);
    EXPECT_EQ(q.ready_at(), first + c.address_cycles);
    q.take(first +
           30);  // the third address has been in the calculation unit since the second left it
    EXPECT_EQ(q.ready_at(), first + 30);
}

TEST(MemoryQueue, ReadsTheOperandsOfAFirstLoadWhenTheWarLatencyHasPassed) {
    // LDG with a regular address: 11 cycles from issue; with a uniform address, or LDS: 9.
    const memory_latencies l;
    for (const bool quick : {false, true}) {
        memory_queue<int> q{memory_queue_config{}};
        q.issue(0, quick, 100);
        EXPECT_EQ(q.ready_at(), 100u + l.war(memory_kind::global_load, quick, 4));
    }
}

TEST(MemoryLatency, HasTheMeasuredTableOfAmpere) {
    const memory_latencies l;
    EXPECT_EQ(l.raw(memory_kind::global_load, true, 4), 29u);
    EXPECT_EQ(l.raw(memory_kind::global_load, false, 16), 38u);
    EXPECT_EQ(l.war(memory_kind::global_store, false, 16), 20u);
    EXPECT_EQ(l.raw(memory_kind::shared_load, true, 8), 23u);
    EXPECT_EQ(l.war(memory_kind::shared_store, false, 8), 14u);
    EXPECT_EQ(l.raw(memory_kind::constant, true, 4), 26u);
    EXPECT_EQ(l.raw(memory_kind::copy, false, 4), 39u);
}

std::array<std::uint64_t, 32> strided(unsigned bytes) {
    std::array<std::uint64_t, 32> a{};
    for (unsigned l = 0; l < 32; ++l) a[l] = std::uint64_t{l} * bytes;
    return a;
}

TEST(SharedWavefronts, EqualTheWordsOfTheBusiestBank) {
    EXPECT_EQ(data_wavefronts(strided(4), ~0u, 4, 32, true), 1u);
    EXPECT_EQ(data_wavefronts(strided(0), ~0u, 4, 32, true), 1u);  // broadcast
    EXPECT_EQ(data_wavefronts(strided(8), ~0u, 4, 32, true), 2u);
    EXPECT_EQ(data_wavefronts(strided(128), ~0u, 4, 32, true), 32u);
    EXPECT_EQ(data_wavefronts(strided(128), 0xf, 4, 32, true), 4u);
}
TEST(SharedWavefronts, ServeWideLanesByHalvesAndQuarters) {
    EXPECT_EQ(data_wavefronts(strided(8), ~0u, 8, 32, true), 2u);
    EXPECT_EQ(data_wavefronts(strided(16), ~0u, 16, 32, true), 4u);
    EXPECT_EQ(data_wavefronts(strided(0), ~0u, 16, 32, false), 4u);
}
TEST(SharedWavefronts, CombineTwoRegistersOfLanePairsWithEqualAddresses) {
    EXPECT_EQ(data_wavefronts(strided(0), ~0u, 8, 32, true), 1u);
    EXPECT_EQ(data_wavefronts(strided(0), ~0u, 16, 32, true), 2u);
    std::array<std::uint64_t, 32> pairs{}, apart{}, halves{};
    for (unsigned l = 0; l < 32; ++l) {
        pairs[l] = l / 2 * 16;       // lanes i and i ^ 1
        apart[l] = (l & 1) * 16;     // lanes i and i ^ 2
        halves[l] = l / 16 * 16;     // lanes i and i ^ 1, and i and i ^ 2
        if (l == 5) halves[l] = 64;  // one lane has a different address
    }
    EXPECT_EQ(data_wavefronts(pairs, ~0u, 16, 32, true), 2u);
    EXPECT_EQ(data_wavefronts(apart, ~0u, 16, 32, true), 2u);
    EXPECT_EQ(data_wavefronts(halves, ~0u, 16, 32, true), 4u);
    EXPECT_EQ(data_wavefronts(halves, ~(1u << 5), 16, 32, true), 2u);  // that lane is not active
}

TEST(TensorTiming, FollowsTheSizeOfTheProduct) {
    tensor_config c;
    c.rate = 2048;
    c.extra = 10;
    c.f32_extra = 16;
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.16816.F32")).initiation, 8u);
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.16816.F32")).latency,
              24u);  // A100: measured 24.6
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.16816.F16")).latency, 18u);
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.SP.16832.F32")).initiation, 8u);
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("IMMA.16832.S8.S8")).initiation, 8u);
    EXPECT_EQ(
        tensor_timing(c, isa::matrix_shape_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"))
            .latency,
        24u);
    EXPECT_EQ(
        tensor_timing(c, isa::matrix_shape_of("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"))
            .initiation,
        8u);
    c.rate = 1024;
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.16816.F32")).initiation, 16u);
}
TEST(TensorTiming, MultipliesAtAnotherRateForSumsInSinglePrecision) {
    tensor_config c;
    c.rate = 1024;
    c.f32_rate = 512;  // GeForce
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.16816.F16")).initiation, 16u);
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.16816.F32")).initiation, 32u);
}
TEST(TensorTiming, ADependentProductOf16ColumnsWaitsForTheLastEightOnly) {
    constexpr const char* wmma = "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32";
    tensor_config c;
    c.rate = 1024;
    c.f32_extra = 19;
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of(wmma)).initiation, 32u);
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of(wmma)).latency, 35u);  // V100: measured 35.3
    c.f32_rate = 512;
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of(wmma)).latency,
              64u);  // RTX 4090: measured 64.1
}
TEST(TensorTiming, ForwardsAccumulatorsBeforeTheyAreWritten) {
    tensor_config c;
    c.rate = 964;  // V100: 128 multiply-adds per cycle and sub-core
    c.extra = c.f32_extra = 18;
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.884.F32.F32.STEP3")).forward, 0u);
    c.forward = 1;
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.884.F32.F32.STEP3")).initiation, 2u);
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.884.F32.F32.STEP3")).forward, 2u);
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.884.F16.F16.STEP1")).initiation, 4u);
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.884.F16.F16.STEP1")).forward, 4u);
    c.forward = 40;  // not before the result is written
    EXPECT_EQ(tensor_timing(c, isa::matrix_shape_of("HMMA.884.F32.F32.STEP3")).forward, 0u);
}
TEST(TensorTiming, NamesTheShapesOfMachineCodeAndPtx) {
    EXPECT_EQ(isa::matrix_shape_of("HMMA.16816.F32").k, 16u);
    EXPECT_EQ(isa::matrix_shape_of("HMMA.884.F32.F32.STEP0").m, 8u);
    EXPECT_EQ(isa::matrix_shape_of("BMMA.168256.AND.POPC").k, 256u);
    EXPECT_EQ(isa::matrix_shape_of("BMMA.168256.AND.POPC").operand_bits, 1u);
    EXPECT_EQ(isa::matrix_shape_of("DMMA.884").operand_bits, 64u);
    EXPECT_EQ(isa::matrix_shape_of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32").n, 16u);
    EXPECT_EQ(isa::matrix_shape_of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32").operand_bits,
              16u);
    EXPECT_FALSE(isa::matrix_shape_of("HMMA").known());
}

TEST(MemoryArbiter, KeepsFractionalIntervals) {
    memory_arbiter arbiter(1, 1635);
    std::vector<std::uint64_t> taken;
    for (std::uint64_t now = 0; now < 1635; ++now)
        if (arbiter.free(now)) {
            taken.push_back(now);
            arbiter.taken(0, now);
        }
    EXPECT_EQ(taken.size(), 1000u);
    EXPECT_THAT(std::vector<std::uint64_t>(taken.begin(), taken.begin() + 6),
                ::testing::ElementsAre(0, 1, 3, 4, 6, 8));
}

TEST(ConstantLookups, EqualTheNumberOfAddresses) {
    std::array<std::uint64_t, 32> address{};
    EXPECT_EQ(distinct_addresses(address, ~0u), 1u);
    EXPECT_EQ(distinct_addresses(address, 0), 1u);
    for (unsigned lane = 0; lane < 32; ++lane) address[lane] = lane % 6 * 4;
    EXPECT_EQ(distinct_addresses(address, ~0u), 6u);
    EXPECT_EQ(distinct_addresses(address, 0x7), 3u);
}

}  // namespace
}  // namespace simtlm::core::sub_core_pipeline

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/occupancy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

// NVIDIA's own statement of the rules, part of the CUDA toolkit.
#if defined SIMTLM_CUDA_OCCUPANCY
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#include SIMTLM_CUDA_OCCUPANCY
#pragma GCC diagnostic pop
#endif

namespace simtlm::core {
namespace {

sm_config volta() {
    sm_config c;
    c.max_threads = 2048;
    c.registers = c.registers_per_block = 65536;
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

TEST(Occupancy, AllocatesRegistersToWarpsInUnitsOf256) {
    // 8 warps with 33 registers per thread: 1280 each, 12 in each quarter of the register file.
    const auto o = occupancy_of(volta(), {256, 33, 0}, large_grid, 80);
    EXPECT_EQ(o.ctas, 6u);
    EXPECT_TRUE(o.by_registers);
    EXPECT_EQ(occupancy_of(volta(), {256, 32, 0}, large_grid, 80).ctas, 8u);
    EXPECT_EQ(occupancy_of(volta(), {256, 40, 0}, large_grid, 80).ctas, 6u);
}

TEST(Occupancy, AllocatesTheRegistersOfAWarpInOneSubCore) {
    // 6400 per warp: two of them in 16384. Of the whole file there would be ten.
    EXPECT_EQ(occupancy_of(volta(), {32, 200, 0}, large_grid, 80).ctas, 8u);
    EXPECT_EQ(occupancy_of(volta(), {64, 168, 0}, large_grid, 80).ctas, 6u);
}

TEST(Occupancy, RejectsACtaWhoseWarpsRoundedUpToFourHaveTooManyRegisters) {
    // 25 warps of 72 registers are 57600 of 65536, but 28 warps of 2304 are 64512: they fit.
    EXPECT_EQ(occupancy_of(volta(), {800, 72, 0}, large_grid, 80).ctas, 1u);
    EXPECT_EQ(occupancy_of(volta(), {800, 80, 0}, large_grid, 80).ctas, 0u);
    EXPECT_EQ(max_registers_per_thread(volta(), 800), 72u);
    EXPECT_EQ(max_threads_per_cta(volta(), 80), 768u);
}

TEST(Occupancy, CountsTheSharedMemoryThatTheDriverReserves) {
    sm_config c = volta();
    c.allocation = occupancy_rules_of(80).allocation;
    c.shared.bytes = 164 * 1024;
    EXPECT_EQ(occupancy_of(c, {128, 16, 32768}).ctas, 4u) << "33792 bytes each";
    EXPECT_EQ(occupancy_of(c, {128, 16, 16384}).ctas, 9u);
    EXPECT_EQ(max_shared_per_cta(c), 163u * 1024);
    EXPECT_EQ(occupancy_of(c, {128, 16, 163 * 1024}).ctas, 1u);
    EXPECT_EQ(occupancy_of(c, {128, 16, 163 * 1024 + 1}).ctas, 0u);
    EXPECT_EQ(usual_shared_per_cta(c), 48u * 1024);
    EXPECT_EQ(dynamic_shared_for(c, {128, 16, 0}, 4), 40960u);
    EXPECT_EQ(occupancy_of(c, {128, 16, 40960}).ctas, 4u);
    EXPECT_EQ(occupancy_of(c, {128, 16, 40961}).ctas, 3u);
}

TEST(Occupancy, IsLimitedByBarriersFromHopperOn) {
    sm_config c = volta();
    EXPECT_EQ(occupancy_of(c, {64, 16, 0, 16}).ctas, 32u);
    c.allocation = occupancy_rules_of(90).allocation;
    const occupancy o = occupancy_of(c, {64, 16, 0, 16});
    EXPECT_EQ(o.ctas, 4u);
    EXPECT_TRUE(o.by_barriers);
    EXPECT_FALSE(o.by_cta_limit);
    EXPECT_EQ(occupancy_of(c, {64, 16, 0, 2}).ctas, 32u);
}

TEST(Occupancy, IsThatOfGpgpuSimWithItsUnits) {
    sm_config c = volta();
    c.allocation = gpgpu_sim_allocation;
    // 256 threads with 33 registers, rounded up to 36: 65536 / 9216 = 7.
    EXPECT_EQ(occupancy_of(c, {256, 33, 0}, large_grid, 80).ctas, 7u);
    EXPECT_EQ(occupancy_of(c, {32, 200, 0}, large_grid, 80).ctas, 10u);
    EXPECT_EQ(occupancy_of(c, {128, 16, 32768}, large_grid, 80).ctas, 3u);
}

/// An SM of a compute capability.
sm_config sm_of(const occupancy_rules& r) {
    sm_config c;
    c.compute_capability_major = r.capability / 10;
    c.allocation = r.allocation;
    c.max_threads = r.max_threads;
    c.max_ctas = r.max_ctas;
    c.registers = r.registers;
    c.registers_per_block = r.registers_per_block;
    c.shared.bytes = r.shared_kb * 1024;
    c.shared.bytes_per_block = 48 * 1024;
    c.shared.carve_out_kb = r.carve_out_kb;
    c.l1.adaptive = !r.carve_out_kb.empty();
    return c;
}

/// Places CTAs one after the other, warp by warp into the parts of the register file, until one
/// does not fit: states what an SM does without a formula for their number.
unsigned placed_ctas(const occupancy_rules& r, const cta_needs& needs) {
    const allocation_rules& a = r.allocation;
    const auto up = [](unsigned n, unsigned unit) { return (n + unit - 1) / unit * unit; };
    const unsigned warps = up(needs.threads, 32) / 32;
    const unsigned per_warp = up(needs.registers * 32, a.register_unit);
    const unsigned shared = up(needs.shared_memory + a.reserved_shared, a.shared_unit);
    if (up(warps, a.checked_warps) * per_warp > r.registers_per_block) return 0;
    std::vector<unsigned> free_registers(a.sub_core_register_files,
                                         r.registers / a.sub_core_register_files);
    unsigned free_warps = r.max_threads / 32, free_shared = r.shared_kb * 1024, ctas = 0, next = 0;
    while (ctas < r.max_ctas && warps <= free_warps && shared <= free_shared) {
        bool fits = true;
        for (unsigned w = 0; w < warps; ++w) {
            unsigned& part = free_registers[next++ % a.sub_core_register_files];
            fits = fits && per_warp <= part;
            part -= std::min(part, per_warp);
        }
        if (!fits) break;
        free_warps -= warps;
        free_shared -= shared;
        ++ctas;
    }
    return ctas;
}

class OccupancyGrid : public testing::TestWithParam<unsigned> {
protected:
    const occupancy_rules& rules = occupancy_rules_of(GetParam());
    const sm_config sm = sm_of(rules);

    template <class Check>
    void for_all(const Check& check) const {
        for (unsigned threads = 1; threads <= 1024; threads += threads < 256 ? 31 : 96)
            for (unsigned registers = 0; registers <= rules.registers_per_thread;
                 registers += registers < 64 ? 1 : 3)
                for (const unsigned shared :
                     {0u, 1u, 1024u, 3000u, 5120u, 7936u, 8192u, 12000u, 16384u, 20481u, 32768u,
                      40000u, 49152u, 65536u, 98304u, 101376u, 131072u, 166912u, 232448u})
                    if (shared <= max_shared_per_cta(sm))
                        check(cta_needs{threads, registers, shared});
    }
};

TEST_P(OccupancyGrid, IsTheNumberOfCtasThatCanBePlacedSuccessively) {
    unsigned wrong = 0, checked = 0;
    for_all([&](const cta_needs& needs) {
        const unsigned expected = placed_ctas(rules, needs), got = occupancy_of(sm, needs).ctas;
        ++checked;
        if (expected != got && ++wrong < 5)
            ADD_FAILURE() << fmt::format("{} threads, {} registers, {} bytes: {}, not {}",
                                         needs.threads, needs.registers, needs.shared_memory, got,
                                         expected);
    });
    EXPECT_EQ(wrong, 0u) << "of " << checked;
    EXPECT_GT(checked, 10000u);
}

TEST_P(OccupancyGrid, PermitsExactlyTheCtasThatFit) {
    for (unsigned registers = 0; registers <= rules.registers_per_thread; ++registers) {
        const unsigned most = max_threads_per_cta(sm, registers);
        EXPECT_GT(placed_ctas(rules, {most, registers, 0}), 0u) << registers;
        if (most == 1024) continue;
        EXPECT_EQ(placed_ctas(rules, {most + 1, registers, 0}), 0u) << registers;
    }
    for (unsigned threads = 1; threads <= 1024; ++threads) {
        const unsigned most = max_registers_per_thread(sm, threads);
        EXPECT_GT(placed_ctas(rules, {threads, most, 0}), 0u) << threads;
        if (most == 256) continue;
        EXPECT_EQ(placed_ctas(rules, {threads, most + 8, 0}), 0u) << threads;
    }
}

TEST_P(OccupancyGrid, AgreesWithTheVendorsCalculator) {
#if defined SIMTLM_CUDA_OCCUPANCY
    if (GetParam() < 30) GTEST_SKIP() << "the calculator no longer knows it";
    cudaOccDeviceProp p;
    p.computeMajor = static_cast<int>(GetParam() / 10);
    p.computeMinor = static_cast<int>(GetParam() % 10);
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = static_cast<int>(sm.max_threads);
    p.regsPerBlock = static_cast<int>(sm.registers_per_block);
    p.regsPerMultiprocessor = static_cast<int>(sm.registers);
    p.warpSize = 32;
    p.sharedMemPerBlock = usual_shared_per_cta(sm);
    p.sharedMemPerMultiprocessor = sm.shared.bytes;
    p.numSms = 1;
    p.sharedMemPerBlockOptin = max_shared_per_cta(sm);
    p.reservedSharedMemPerBlock = sm.allocation.reserved_shared;
    unsigned wrong = 0;
    for (const int carve_out : {-1, 0, 30, 100}) {
        if (carve_out >= 0 && !sm.l1.adaptive) continue;
        cudaOccDeviceState state;
        state.carveoutConfig = carve_out;
        for (const unsigned barriers : {1u, 5u, 16u})
            for_all([&](cta_needs needs) {
                needs.barriers = barriers;
                needs.carve_out = carve_out;
                cudaOccFuncAttributes f;
                f.maxThreadsPerBlock = 1024;
                f.numRegs = static_cast<int>(needs.registers);
                f.sharedSizeBytes = 0;
                f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
                f.maxDynamicSharedSizeBytes = needs.shared_memory;
                f.numBlockBarriers = static_cast<int>(barriers);
                cudaOccResult r;
                ASSERT_EQ(
                    cudaOccMaxActiveBlocksPerMultiprocessor(
                        &r, &p, &f, &state, static_cast<int>(needs.threads), needs.shared_memory),
                    CUDA_OCC_SUCCESS);
                const unsigned got = occupancy_of(sm, needs).ctas;
                if (got != static_cast<unsigned>(r.activeBlocksPerMultiprocessor) && ++wrong < 5)
                    ADD_FAILURE() << fmt::format(
                        "{} threads, {} registers, {} bytes, {} barriers, carve-out {}: {}, not {}",
                        needs.threads, needs.registers, needs.shared_memory, barriers, carve_out,
                        got, r.activeBlocksPerMultiprocessor);
            });
    }
    EXPECT_EQ(wrong, 0u);
#else
    GTEST_SKIP() << "no CUDA toolkit";
#endif
}

std::vector<unsigned> capabilities() {
    std::vector<unsigned> all;
    for (const occupancy_rules& r : occupancy_table()) all.push_back(r.capability);
    return all;
}
INSTANTIATE_TEST_SUITE_P(Capabilities, OccupancyGrid, testing::ValuesIn(capabilities()),
                         [](const auto& one) { return fmt::format("{}", one.param); });

TEST(OccupancyRules, AreThoseOfTheClosestEarlierCapability) {
    EXPECT_EQ(occupancy_rules_of(86).max_ctas, 16u);
    EXPECT_EQ(occupancy_rules_of(88).capability, 87u);
    EXPECT_EQ(occupancy_rules_of(13).capability, 20u);
    EXPECT_EQ(occupancy_rules_of(999).capability, 120u);
}

TEST(Occupancy, IsLimitedByTheNumberOfCtas) {
    const auto o = occupancy_of(volta(), {32, 8, 0}, large_grid, 80);
    EXPECT_EQ(o.ctas, 32u);
    EXPECT_TRUE(o.by_cta_limit);
}

TEST(Occupancy, SpreadsASmallGridOverAllSms) {
    EXPECT_EQ(occupancy_of(volta(), {32, 8, 0}, 80, 80).ctas, 1u);
    EXPECT_EQ(occupancy_of(volta(), {32, 8, 0}, 81, 80).ctas, 2u);
    EXPECT_EQ(occupancy_of(volta(), {32, 8, 0}, 1, 80).ctas, 1u);
    EXPECT_EQ(occupancy_of(volta(), {32, 8, 0}, 32 * 80, 80).ctas, 32u);
}

TEST(Occupancy, AdmitsOneOversizedCtaWhenLimitsAreIgnored) {
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

TEST(L1Split, DoesNotChangeAFixedCache) {
    sm_config c = adaptive();
    c.l1.adaptive = false;
    const auto s = l1_split_of(c, {256, 32, 16384}, 4);
    EXPECT_EQ(s.ways, 64u);
    EXPECT_EQ(s.allocation, cache::allocation_policy::streaming);
}

TEST(L1Split, AssignsTheL1TheRestOfTheCarveOut) {
    // 128 KiB as a cache of four sets have 256 ways.
    const sm_config c = adaptive();
    EXPECT_EQ(l1_split_of(c, {256, 32, 0}, 8).ways, 256u);
    EXPECT_EQ(l1_split_of(c, {256, 32, 1}, 8).ways, 240u);     // 8 KiB: 256 bytes each
    EXPECT_EQ(l1_split_of(c, {256, 32, 1024}, 8).ways, 240u);  // 8 KiB exactly
    EXPECT_EQ(l1_split_of(c, {256, 32, 1025}, 8).ways, 224u);  // 16
    EXPECT_EQ(l1_split_of(c, {256, 32, 4096}, 8).ways, 192u);  // 32
    EXPECT_EQ(l1_split_of(c, {256, 32, 8192}, 8).ways, 128u);  // 64
    EXPECT_EQ(l1_split_of(c, {256, 32, 12288}, 8).ways, 64u);  // 96
}

TEST(L1Split, CountsTheSharedMemoryThatTheDriverReserves) {
    sm_config c = adaptive();
    c.allocation = occupancy_rules_of(80).allocation;
    EXPECT_EQ(l1_split_of(c, {256, 32, 0}, 8).ways, 240u);     // 8 KiB
    EXPECT_EQ(l1_split_of(c, {256, 32, 1024}, 8).ways, 224u);  // 16
    EXPECT_EQ(l1_split_of(c, {256, 32, 0}, 8).allocation, cache::allocation_policy::on_miss);
}

TEST(L1Split, FollowsThePreferenceOfTheProgram) {
    const sm_config c = adaptive();
    cta_needs needs{256, 32, 4096};
    needs.carve_out = 100;
    EXPECT_EQ(l1_split_of(c, needs, 2).ways, 64u);
    needs.carve_out = 50;
    EXPECT_EQ(l1_split_of(c, needs, 2).ways, 128u) << "48 KiB, rounded up to 64";
    needs.carve_out = 0;
    EXPECT_EQ(occupancy_of(c, needs).ctas, 2u) << "8 KiB hold a CTA";
    EXPECT_EQ(l1_split_of(c, needs, 2).ways, 240u);
}

TEST(L1Split, StreamingCacheAllocatesOnMissOnlyWithoutSharedMemory) {
    const sm_config c = adaptive();
    EXPECT_EQ(l1_split_of(c, {256, 32, 0}, 8).allocation, cache::allocation_policy::on_miss);
    EXPECT_EQ(l1_split_of(c, {256, 32, 64}, 8).allocation, cache::allocation_policy::on_fill);
}

}  // namespace
}  // namespace simtlm::core

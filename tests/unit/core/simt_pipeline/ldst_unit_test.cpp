// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/core/sm_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::core::simt_pipeline {
namespace {

using program::cache_operator;
using program::memory_space;
using program::special_op;
using protocol::access_type;
using test::block_builder;
using test::listing;
using test::sm_rig;
using test::small_sm;
using ::testing::ElementsAre;

constexpr std::uint64_t data = 0x7f0000000000;
constexpr std::uint64_t to_unit = 5;  // cycles from issue to the first access

/// A load or store of words that bypasses the L1D.
const program::static_instruction& uncached(listing& p, bool store, unsigned reg) {
    program::static_instruction i = p.memory(memory_space::global, store, reg);
    i.cache_op = cache_operator::cache_global;
    return p.add(i);
}
block_builder::addresses lines(unsigned stride, std::uint64_t base = data) {
    return [=](unsigned i) { return base + stride * i; };
}

TEST(LdstUnit, StartsOneUncachedAccessPerCycleTheHighestAddressFirst) {
    sm_rig rig("rig", small_sm());
    listing p;
    const auto& load = uncached(p, false, 8);
    block_builder b;
    b.warp().access(load, lines(128));
    rig.launch(b);
    rig.run(400);
    ASSERT_EQ(rig.memory.seen.size(), 32u);
    for (unsigned k = 0; k < 32; ++k) {
        EXPECT_EQ(rig.memory.seen[k].address, data + 128 * (31 - k));
        EXPECT_EQ(rig.memory.seen[k].cycle, rig.issued(load)[0] + to_unit + k);
        EXPECT_EQ(rig.memory.seen[k].type, access_type::global_read);
    }
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.memory_stalls, 31u);
    EXPECT_EQ(s.stalls[static_cast<unsigned>(memory_stage::global_load)]
                      [static_cast<unsigned>(memory_stall::coalescing)],
              31u);
    EXPECT_EQ(s.accesses_coalesced, 32u);
    EXPECT_EQ(s.load_insn, 32u);
}

TEST(LdstUnit, CompletesALoadWithItsLastDatum) {
    sm_rig rig("rig", small_sm(), 100);
    listing p;
    const auto& load = uncached(p, false, 8);
    const auto& use = p.alu({9}, {8});
    block_builder b;
    b.warp().access(load, lines(32)).run(use);  // 32 sectors
    rig.launch(b);
    rig.run(400);
    // The last response arrives 31 cycles after the first; it waits one cycle before write-back and
    // one cycle in it. An uncached load has one entry there, and one response every two cycles
    // would suffice.
    EXPECT_EQ(rig.issued(use).at(0), rig.memory.seen.back().cycle + 100 + 2);
}

TEST(LdstUnit, StartsAnAccessInEachBankOfTheL1PerCycle) {
    sm_config c = small_sm();  // four banks, 32 bytes wide
    sm_rig rig("rig", c);
    listing p;
    const auto& load = p.memory(memory_space::global, false, 8);
    const auto& apart = p.memory(memory_space::global, false, 9);
    block_builder b;
    b.warp().access(load, lines(4)).access(apart, lines(128, data + 0x100000));
    rig.launch(b);
    rig.run(800);
    // Four sectors of a line in one cycle; then 32 sectors of bank 0, one per cycle.
    EXPECT_EQ(rig.core.statistics().memory_stalls, 31u);
    EXPECT_EQ(rig.core.statistics().l1_bank_conflicts, 31u);
}

TEST(LdstUnit, BypassesTheL1ByInstructionOrConfiguration) {
    sm_config plain = small_sm(), skip = small_sm(), none = small_sm();
    skip.ldst.global_skips_l1 = true;
    none.l1.data_enabled = false;
    sm_rig a("a", plain), b("b", skip), c("c", none);
    listing p;
    const auto& load = p.memory(memory_space::global, false, 8);
    const auto& strong = uncached(p, false, 9);
    const auto& local = p.memory(memory_space::local, false, 10);
    block_builder t;
    t.warp().access(load, lines(4)).access(strong, lines(4)).access(local, lines(0));
    for (sm_rig* r : {&a, &b, &c}) {
        r->kernel.ctas_per_sm = 1;
        r->launch(t);
    }
    a.run(500);
    const auto l1_accesses = [](sm_rig& r) {
        std::uint64_t sum = 0;
        for (const auto type : {access_type::global_read, access_type::local_read})
            for (unsigned o = 0; o < cache::access_outcome_count; ++o)
                if (o != static_cast<unsigned>(cache::access_outcome::mshr_hit))
                    sum += r.core.caches().data.statistics().count(
                        type, static_cast<cache::access_outcome>(o));
        return sum;
    };
    EXPECT_EQ(l1_accesses(a), 8u) << "the plain and the local load";
    EXPECT_EQ(l1_accesses(b), 4u) << "the local load";
    EXPECT_EQ(l1_accesses(c), 0u);
    for (sm_rig* r : {&a, &b, &c}) {
        EXPECT_EQ(r->memory.seen.size(), 12u);
        EXPECT_EQ(r->completed.size(), 1u);
    }
}

TEST(LdstUnit, HoldsAWarpUntilItsStoresAreAcknowledged) {
    sm_rig rig("rig", small_sm(), 150);
    listing p;
    const auto& store = uncached(p, true, 8);
    const auto& exit = p.exit();
    block_builder b;
    b.warp().access(store, lines(4)).run(exit);
    rig.launch(b);
    rig.run(400);
    ASSERT_EQ(rig.memory.seen.size(), 4u);
    EXPECT_TRUE(rig.memory.seen[0].write);
    EXPECT_EQ(rig.memory.seen[0].type, access_type::global_write);
    EXPECT_THAT(rig.completed, ElementsAre(rig.memory.seen.back().cycle + 150));
    EXPECT_EQ(rig.core.statistics().store_insn, 32u);
    EXPECT_EQ(rig.core.statistics().warp_instructions, 2u);
}

TEST(LdstUnit, HoldsAWarpUntilTheL1HasWrittenThrough) {
    sm_rig rig("rig", small_sm(), 150);
    listing p;
    const auto& store = p.memory(memory_space::global, true, 8);
    block_builder b;
    b.warp().access(store, lines(4));
    rig.launch(b);
    rig.run(400);
    ASSERT_EQ(rig.memory.seen.size(), 4u);
    EXPECT_GE(rig.completed.at(0), rig.memory.seen.back().cycle + 150);
}

TEST(LdstUnit, HoldsAWarpWhileItsAtomicsAreInFlight) {
    sm_rig rig("rig", small_sm(), 200);
    listing p;
    const auto& atomic = p.atomic(8);
    const auto& other = p.alu({20}, {21});
    block_builder b;
    b.warp().access(atomic, lines(4)).run(other);
    b.warp().run(other);
    rig.launch(b);
    rig.run(500);
    ASSERT_EQ(rig.memory.seen.size(), 4u);
    EXPECT_TRUE(rig.memory.seen[0].atomic);
    // An independent instruction of the same warp waits; one of another warp does not.
    EXPECT_GT(rig.issued(other, 0).at(0), rig.memory.seen.back().cycle + 200);
    EXPECT_LT(rig.issued(other, 1).at(0), 10u);
    EXPECT_EQ(rig.core.statistics().warp_instructions, 3u);
}

TEST(LdstUnit, HoldsAWarpWhileItsSharedMemoryAtomicsAreInFlight) {
    sm_config c = small_sm();
    sm_rig rig("rig", c);
    listing p;
    program::static_instruction i = p.memory(memory_space::shared, false, 8);
    i.is_atomic = true;
    const auto& atomic = p.add(i);
    const auto& other = p.alu({20}, {21});
    block_builder b;
    b.warp().access(atomic, lines(4, 0)).run(other);
    rig.launch(b);
    rig.run(200);
    // It completes when it leaves shared memory for write-back.
    EXPECT_EQ(rig.issued(other).at(0), rig.issued(atomic)[0] + to_unit + c.shared.latency);
}

TEST(LdstUnit, WritesBackOneSharedLoadPerCycle) {
    sm_config c = small_sm();
    c.scheduler.policy = "lrr";
    sm_rig rig("rig", c);
    listing p;
    const auto& load = p.memory(memory_space::shared, false, 8);
    const auto& use = p.alu({9}, {8});
    block_builder b;
    for (int w = 0; w < 8; ++w) b.warp().access(load, lines(4, 0)).run(use);
    rig.launch(b);
    rig.run(200);
    const auto uses = rig.issued(use);
    const auto loads = rig.issued(load);
    ASSERT_EQ(uses.size(), 8u);
    for (std::size_t k = 1; k < 8; ++k) EXPECT_EQ(loads[k], loads[0] + k);
    for (std::size_t k = 1; k < 8; ++k) EXPECT_EQ(uses[k], uses[0] + k);
}

TEST(LdstUnit, ArbitratesTheSourcesOfWriteBackRoundRobin) {
    // Data arrive from memory while shared memory has results to write back in every cycle.
    sm_config c = small_sm();
    c.scheduler.policy = "old";
    sm_rig rig("rig", c, 60);
    listing p;
    const auto& global = uncached(p, false, 9);
    const auto& use = p.alu({21}, {9});
    block_builder b;
    b.warp().access(global, lines(0)).run(use);
    for (int w = 1; w < 9; ++w) {
        b.warp();
        for (unsigned k = 0; k < 12; ++k)
            b.access(p.memory(memory_space::shared, false, 30 + k), lines(4, 0));
    }
    rig.launch(b);
    rig.run(400);
    EXPECT_LE(rig.issued(use).at(0), rig.memory.seen.at(0).cycle + 60 + 4);
    EXPECT_GT(rig.completed.at(0), rig.issued(use)[0] + 30) << "the others went on";
}

TEST(LdstUnit, SendsRequestsOfTheTextureAndConstantPaths) {
    sm_config c = small_sm();
    sm_rig rig("rig", c, 50);
    listing p;
    const auto& constant = p.memory(memory_space::constant, false, 8);
    const auto& texture = p.memory(memory_space::texture, false, 9);
    const auto& use = p.alu({20}, {8, 9});
    block_builder b;
    b.warp().access(constant, lines(4)).access(texture, lines(4, data + 0x10000)).run(use);
    rig.launch(b);
    rig.run(400);
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.constant_insn, 32u);
    EXPECT_EQ(s.texture_insn, 32u);
    EXPECT_EQ(s.constant_port_conflicts, 1u) << "two lines of 64 bytes, one per cycle";
    ASSERT_FALSE(rig.memory.seen.empty());
    for (const auto& r : rig.memory.seen) EXPECT_EQ(r.type, access_type::texture_read);
    EXPECT_GT(rig.issued(use).at(0), rig.memory.seen[0].cycle + 50);
    EXPECT_EQ(s.warp_instructions, 3u);
}

TEST(LdstUnit, FetchesConstantsThroughTheirCache) {
    sm_config c = small_sm();
    c.l1.perfect_instruction_and_constant = false;
    sm_rig rig("rig", c, 50);
    listing p;
    const auto& first = p.memory(memory_space::constant, false, 8);
    const auto& use = p.alu({20}, {8});
    const auto& second = p.memory(memory_space::constant, false, 20);
    const auto& again = p.alu({21}, {20});
    block_builder b;
    b.warp().access(first, lines(0)).run(use).access(second, lines(0)).run(again);
    rig.launch(b);
    rig.run(600);
    unsigned constants = 0;
    for (const auto& r : rig.memory.seen) constants += r.type == access_type::constant_read;
    EXPECT_EQ(constants, 1u) << "the second load hits";
    EXPECT_EQ(rig.issued(again).at(0) - rig.issued(second)[0], to_unit);
}

TEST(LdstUnit, RetiresMemoryInstructionsThatNoLaneExecutes) {
    sm_rig rig("rig", small_sm());
    listing p;
    block_builder b;
    b.warp();
    for (const memory_space s : {memory_space::global, memory_space::shared, memory_space::local,
                                 memory_space::constant, memory_space::texture})
        for (const bool store : {false, true}) {
            if (store && (s == memory_space::constant || s == memory_space::texture)) continue;
            b.run(p.memory(s, store, 8), 0).run(p.alu({8}, {8}));
        }
    b.run(p.atomic(9), 0).run(p.alu({9}, {9}));
    rig.launch(b);
    rig.run(1000);
    EXPECT_EQ(rig.completed.size(), 1u);
    EXPECT_TRUE(rig.memory.seen.empty());
    EXPECT_EQ(rig.core.statistics().warp_instructions, 18u);
    EXPECT_EQ(rig.core.statistics().issued_lanes[0], 9u);
}

TEST(LdstUnit, CompletesALoadWithoutARegister) {
    sm_rig rig("rig", small_sm(), 100);
    listing p;
    program::static_instruction i = p.memory(memory_space::global, false, 8);
    i.n_dst = 0;  // a prefetch
    const auto& prefetch = p.add(i);
    block_builder b;
    b.warp().access(prefetch, lines(4)).run(p.exit());
    rig.launch(b);
    rig.run(300);
    EXPECT_EQ(rig.completed.size(), 1u);
    EXPECT_EQ(rig.core.statistics().warp_instructions, 2u);
    EXPECT_EQ(rig.core.instructions_in_flight(), 0u);
}

TEST(LdstUnit, WaitsForPendingRegistersAtAMemoryBarrier) {
    sm_rig rig("rig", small_sm(), 200);
    listing p;
    const auto& load = uncached(p, false, 8);
    const auto& fence = p.alu({}, {}, 1, 1, program::op_class::memory_barrier);
    const auto& after = p.alu({20}, {21});
    block_builder b;
    b.warp().access(load, lines(0)).run(fence).run(after);
    b.warp().run(fence).run(after);
    rig.launch(b);
    rig.run(400);
    EXPECT_GT(rig.issued(after, 0).at(0), rig.memory.seen[0].cycle + 200);
    EXPECT_LT(rig.issued(after, 1).at(0), 20u) << "nothing is pending";
}

TEST(LdstUnit, StallsWhileTheNetworkIsFull) {
    sm_rig rig("rig", small_sm(), 50);
    rig.memory.closed = rig.memory.mute = true;
    listing p;
    const auto& load = uncached(p, false, 8);
    block_builder b;
    b.warp().access(load, lines(32));
    rig.launch(b);
    rig.run(100);
    EXPECT_EQ(rig.memory.seen.size(), 1u);
    EXPECT_GT(rig.core.statistics().stalls[static_cast<unsigned>(memory_stage::global_load)]
                                          [static_cast<unsigned>(memory_stall::network_full)],
              50u);
    rig.memory.closed = rig.memory.mute = false;
    rig.run(300);
    EXPECT_EQ(rig.memory.seen.size(), 32u);
    EXPECT_EQ(rig.completed.size(), 1u);
}

// ---- local memory ------------------------------------------------------------------------------

TEST(LdstUnit, InterleavesTheWordsOfLocalMemory) {
    sm_config c = small_sm();
    sm_rig rig("rig", c);
    rig.kernel.ctas_per_sm = 2;
    listing p;
    const auto& load = p.memory(memory_space::local, false, 8, 8);  // two words per lane
    block_builder b;
    b.warp().access(load, [](unsigned) { return 16; });  // the same offset in every lane
    rig.launch(b);
    rig.run(400);
    // Each word of 32 threads occupies 128 contiguous bytes; the stride between words of a thread
    // is the number of resident threads in words.
    auto at = rig.memory.addresses();
    std::sort(at.begin(), at.end());
    ASSERT_EQ(at.size(), 8u);
    for (unsigned k = 0; k < 4; ++k) {
        EXPECT_EQ(at[k], at[0] + 32 * k);
        EXPECT_EQ(at[4 + k], at[k] + 4 * 64);  // 2 CTAs of 32 threads
    }
    EXPECT_EQ(rig.memory.seen[0].type, access_type::local_read);
}

// ---- asynchronous copies -----------------------------------------------------------------------

struct copies {
    listing p;
    const program::static_instruction& copy;
    const program::static_instruction& close;
    const program::static_instruction& wait_1;
    const program::static_instruction& wait_0;
    const program::static_instruction& after_1;
    const program::static_instruction& after_0;
    const program::static_instruction& slow;
    copies()
        : copy(make_copy()),
          close(p.special(special_op::ldgdepbar)),
          wait_1(p.special(special_op::depbar, 1)),
          wait_0(p.special(special_op::depbar, 0)),
          after_1(p.alu({20}, {21})),
          after_0(p.alu({22}, {23})),
          slow(p.alu({24}, {24}, 100)) {}
    const program::static_instruction& make_copy() {
        program::static_instruction i = uncached(p, false, 0);
        i.n_dst = 0;
        i.special = special_op::ldgsts;
        i.data_size = 16;
        return p.add(i);
    }
};

TEST(LdstUnit, WaitsAtADepbarForAllButTheLastGroups) {
    sm_rig rig("rig", small_sm(), 600);
    copies k;
    block_builder b;
    b.warp().access(k.copy, lines(16)).run(k.close).run(k.slow).run(k.slow).run(k.slow);
    b.access(k.copy, lines(16, data + 0x1000)).run(k.close);
    b.run(k.wait_1).run(k.after_1).run(k.wait_0).run(k.after_0);
    rig.launch(b);
    rig.run(2500);
    ASSERT_EQ(rig.memory.seen.size(), 32u);
    const std::uint64_t first = rig.memory.seen[15].cycle + 600;
    const std::uint64_t second = rig.memory.seen[31].cycle + 600;
    EXPECT_GT(rig.issued(k.after_1).at(0), first);
    EXPECT_LT(rig.issued(k.after_1).at(0), second) << "the second group may be in flight";
    EXPECT_GT(rig.issued(k.after_0).at(0), second);
    EXPECT_EQ(rig.completed.size(), 1u);
    EXPECT_EQ(rig.core.statistics().warp_instructions, 11u);
    EXPECT_EQ(rig.core.instructions_in_flight(), 0u);
}

TEST(LdstUnit, WritesSharedMemoryWhenTheDataOfACopyArrive) {
    sm_config quirky = small_sm();
    quirky.quirks.ldgsts_global_half_only = true;
    sm_rig whole("whole", small_sm(), 300), half("half", quirky, 300);
    copies k;
    block_builder b;
    b.warp().access(k.copy, lines(16)).run(k.close).run(k.wait_0).run(k.after_0);
    whole.launch(b);
    half.launch(b);
    whole.run(800);
    // 512 bytes are four rows of the banks.
    EXPECT_EQ(whole.issued(k.after_0).at(0), half.issued(k.after_0).at(0) + 4);
}

TEST(LdstUnit, HoldsAWarpUntilItsCopiesHaveArrived) {
    sm_rig rig("rig", small_sm(), 500);
    copies k;
    block_builder b;
    b.warp().access(k.copy, lines(16)).run(k.p.exit());  // never waited for
    rig.launch(b);
    rig.run(900);
    EXPECT_GT(rig.completed.at(0), rig.memory.seen.back().cycle + 500);
}

TEST(LdstUnit, LoadsMatricesFromSharedMemory) {
    sm_rig rig("rig", small_sm());
    listing p;
    program::static_instruction i = p.memory(memory_space::shared, false, 8, 16);
    i.special = special_op::ldsm;
    const auto& matrix = p.add(i);
    const auto& use = p.alu({9}, {8});
    block_builder b;
    b.warp().access(matrix, lines(128, 0)).run(use);  // all rows in the same bank
    rig.launch(b);
    rig.run(200);
    const std::uint64_t issued = rig.issued(matrix).at(0);
    EXPECT_EQ(rig.issued(use).at(0), issued + to_unit + 31 + 20 + 1);
}

TEST(LdstUnit, InvalidatesTheL1AtAMemoryBarrierIfConfigured) {
    sm_config flushed = small_sm();
    flushed.l1.flush = true;
    sm_rig keeping("keeping", small_sm(), 100), flushing("flushing", flushed, 100);
    listing p;
    const auto& load = p.memory(memory_space::global, false, 8);
    const auto& fence = p.alu({}, {}, 1, 1, program::op_class::memory_barrier);
    block_builder b;
    b.warp();
    // Each fence waits for its load.
    for (int k = 0; k < 3; ++k) b.access(load, lines(4)).run(fence);
    keeping.launch(b);
    flushing.launch(b);
    keeping.run(2000);
    EXPECT_EQ(keeping.memory.seen.size(), 4u) << "sectors, of the first load";
    EXPECT_EQ(flushing.memory.seen.size(), 12u);
    EXPECT_EQ(flushing.completed.size(), 1u);
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

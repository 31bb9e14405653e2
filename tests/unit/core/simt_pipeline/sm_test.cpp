// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/core/sm_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::core::simt_pipeline {
namespace {

using program::memory_space;
using program::op_class;
using test::block_builder;
using test::listing;
using test::sm_rig;
using test::small_sm;
using ::testing::ElementsAre;

constexpr std::uint64_t data = 0x7f0000000000;

/// Launched at the end of cycle 0: fetched in 1, decoded in 2, issued in 3.
constexpr std::uint64_t first_issue = 3;
/// Minimum distance from the issue of an instruction with register operands to that of a dependent
/// one, in addition to its latency: collector allocated, operands read, to OC_EX, into the unit,
/// out of its last stage, written back.
constexpr std::uint64_t round_trip = 6;

void expect_everything_accounted(sm_rig& rig, std::uint64_t instructions) {
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.warp_instructions, instructions);
    std::uint64_t issued = 0;
    for (const std::uint64_t n : s.issued_lanes) issued += n;
    EXPECT_EQ(issued, instructions);
    std::uint64_t by_slot = 0, by_unit = s.ldst_instructions;
    for (const std::uint64_t n : s.issued_by_slot) by_slot += n;
    for (const unit_count& u : rig.core.unit_counts()) by_unit += u.instructions;
    EXPECT_EQ(by_slot, instructions);
    EXPECT_EQ(by_unit, instructions) << "each went to one unit";
    EXPECT_GE(s.warp_cycles, s.cycles);
    EXPECT_EQ(s.idle + s.scoreboard + s.stall + s.issue_cycles, s.cycles * rig.core.schedulers());
    EXPECT_EQ(rig.core.instructions_in_flight(), 0u);
    EXPECT_LE(rig.pool.outstanding(), 1u) << "the front end keeps one for its next request";
    EXPECT_TRUE(rig.memory.quiet());
    EXPECT_FALSE(rig.core.busy());
}

struct SmChain : ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Latencies, SmChain, ::testing::Values(1u, 4u, 25u, 300u));

TEST_P(SmChain, IssuesADependentInstructionALatencyAndARoundTripLater) {
    const unsigned latency = GetParam();
    sm_rig rig("rig", small_sm());
    listing p;
    const auto& add = p.alu({1}, {1}, latency);
    const auto& exit = p.exit();
    block_builder b;
    b.warp();
    for (int i = 0; i < 9; ++i) b.run(add);
    b.run(exit);
    rig.launch(b);
    rig.run(3500);
    const auto at = rig.issued(add);
    ASSERT_EQ(at.size(), 9u);
    for (std::size_t i = 0; i < at.size(); ++i)
        EXPECT_EQ(at[i], first_issue + i * (latency + round_trip));
    // The exit is the second instruction of the last fetch. It has no operands to wait for, and the
    // round robin of the single collector port lets it pass first.
    EXPECT_THAT(rig.issued(exit), ElementsAre(at[8] + 1));
    EXPECT_THAT(rig.completed, ElementsAre(at[8] + 1 + latency + round_trip));
    expect_everything_accounted(rig, 10);
}

TEST(Sm, FetchesTwoInstructionsOfAWarpEveryThirdCycle) {
    sm_rig rig("rig", small_sm());
    listing p;
    const auto& add = p.alu({}, {1, 2});
    block_builder b;
    b.warp();
    for (int i = 0; i < 6; ++i) b.run(add);
    rig.launch(b);
    rig.run(100);
    // Both issue, and the buffer is empty: fetch in that cycle, decode in the next, then issue.
    EXPECT_THAT(rig.issued(add), ElementsAre(3, 4, 6, 7, 9, 10));
    expect_everything_accounted(rig, 6);
}

TEST(Sm, IssuesOneInstructionPerCycleFromIndependentWarps) {
    sm_config c = small_sm();
    c.scheduler.policy = "lrr";
    sm_rig rig("rig", c);
    listing p;
    block_builder b;
    for (int w = 0; w < 8; ++w) {
        b.warp();
        // Write to banks that are not read.
        for (unsigned i = 0; i < 20; ++i) b.run(p.alu({8 * i + 12}, {1, 2}));
    }
    rig.launch(b);
    rig.run(400);
    ASSERT_EQ(rig.issues.size(), 160u);
    EXPECT_EQ(rig.issues.back().cycle - rig.issues.front().cycle, 159u) << "without a gap";
    expect_everything_accounted(rig, 160);
}

TEST(Sm, CountsTheCyclesOfItsResidentWarps) {
    sm_rig rig("rig", small_sm());
    listing p;
    const auto& add = p.alu({1}, {1}, 30);
    const auto& exit = p.exit();
    block_builder b;
    for (const unsigned length : {2u, 20u}) {
        b.warp();
        for (unsigned i = 0; i < length; ++i) b.run(add);
        b.run(exit);
    }
    rig.launch(b);
    rig.launch(b, 100);
    std::uint64_t resident = 0;  // at the end of a cycle; used in the next one
    rig.at_end_of_cycle = [&](std::uint64_t) {
        resident += static_cast<unsigned>(__builtin_popcountll(rig.core.warps().resident));
    };
    rig.run(2000);
    EXPECT_EQ(rig.core.statistics().warp_cycles, resident);
    EXPECT_EQ(rig.core.statistics().warps_launched, 4u);
    expect_everything_accounted(rig, 48);
}

TEST(Sm, CountsIssuesByWarpSlotAndByUnit) {
    sm_rig rig("rig", small_sm());
    listing p;
    block_builder b;
    for (unsigned w = 0; w < 3; ++w) {
        b.warp();
        for (unsigned i = 0; i <= w; ++i) b.run(p.alu({8}, {1}, 4, 1, op_class::dp));
        b.access(p.memory(memory_space::global, false, 9), [](unsigned) { return data; });
        b.run(p.exit());
    }
    rig.launch(b);
    rig.run(600);
    const core_statistics& s = rig.core.statistics();
    for (unsigned w = 0; w < 3; ++w) EXPECT_EQ(s.issued_by_slot[w], w + 3);
    EXPECT_EQ(s.ldst_instructions, 3u);
    for (const unit_count& u : rig.core.unit_counts())
        if (u.kind == "dp") {
            EXPECT_EQ(u.instructions, 6u);
        }
    expect_everything_accounted(rig, 12);
}

TEST(Sm, CountsCyclesOfNetworkBackPressureWithAndWithoutSleep) {
    simulation::phase_sequencer::options awake;
    awake.sleeping = false;
    sm_rig sleeper("sleeper", small_sm()), waker("waker", small_sm(), 100, awake);
    listing p;
    block_builder b;
    b.warp();
    for (unsigned k = 0; k < 3; ++k)
        b.access(p.memory(memory_space::global, false, 9 + k),
                 [=](unsigned) { return data + 128 * k; });
    for (unsigned k = 0; k < 2; ++k) {
        program::static_instruction direct = p.memory(memory_space::global, false, 20 + k);
        direct.cache_op = program::cache_operator::cache_global;
        b.access(p.add(direct), [=](unsigned) { return data + 4096 + 128 * k; });
    }
    for (sm_rig* rig : {&sleeper, &waker}) {
        rig->launch(b);
        rig->memory.closed = rig->memory.mute = true;
        rig->at_end_of_cycle = [rig](std::uint64_t now) {
            if (now == 200) rig->memory.closed = rig->memory.mute = false;
        };
    }
    sleeper.run(1000);  // both rigs
    for (sm_rig* rig : {&sleeper, &waker}) {
        std::uint64_t by_unit = 0;
        for (const auto& stage : rig->core.statistics().stalls)
            by_unit += stage[static_cast<unsigned>(memory_stall::network_full)];
        const std::uint64_t by_l1 = rig->core.caches().data.back_pressure().up_to_date();
        ASSERT_EQ(rig->memory.seen.size(), 5u);
        EXPECT_GT(by_unit, 150u) << "the second of those that pass by the L1";
        EXPECT_GT(by_l1, 150u) << "the first miss, which waits at the port";
        EXPECT_LT(by_l1, 210u) << "one per cycle, though three are waiting";
        EXPECT_EQ(rig->core.network_refusals(), by_unit + by_l1);
        expect_everything_accounted(*rig, 5);
    }
    EXPECT_EQ(sleeper.core.network_refusals(), waker.core.network_refusals());
}

struct SmUnit : ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Intervals, SmUnit, ::testing::Values(1u, 2u, 4u, 8u));

TEST_P(SmUnit, StartsAnInstructionEveryInitiationInterval) {
    const unsigned interval = GetParam();
    sm_config c = small_sm();
    c.scheduler.policy = "lrr";
    sm_rig rig("rig", c);
    listing p;
    block_builder b;
    for (int w = 0; w < 8; ++w) {
        b.warp();
        for (unsigned i = 0; i < 16; ++i) b.run(p.alu({8 * i + 12}, {1}, 10, interval));
    }
    rig.launch(b);
    rig.run(1500);
    ASSERT_EQ(rig.completed.size(), 1u);
    // 128 instructions through one unit: its input register is the bottleneck.
    const std::uint64_t first_into_unit = first_issue + 4;
    EXPECT_EQ(rig.completed[0], first_into_unit + 127 * interval + 10 + 2);
    expect_everything_accounted(rig, 128);
}

TEST(Sm, UsesALoadedWordAfterTheL1Latency) {
    sm_config c = small_sm();
    sm_rig rig("rig", c, 200);
    listing p;
    const auto& load = p.memory(memory_space::global, false, 8);
    const auto& use = p.alu({9}, {8});
    const auto& again = p.memory(memory_space::global, false, 9);
    const auto& use_again = p.alu({10}, {9});
    block_builder b;
    b.warp()
        .access(load, [](unsigned i) { return data + 4 * (i % 8); })
        .run(use)
        .access(again, [](unsigned i) { return data + 4 * (i % 8); })
        .run(use_again);
    rig.launch(b);
    rig.run(600);
    ASSERT_EQ(rig.issued(use_again).size(), 1u);
    // Enters the LD/ST unit 4 cycles after issue, accesses in the next; tags after the L1 latency.
    const std::uint64_t tags = first_issue + 5 + c.ldst.l1_latency;
    ASSERT_EQ(rig.memory.seen.size(), 1u);
    EXPECT_EQ(rig.memory.seen[0].cycle, tags + 1) << "a miss leaves in the cycle after";
    // Taken immediately, selected for write-back in the next cycle, written in the one after that.
    EXPECT_EQ(rig.issued(use)[0], tags + 1 + 200 + 2);
    // A hit releases its registers at the tag lookup.
    EXPECT_EQ(rig.issued(use_again)[0], rig.issued(again)[0] + 5 + c.ldst.l1_latency);
    expect_everything_accounted(rig, 4);
}

struct SmSharedMemory : ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Strides, SmSharedMemory, ::testing::Values(1u, 2u, 8u, 32u));

TEST_P(SmSharedMemory, ReturnsAWordAfterItsLatencyAndItsConflicts) {
    const unsigned stride = GetParam();
    const sm_config c = small_sm();
    sm_rig rig("rig", c);
    listing p;
    const auto& load = p.memory(memory_space::shared, false, 8);
    const auto& use = p.alu({9}, {8});
    block_builder b;
    b.warp().access(load, [=](unsigned i) { return 4 * stride * i; }).run(use);
    rig.launch(b);
    rig.run(200);
    // One cycle per conflicting word before the pipeline; one for selection for write-back.
    EXPECT_THAT(rig.issued(use),
                ElementsAre(first_issue + 5 + (stride - 1) + c.shared.latency + 1));
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.shared_accesses, stride);
    EXPECT_EQ(s.shared_bank_conflicts, stride - 1);
    EXPECT_EQ(s.shared_insn, 32u);
    expect_everything_accounted(rig, 2);
}

TEST(Sm, ReleasesABarrierInTheCycleAfterTheLastArrival) {
    sm_rig rig("rig", small_sm());
    listing p;
    const auto& slow = p.alu({1}, {1}, 50);
    const auto& bar = p.barrier();
    const auto& after = p.alu({2}, {2});
    block_builder b;
    b.warp().run(bar).run(after);
    b.warp().run(slow).run(slow).run(bar).run(after);
    rig.launch(b);
    rig.run(300);
    const std::uint64_t last = rig.issued(bar, 1).at(0);
    EXPECT_LT(rig.issued(bar, 0).at(0), last);
    EXPECT_EQ(rig.issued(after, 1).at(0), last + 1) << "the scheduler is greedy";
    EXPECT_EQ(rig.issued(after, 0).at(0), last + 2);
    expect_everything_accounted(rig, 6);
}

TEST(Sm, LosesACycleToARegisterBankConflict) {
    sm_rig apart("apart", small_sm()), together("together", small_sm());
    listing p;
    const auto& add = p.alu({1}, {1, 2});
    const auto& clash = p.alu({1}, {1, 9});
    block_builder a, t;
    a.warp().run(add).run(add);
    t.warp().run(clash).run(clash);
    apart.launch(a);
    together.launch(t);
    apart.run(100);
    const auto between = [](const std::vector<std::uint64_t>& v) { return v.at(1) - v.at(0); };
    EXPECT_EQ(between(apart.issued(add)), 4 + round_trip);
    EXPECT_EQ(between(together.issued(clash)), 4 + round_trip + 1);
    EXPECT_EQ(together.core.statistics().register_bank_conflicts, 2u);
    EXPECT_EQ(apart.core.statistics().register_bank_conflicts, 0u);
    EXPECT_EQ(apart.core.statistics().register_reads, 4u);
    EXPECT_EQ(apart.core.statistics().register_writes, 2u);
}

TEST(Sm, DoesNotDispatchToAReservedResultBusSlot) {
    sm_config narrow = small_sm(), wide = small_sm();
    narrow.write_back.width = 1;
    wide.write_back.width = 2;
    sm_rig one("one", narrow), two("two", wide);
    listing p;
    const auto& first = p.alu({5}, {1}, 10);
    // Issued a cycle later, latency shorter by one cycle.
    const auto& second = p.alu({6}, {1}, 9, 1, op_class::sp);
    const auto& use = p.alu({7}, {6});
    block_builder b;
    b.warp().run(first).run(second).run(use);
    one.launch(b);
    two.launch(b);
    one.run(100);
    EXPECT_EQ(two.issued(use).at(0), two.issued(second)[0] + 9 + round_trip);
    EXPECT_EQ(one.issued(use).at(0), two.issued(use)[0] + 1);
}

TEST(Sm, CountsTheCyclesOfASchedulerOnce) {
    sm_rig rig("rig", small_sm(), 150);
    listing p;
    const auto& load = p.memory(memory_space::global, false, 8);
    const auto& use = p.alu({9}, {8});
    block_builder b;
    b.warp().access(load, [](unsigned i) { return data + 4 * i; }).run(use);
    rig.launch(b);
    // Also holds during the run.
    rig.at_end_of_cycle = [&](std::uint64_t now) {
        if (now < 4 || now % 7 != 0) return;
        const core_statistics& s = rig.core.statistics();
        ASSERT_EQ(s.idle + s.scoreboard + s.stall + s.issue_cycles, s.cycles) << now;
    };
    rig.run(100);
    rig.at_end_of_cycle = nullptr;
    rig.run(400);
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.issue_cycles, 2u);
    EXPECT_EQ(s.cycles, rig.completed.at(0)) << "cycles 1 to the end";
    EXPECT_EQ(s.scoreboard, rig.issued(use)[0] - rig.issued(load)[0] - 1);
    EXPECT_EQ(s.idle, s.cycles - s.scoreboard - 2);
    EXPECT_EQ(s.issued_lanes[32], 2u);
    expect_everything_accounted(rig, 2);
}

TEST(Sm, RunsAWarpWithoutInstructions) {
    sm_rig rig("rig", small_sm());
    listing p;
    const auto& bar = p.barrier();
    const auto& exit = p.exit();
    block_builder b;
    b.warp();  // in the trace, but never active
    b.warp().run(bar).run(exit);
    rig.launch(b);
    rig.run(100);
    EXPECT_EQ(rig.completed.size(), 1u);
    expect_everything_accounted(rig, 2);
}

TEST(Sm, RunsCtasSuccessivelyWhenOnlyOneFits) {
    sm_rig rig("rig", small_sm());
    rig.kernel.ctas_per_sm = 1;
    listing p;
    const auto& add = p.alu({1}, {1});
    const auto& exit = p.exit();
    block_builder b;
    b.warp().run(add).run(exit);
    for (int i = 0; i < 5; ++i) rig.launch(b);
    rig.run(300);
    ASSERT_EQ(rig.completed.size(), 5u);
    const std::uint64_t length = rig.completed[0];
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(rig.completed[i], length * (i + 1));
    EXPECT_EQ(rig.core.statistics().ctas_completed, 5u);
    EXPECT_EQ(rig.core.statistics().warps_launched, 5u);
    EXPECT_EQ(rig.core.statistics().cycles, 5 * length);
    expect_everything_accounted(rig, 10);
}

TEST(Sm, ReportsWhatItsWarpsWaitFor) {
    sm_rig rig("rig", small_sm());
    rig.memory.mute = true;
    listing p;
    const auto& load = p.memory(memory_space::global, false, 8);
    const auto& use = p.alu({9}, {8});
    const auto& bar = p.barrier(2, 64);
    const auto& store = p.memory(memory_space::global, true, 8);
    const auto& atomic = p.atomic(4);
    const auto lanes = [](unsigned i) { return data + 4 * i; };
    block_builder b;
    b.warp().access(load, lanes).run(use);
    b.warp().run(bar).run(use);
    b.warp().access(store, lanes);
    b.warp().access(atomic, lanes).run(use);
    rig.launch(b);
    rig.run(500);
    const std::string text = rig.core.describe();
    EXPECT_THAT(text, ::testing::HasSubstr("SM 0 warp 0 (CTA slot 0) after PC 0x0 waits for "
                                           "registers of TEST\n"));
    EXPECT_THAT(text,
                ::testing::HasSubstr("warp 1 (CTA slot 0) after PC 0x20 waits for a barrier"));
    EXPECT_THAT(text,
                ::testing::HasSubstr("waits for its end: 0 instructions in flight, 4 stores"));
    EXPECT_THAT(text, ::testing::HasSubstr("waits for 32 atomics"));
    EXPECT_THAT(text, ::testing::HasSubstr("CTA slot 0 barrier 2: arrived warps 0x2"));
}

TEST(Sm, FailsOnAnInstructionThatNoUnitExecutes) {
    sm_rig rig("rig", small_sm());
    listing p;
    const auto& hmma = p.alu({1}, {2}, 4, 1, op_class::spec3);
    block_builder b;
    b.warp().run(hmma);
    rig.launch(b);
    rig.run(50);
    EXPECT_THROW(rig.sequencer.rethrow_failure(), std::exception);
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/core/executed_source.h"
#include "tests/unit/core/sub_core_pipeline/sub_core_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace simtlm::core::sub_core_pipeline {
namespace {

using program::memory_space;
using test::block_builder;
using test::four_sub_cores;
using test::stall;
using test::sub_core_listing;
using test::sub_core_rig;
using ::testing::ElementsAre;

constexpr std::uint64_t data = 0x7f0000000000;

std::uint64_t word_of(unsigned lane) {
    return data + 4 * lane;
}

void expect_everything_accounted(sub_core_rig& rig, std::uint64_t instructions) {
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.warp_instructions, instructions);
    std::uint64_t issued = 0, slots = 0;
    for (const std::uint64_t n : s.issued_lanes) issued += n;
    EXPECT_EQ(issued, instructions);
    for (const std::uint64_t n : rig.core.stage_statistics().cycles) slots += n;
    EXPECT_EQ(slots, s.cycles * rig.core.sub_cores()) << "every cycle has one reason";
    EXPECT_EQ(s.idle + s.scoreboard + s.stall + s.issue_cycles, slots);
    EXPECT_EQ(rig.core.instructions_in_flight(), 0u);
    EXPECT_FALSE(rig.core.busy());
    EXPECT_LE(rig.pool.outstanding(), 1u);
}

TEST(SubCoreSm, IssuesADependentInstructionAfterItsStallCount) {
    sub_core_rig rig("rig", four_sub_cores(), {});
    sub_core_listing p;
    const auto& first = p.add("FFMA", {1}, {2, 3, 4}, stall(4));
    const auto& second = p.add("FFMA", {5}, {1, 3, 4}, stall(1));
    const auto& third = p.add("FFMA", {6}, {2, 3, 4}, stall(1));
    block_builder b;
    b.warp().run(first).run(second).run(third).run(p.exit());
    rig.launch(b);
    rig.run(500);
    EXPECT_EQ(rig.distance(first, second), 4u);
    // The FP32 pipes together accept one instruction per cycle.
    EXPECT_EQ(rig.distance(second, third), 1u);
    ASSERT_EQ(rig.completed.size(), 1u);
    expect_everything_accounted(rig, 4);
}

TEST(SubCoreSm, KeepsAWarpThatYieldsOutOfTheNextCycle) {
    sub_core_rig rig("rig", four_sub_cores(), {});
    sub_core_listing p;
    const auto& first = p.add("FFMA", {1}, {2, 3, 4}, stall(1, true));
    const auto& second = p.add("FFMA", {5}, {2, 3, 4}, stall(1));
    block_builder b;
    b.warp().run(first).run(second).run(p.exit());
    rig.launch(b);
    rig.run(500);
    EXPECT_EQ(rig.distance(first, second), 2u);
}

TEST(SubCoreSm, OccupiesTheIssuePortOneMoreCycleForIntegerMultipliesOf64Bits) {
    sub_core_rig rig("rig", four_sub_cores(), {});
    sub_core_listing p;
    const auto& wide = p.add("IMAD.WIDE", {2}, {4, 5, 6}, stall(1));
    const auto& next = p.add("IADD3", {8}, {10, 11, 12}, stall(1));
    block_builder b;
    b.warp().run(wide).run(next).run(p.exit());
    rig.launch(b);
    rig.run(500);
    EXPECT_EQ(rig.distance(wide, next), 2u);
}

TEST(SubCoreSm, ConvertsFrom64BitsInTheFp64UnitThatSubCoresShare) {
    sm_timing shared;
    shared.shared_fp64_interval = 16;
    sub_core_rig one("one", four_sub_cores(), {}), other("other", four_sub_cores(), shared);
    sub_core_listing p;
    const auto& converts = p.add("F2F.F64.F32", {2}, {4}, stall(1));
    const auto& adds = p.add("DADD", {6}, {8, 10}, stall(1));
    const auto& narrow = p.add("F2F.F16.F32", {12}, {14}, stall(1));
    for (sub_core_rig* rig : {&one, &other}) {
        block_builder b;
        b.warp().run(converts).run(adds).run(narrow).run(p.exit());
        rig->launch(b);
    }
    one.run(500);  // both: they have one clock
    const unsigned busy = shared.execution[program::scheduling_class::fp64].initiation;
    EXPECT_EQ(one.distance(converts, adds), 1u);
    EXPECT_EQ(other.distance(converts, adds), busy);
    EXPECT_LT(other.distance(adds, narrow), busy) << "the XU converts other types";
}

struct latency_case {
    memory_space space;
    bool store;
    unsigned bytes;
    unsigned war, raw;
};

void PrintTo(const latency_case& c, std::ostream* out) {
    *out << (c.store ? "store " : "load ") << static_cast<int>(c.space) << ' ' << c.bytes;
}

struct MemoryLatencyOfAmpere : ::testing::TestWithParam<latency_case> {};
INSTANTIATE_TEST_SUITE_P(Table, MemoryLatencyOfAmpere,
                         ::testing::Values(latency_case{memory_space::global, false, 4, 11, 32},
                                           latency_case{memory_space::global, false, 8, 11, 34},
                                           latency_case{memory_space::global, false, 16, 11, 38},
                                           latency_case{memory_space::global, true, 4, 14, 0},
                                           latency_case{memory_space::global, true, 8, 16, 0},
                                           latency_case{memory_space::global, true, 16, 20, 0},
                                           latency_case{memory_space::shared, false, 4, 9, 24},
                                           latency_case{memory_space::shared, false, 8, 9, 24},
                                           latency_case{memory_space::shared, false, 16, 9, 26},
                                           latency_case{memory_space::shared, true, 4, 12, 0},
                                           latency_case{memory_space::shared, true, 16, 18, 0}));

// Huerta et al., table 2: cycles from a memory instruction that hits to one that overwrites its
// operands, or reads its result.
TEST_P(MemoryLatencyOfAmpere, IsThatOfTheTableFromIssueToIssue) {
    const latency_case& c = GetParam();
    sub_core_rig rig("rig", four_sub_cores(), {});
    sub_core_listing p;
    program::control_bits warm;
    warm.stall = 2;
    warm.write_barrier = c.store ? 7 : 5;
    program::control_bits produce = stall(2);
    produce.read_barrier = 0;
    produce.write_barrier = c.store ? 7 : 1;
    program::control_bits after_reads = stall(1), after_result = stall(1), after_warm = stall(10);
    after_reads.wait_mask = 1u << 0;
    after_result.wait_mask = 1u << 1;
    after_warm.wait_mask = 1u << 5;
    const auto& first =
        c.store ? p.store(c.space, c.bytes, warm) : p.load(c.space, c.bytes, 20, warm);
    const auto& settled = p.add("IADD3", {30}, {20}, after_warm);
    const auto& probed =
        c.store ? p.store(c.space, c.bytes, produce) : p.load(c.space, c.bytes, 20, produce);
    const auto& overwrites = p.add("IADD3", {2}, {6}, after_reads);
    const auto& reads = p.add("IADD3", {7}, {20}, after_result);
    block_builder b;
    const auto where = [&](unsigned lane) { return data + std::uint64_t{c.bytes} * lane; };
    b.warp().access(first, where).run(settled).access(probed, where).run(overwrites).run(reads);
    b.run(p.exit());
    rig.launch(b);
    rig.run(3000);
    ASSERT_EQ(rig.completed.size(), 1u);
    EXPECT_EQ(rig.distance(probed, overwrites), c.war);
    if (!c.store) {
        EXPECT_EQ(rig.distance(probed, reads), c.raw);
    }
    expect_everything_accounted(rig, 6);
}

// Huerta et al.: issue cycles of consecutive loads with one to four active sub-cores.
struct IssueOfLoads : ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(SubCores, IssueOfLoads, ::testing::Values(1u, 2u, 3u, 4u));

TEST_P(IssueOfLoads, IsThatMeasuredOnAmpere) {
    const unsigned active = GetParam();
    sub_core_rig rig("rig", four_sub_cores(), {});
    sub_core_listing p;
    const auto& warm = p.load(memory_space::global, 4, 60, [] {
        program::control_bits c = stall(2);
        c.write_barrier = 5;
        return c;
    }());
    const auto& settled = p.add("IADD3", {61}, {60}, [] {
        program::control_bits c = stall(11);
        c.wait_mask = 1u << 5;
        return c;
    }());
    const auto& still = p.add("NOP", {}, {}, stall(11));
    std::vector<const program::static_instruction*> loads;
    for (unsigned i = 0; i < 8; ++i) {
        program::control_bits c = stall(1);
        c.write_barrier = 0;
        loads.push_back(&p.load(memory_space::global, 4, 10 + 2 * i, c));
    }
    const auto& exit = p.exit();
    block_builder b;
    for (unsigned w = 0; w < active; ++w) {
        b.warp().access(warm, word_of).run(settled);
        for (int i = 0; i < 6; ++i) b.run(still);
        for (const auto* l : loads) b.access(*l, word_of);
        b.run(exit);
    }
    rig.launch(b);
    rig.run(3000);
    ASSERT_EQ(rig.completed.size(), 1u);
    static const std::vector<std::vector<std::uint64_t>> sixth_to_eighth[4] = {
        {{13, 17, 21}},
        {{13, 17, 21}, {15, 19, 23}},
        {{13, 19, 25}, {15, 21, 27}, {17, 23, 29}},
        {{13, 21, 29}, {15, 23, 31}, {17, 25, 33}, {19, 27, 35}}};
    std::vector<std::vector<std::uint64_t>> seen;
    for (unsigned w = 0; w < active; ++w) {
        const std::uint64_t begin = rig.issued(*loads[0], static_cast<int>(w)).at(0);
        for (unsigned i = 1; i < 5; ++i)
            EXPECT_EQ(rig.issued(*loads[i], static_cast<int>(w)).at(0), begin + i);
        seen.emplace_back();
        for (unsigned i = 5; i < 8; ++i)
            seen.back().push_back(rig.issued(*loads[i], static_cast<int>(w)).at(0) - begin + 2);
    }
    EXPECT_THAT(seen, ::testing::UnorderedElementsAreArray(sixth_to_eighth[active - 1]));
}

struct stride_case {
    unsigned words;  ///< stride between lanes
    unsigned more;   ///< additional cycles compared to a load of one line
};

void PrintTo(const stride_case& c, std::ostream* out) {
    *out << "stride of " << c.words << " words";
}

struct StridedLoad : ::testing::TestWithParam<stride_case> {};
// Conflicts of lanes in one of 32 banks of words, and of lines in one bank of tags.
INSTANTIATE_TEST_SUITE_P(Strides, StridedLoad,
                         ::testing::Values(stride_case{0, 0}, stride_case{1, 0}, stride_case{3, 0},
                                           stride_case{8, 7}, stride_case{9, 2},
                                           stride_case{16, 15}, stride_case{17, 4},
                                           stride_case{32, 31}, stride_case{33, 7},
                                           stride_case{45, 9}, stride_case{53, 11}));

TEST_P(StridedLoad, HitsAfterItsTagLookupsAndBankReads) {
    sm_config c = four_sub_cores();
    sub_core_rig rig("rig", c, {});
    sub_core_listing p;
    program::control_bits warm = stall(2), produce = stall(2), after = stall(1);
    program::control_bits after_warm = stall(10);
    warm.write_barrier = 5;
    after_warm.wait_mask = 1u << 5;
    produce.write_barrier = 1;
    after.wait_mask = 1u << 1;
    const auto& first = p.load(memory_space::global, 4, 20, warm);
    const auto& settled = p.add("IADD3", {30}, {20}, after_warm);
    const auto& probed = p.load(memory_space::global, 4, 20, produce);
    const auto& reads = p.add("IADD3", {7}, {20}, after);
    block_builder b;
    const auto where = [](unsigned lane) { return data + 4 * GetParam().words * lane; };
    b.warp().access(first, where).run(settled).access(probed, where).run(reads).run(p.exit());
    rig.launch(b);
    rig.run(3000);
    ASSERT_EQ(rig.completed.size(), 1u);
    EXPECT_EQ(rig.distance(probed, reads), 32 + GetParam().more);
}

TEST(SubCoreSm, WaitsForALoadThatMissesByItsDependenceCounter) {
    sub_core_rig rig("rig", four_sub_cores(), {}, 400);
    sub_core_listing p;
    program::control_bits produce = stall(2), consume = stall(1);
    produce.write_barrier = 3;
    consume.wait_mask = 1u << 3;
    const auto& load = p.load(memory_space::global, 4, 20, produce);
    const auto& use = p.add("IADD3", {7}, {20}, consume);
    block_builder b;
    b.warp().access(load, word_of).run(use).run(p.exit());
    rig.launch(b);
    rig.run(200);
    EXPECT_EQ(rig.core.why_waiting(0), warp_wait::memory);
    rig.run(3000);
    EXPECT_GT(rig.distance(load, use), 400u);
    EXPECT_GT(rig.core.stage_statistics().cycles[static_cast<unsigned>(stall_reason::dependence)],
              350u);
    expect_everything_accounted(rig, 3);
}

/// Two dependent products of 8 x 8 x 4 in four steps each, as Volta's machine code computes them,
/// then an instruction that reads the result.
struct products_in_steps {
    sub_core_rig rig;
    sub_core_listing p;
    const program::static_instruction *last = nullptr, *first = nullptr, *end = nullptr,
                                      *reader = nullptr;

    /// @param before  executed before the second product; may increment counter 5
    products_in_steps(const char* name, unsigned forward,
                      const program::static_instruction& (*before)(sub_core_listing&) = nullptr)
        : rig(name, four_sub_cores(), timing(forward), 400) {
        block_builder b;
        b.warp();
        for (unsigned product = 0; product < 2; ++product) {
            for (unsigned step = 0; step < 4; ++step) {
                constexpr const char* opcodes[] = {
                    "HMMA.884.F32.F32.STEP0", "HMMA.884.F32.F32.STEP1", "HMMA.884.F32.F32.STEP2",
                    "HMMA.884.F32.F32.STEP3"};
                program::control_bits c = stall(2);
                if (product == 1 && step == 0) c.wait_mask = 1u << 5;
                if (step == 3) c.write_barrier = 5;
                const auto& i = p.add(opcodes[step], {20 + 2 * step}, {4, 8, 20 + 2 * step}, c);
                b.run(i);
                if (step == 0 && product == 1) first = &i;
                if (step == 3) (product == 0 ? last : end) = &i;
            }
            if (product == 0 && before != nullptr) b.access(before(p), word_of);
        }
        program::control_bits c = stall(1);
        c.wait_mask = 1u << 5;
        reader = &p.add("FADD", {40}, {26, 27}, c);
        b.run(*reader).run(p.exit());
        rig.launch(b);
    }
    static sm_timing timing(unsigned forward) {
        sm_timing t;
        t.execution.tensor.rate = 964;  // V100
        t.execution.tensor.f32_extra = 18;
        t.execution.tensor.forward = forward;
        return t;
    }
};

TEST(SubCoreSm, ForwardsAccumulatorsToTheNextProductButToNoOtherInstruction) {
    products_in_steps forwarding("forwarding", 1), delayed("delayed", 4), writing("writing", 0);
    forwarding.rig.run(2000);
    // 33.0 and 35.3 cycles per product of 16 x 16 x 16 on a TITAN V: 8 to 9 for each of its four
    // products of 8 x 8 x 4.
    EXPECT_EQ(forwarding.rig.distance(*forwarding.last, *forwarding.first), 2u);
    EXPECT_EQ(delayed.rig.distance(*delayed.last, *delayed.first), 5u);
    const std::uint64_t written = writing.rig.distance(*writing.last, *writing.first);
    EXPECT_GE(written, 20u);
    for (products_in_steps* s : {&forwarding, &delayed, &writing}) {
        EXPECT_EQ(s->rig.distance(*s->end, *s->reader), written);
        expect_everything_accounted(s->rig, 10);
    }
}

TEST(SubCoreSm, WaitsForALoadWithTheCounterOfAForwardedProduct) {
    products_in_steps s("s", 1, [](sub_core_listing& p) -> const program::static_instruction& {
        program::control_bits c = stall(2);
        c.write_barrier = 5;
        return p.load(memory_space::global, 4, 8, c);
    });
    s.rig.run(2000);
    EXPECT_GT(s.rig.distance(*s.last, *s.first), 400u);
    EXPECT_LT(s.rig.distance(*s.first, *s.reader), 40u);
    expect_everything_accounted(s.rig, 11);
}

TEST(SubCoreSm, LosesACycleToOperandsOfOneRegisterBank) {
    // Huerta et al.: two FFMAs between clock reads take one or two additional cycles depending on
    // the operand banks of the second.
    struct experiment {
        sub_core_rig rig;
        sub_core_listing p;
        const program::static_instruction *begin, *end;
        experiment(const char* name, unsigned second, unsigned third)
            : rig(name, four_sub_cores(), {}) {
            block_builder block;
            block.warp();
            const auto& still = p.add("NOP", {}, {}, stall(11));
            for (int i = 0; i < 6; ++i) block.run(still);
            begin = &p.add("FFMA", {11}, {10, 12, 14}, stall(1));
            const auto& probed = p.add("FFMA", {13}, {16, second, third}, stall(1));
            block.run(*begin).run(probed);
            for (int i = 0; i < 3; ++i) block.run(p.add("FADD", {}, {}, stall(1)));
            end = &p.add("FADD", {}, {}, stall(1));
            block.run(*end).run(p.exit());
            rig.launch(block);
        }
    };
    experiment none("none", 19, 21), one("one", 18, 21), two("two", 18, 20);
    none.rig.run(900);
    const std::uint64_t without = none.rig.distance(*none.begin, *none.end);
    EXPECT_EQ(one.rig.distance(*one.begin, *one.end), without + 1);
    EXPECT_EQ(two.rig.distance(*two.begin, *two.end), without + 2);
    EXPECT_EQ(two.rig.core.stage_statistics().port_bubbles, 2u);
}

TEST(SubCoreSm, ReleasesAllWarpsOfABarrier) {
    sub_core_rig rig("rig", four_sub_cores(), {});
    sub_core_listing p;
    auto& bar = p.add("BAR.SYNC", {}, {}, stall(1));
    bar.cls = program::op_class::barrier;
    bar.barrier = program::barrier_kind::sync;
    const auto& slow = p.add("NOP", {}, {}, stall(11));
    const auto& after = p.add("IADD3", {1}, {2}, stall(1));
    const auto& exit = p.exit();
    block_builder b;
    for (unsigned w = 0; w < 8; ++w) {
        b.warp();
        for (unsigned i = 0; i < w; ++i) b.run(slow);
        b.run(bar).run(after).run(exit);
    }
    rig.launch(b);
    rig.run(2000);
    ASSERT_EQ(rig.completed.size(), 1u);
    const auto last = rig.issued(bar, 7).at(0);
    for (int w = 0; w < 8; ++w) EXPECT_GT(rig.issued(after, w).at(0), last);
    EXPECT_GT(rig.core.stage_statistics().cycles[static_cast<unsigned>(stall_reason::barrier)],
              50u);
}

TEST(SubCoreSm, CountsAWarpEveryTwoCyclesAtItsBarriers) {
    constexpr unsigned warps = 32;
    sub_core_rig rig("rig", four_sub_cores(), {});
    sub_core_listing p;
    auto& bar = p.add("BAR.SYNC", {}, {}, stall(1));
    bar.cls = program::op_class::barrier;
    bar.barrier = program::barrier_kind::sync;
    const auto& after = p.add("IADD3", {1}, {2}, stall(1));
    const auto& exit = p.exit();
    block_builder b;
    for (unsigned w = 0; w < warps; ++w) b.warp().run(bar).run(after).run(exit);
    rig.launch(b);
    rig.run(2000);
    ASSERT_EQ(rig.completed.size(), 1u);
    std::uint64_t first = ~std::uint64_t{0};
    for (unsigned w = 0; w < warps; ++w)
        first = std::min(first, rig.issued(bar, static_cast<int>(w)).at(0));
    // The sub-cores issue all barriers within a few cycles: the barrier unit dominates the time.
    const sub_core_config c;
    const std::uint64_t counted = first + c.barrier_latency + (warps - 1) * c.barrier_interval;
    EXPECT_GE(rig.issued(after, 0).at(0), counted);
    EXPECT_LE(rig.issued(after, 0).at(0), counted + 4);
}

/// Sub-cores on which the first warps of four resident CTAs of four warps issue.
std::set<unsigned> sub_cores_of_first_warps(bool rotate) {
    sm_timing timing;
    timing.rotate_ctas = rotate;
    sub_core_rig rig("rig", four_sub_cores(), timing);
    sub_core_listing p;
    const auto& work = p.add("FFMA", {1}, {2, 3, 4}, stall(4));
    const auto& exit = p.exit();
    block_builder b;
    b.warp().run(work).run(exit);
    for (unsigned w = 1; w < 4; ++w) b.warp().run(exit);
    for (unsigned cta = 0; cta < 4; ++cta) rig.launch(b);
    rig.run(2000);
    EXPECT_EQ(rig.completed.size(), 4u);
    expect_everything_accounted(rig, 4 * 5);
    std::set<unsigned> result;
    for (const auto& e : rig.issues)
        if (e.pc == work.pc) result.insert(e.sub_core);
    return result;
}

TEST(SubCoreSm, PlacesTheFirstWarpsOfCtasOnOneSubCore) {
    EXPECT_EQ(sub_cores_of_first_warps(false).size(), 1u);
}

TEST(SubCoreSm, PlacesTheFirstWarpsOfCtasOnAllSubCoresIfRotated) {
    EXPECT_EQ(sub_cores_of_first_warps(true).size(), 4u);
}

TEST(SubCoreSm, RunsCodeWithoutControlBitsByItsScoreboard) {
    sub_core_rig rig("rig", four_sub_cores(), {});
    sub_core_listing p;
    const auto plain = [&](program::static_instruction& i) -> const program::static_instruction& {
        i.control = {};
        return i;
    };
    const auto& load = plain(p.load(memory_space::global, 4, 20));
    const auto& use = plain(p.add("FFMA", {21}, {20, 3, 4}));
    const auto& next = plain(p.add("FFMA", {22}, {21, 3, 4}));
    block_builder b;
    b.warp().access(load, word_of).run(use).run(next).run(p.exit());
    rig.launch(b);
    rig.run(3000);
    ASSERT_EQ(rig.completed.size(), 1u);
    EXPECT_GT(rig.distance(load, use), 100u);
    EXPECT_EQ(rig.distance(use, next), 4u);
}

TEST(SubCoreSm, FollowsAnExecutedWarpThroughLoopsDivergenceAndBarriers) {
    sub_core_rig rig("rig", four_sub_cores(), {});
    core::test::small_kernel k;
    k.compute(1, 2);
    const unsigned loop = static_cast<unsigned>(k.steps.size());
    k.compute(3, 1);
    k.memory(false, memory_space::global,
             [](unsigned warp, unsigned lane) { return data + 128 * warp + 4 * lane; });
    k.compute(4, 40);
    k.loop(loop, 3);
    // Half of the lanes skip one instruction.
    k.jump(static_cast<unsigned>(k.steps.size()) + 2, 0x0000ffff);
    k.compute(5, 4);
    k.barrier(0, 0);
    k.memory(true, memory_space::global,
             [](unsigned warp, unsigned lane) { return data + 128 * warp + 4 * lane; });
    k.leave();
    k.finish();
    for (core::test::step& s : k.steps) isa::set_opcode_properties(s.info);
    rig.launch(std::make_unique<core::test::executed_cta>(k, 8), 8);
    rig.run(6000);
    ASSERT_EQ(rig.completed.size(), 1u) << rig.core.describe();
    // 1 + 4 rounds of 4, the jump, the skipped step, the barrier, the store and the exit.
    expect_everything_accounted(rig, 8 * (1 + 4 * 4 + 1 + 1 + 1 + 1 + 1));
    EXPECT_GE(rig.core.stage_statistics().redirects, 8u * 3u);
    EXPECT_EQ(rig.issued(k.steps[loop].info).size(), 8u * 4u);
}

/// Random warps on an SM with sub-cores: arithmetic, loads that hit and miss, stores, barriers.
struct random_load {
    sub_core_rig rig;
    sub_core_listing p;

    random_load(const char* name, const sm_timing& timing,
                const simulation::phase_sequencer::options& options)
        : rig(name, four_sub_cores(), timing, 150, options) {
        std::vector<const program::static_instruction*> code;
        for (unsigned i = 0; i < 200; ++i) code.push_back(&draw_instruction());
        const auto& exit = p.exit();
        for (unsigned n = 0; n < 6; ++n) {
            block_builder b;
            for (unsigned w = 0; w < 4; ++w) {
                b.warp();
                for (const auto* i : code) {
                    if (!i->is_memory()) {
                        b.run(*i);
                        continue;
                    }
                    const unsigned stride = i->data_size * (1 + draw(4));
                    const bool shared = i->space == memory_space::shared;
                    const std::uint64_t base = (shared ? 0 : data) + 4096 * draw(8);
                    b.access(*i,
                             [=](unsigned lane) { return base + std::uint64_t{stride} * lane; });
                }
                b.run(exit);
            }
            rig.launch(b.build(), b.warps(), 40 * n);
        }
    }
    unsigned draw(unsigned n) {
        seed_ = seed_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<unsigned>((seed_ >> 33) % n);
    }

private:
    const program::static_instruction& draw_instruction() {
        program::control_bits c = stall(1 + draw(6), draw(5) == 0);
        const auto counter = [&] { return static_cast<std::uint8_t>(draw(6)); };
        if (draw(3) == 0) c.wait_mask = static_cast<std::uint8_t>(draw(64));
        const unsigned kind = draw(8);
        if (kind < 3) c.stall = 2;
        switch (kind) {
            case 0:
                c.write_barrier = counter();
                return p.load(memory_space::global, 4u << draw(3), 20 + draw(8), c);
            case 1:
                c.read_barrier = counter();
                return p.store(draw(2) == 0 ? memory_space::shared : memory_space::global, 4, c);
            case 2:
                c.write_barrier = counter();
                return p.add("MUFU.RCP", {20 + draw(8)}, {2 + draw(8)}, c);
            case 3:
                return p.add("IMAD.WIDE", {4}, {2 + draw(8), 3, 6}, c);
            case 4: {
                auto& bar = p.add("BAR.SYNC", {}, {}, c);
                bar.cls = program::op_class::barrier;
                bar.barrier = program::barrier_kind::sync;
                return bar;
            }
            default:
                return p.add("FFMA", {1 + draw(9)}, {2 + draw(8), 3 + draw(8), draw(8)}, c);
        }
    }
    std::uint64_t seed_ = 12345;
};

void expect_no_difference(const sm_timing& timing) {
    simulation::phase_sequencer::options plain, shuffled, sleepless;
    shuffled.shuffle_seed = 99;
    sleepless.sleeping = false;
    random_load a("plain", timing, plain), b("shuffled", timing, shuffled),
        c("sleepless", timing, sleepless);
    a.rig.run(60000);
    ASSERT_EQ(a.rig.completed.size(), 6u) << a.rig.core.describe();
    for (random_load* other : {&b, &c}) {
        EXPECT_EQ(other->rig.completed, a.rig.completed);
        ASSERT_EQ(other->rig.issues.size(), a.rig.issues.size());
        for (std::size_t i = 0; i < a.rig.issues.size(); ++i)
            ASSERT_TRUE(other->rig.issues[i] == a.rig.issues[i]) << "issue " << i;
        const sub_core_statistics &s = a.rig.core.stage_statistics(),
                                  &o = other->rig.core.stage_statistics();
        for (unsigned r = 0; r < stall_reasons; ++r)
            EXPECT_EQ(o.cycles[r], s.cycles[r]) << stall_reason_label(r);
        EXPECT_EQ(o.port_bubbles, s.port_bubbles);
        EXPECT_EQ(o.l0_fetches, s.l0_fetches);
        EXPECT_EQ(other->rig.core.statistics().memory_stalls,
                  a.rig.core.statistics().memory_stalls);
    }
    expect_everything_accounted(a.rig, 6 * 4 * 201);
}

/// An SM for one CTA at a time, with a memory that answers after 1000 cycles, and three CTAs, each
/// of which stores a value and exits.
struct storing_ctas {
    sub_core_rig rig;
    sub_core_listing p;
    const program::static_instruction* end = nullptr;
    unsigned turnaround;

    storing_ctas(const char* name, unsigned cycles)
        : rig(name, one_cta(), timing(cycles), 1000), turnaround(cycles) {
        program::control_bits reads = stall(1);
        reads.read_barrier = 0;
        const auto& store = p.store(program::memory_space::global, 4, reads);
        end = &p.exit();
        for (unsigned k = 0; k < 3; ++k) {
            block_builder b;
            b.warp().access(store, [k](unsigned lane) { return data + 128 * k + 4 * lane; });
            b.run(*end);
            rig.launch(b);
        }
    }
    static sm_config one_cta() {
        sm_config config = four_sub_cores();
        config.max_ctas = 1;
        return config;
    }
    static sm_timing timing(unsigned turnaround) {
        sm_timing timing;
        timing.cta_turnaround = turnaround;
        return timing;
    }
};

TEST(SubCoreSm, FreesTheSlotOfACtaBeforeItsStoresAreAcknowledged) {
    storing_ctas at_once("at_once", 0), later("later", 60);
    at_once.rig.run(4000);
    for (const storing_ctas* const s : {&at_once, &later}) {
        const auto issued = s->rig.issued(*s->end);
        ASSERT_EQ(issued.size(), 3u) << s->rig.core.describe();
        for (const std::size_t k : {1u, 2u}) {
            EXPECT_GT(issued[k] - issued[k - 1], s->turnaround);
            EXPECT_LT(issued[k] - issued[k - 1], s->turnaround + 200);
        }
        // A kernel does not end before its stores.
        ASSERT_EQ(s->rig.completed.size(), 3u);
        for (const std::size_t k : {0u, 2u}) {
            EXPECT_GE(s->rig.completed[k], issued[k] + 1000 + s->turnaround);
            EXPECT_LT(s->rig.completed[k], issued[k] + 1100 + s->turnaround);
        }
        EXPECT_TRUE(s->rig.core.at_rest());
    }
}

TEST(SubCoreSm, IsIndependentOfProcessOrderAndSleep) {
    expect_no_difference({});
}

TEST(SubCoreSm, IsIndependentOfProcessOrderWithItsScoreboard) {
    sm_timing timing;
    timing.dependences = dependence_control::scoreboard;
    timing.shared_fp64_interval = 16;
    expect_no_difference(timing);
}

}  // namespace
}  // namespace simtlm::core::sub_core_pipeline

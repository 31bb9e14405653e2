// SPDX-License-Identifier: Apache-2.0
// Warps whose control flow depends on values, with an instruction source of the tests.
#include "modules/core/simt_cluster.h"
#include "tests/unit/core/executed_source.h"
#include "tests/unit/core/sm_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace simtlm::core::simt_pipeline {
namespace {

using program::memory_space;
using test::block_builder;
using test::executed_cta;
using test::fixed_memory;
using test::sm_rig;
using test::small_kernel;
using test::small_sm;
using ::testing::ElementsAre;

constexpr std::uint32_t low_half = 0xffff;

/// Launches a CTA with a number of warps.
void launch(sm_rig& rig, small_kernel& kernel, unsigned warps = 1) {
    kernel.finish();
    rig.launch(std::make_unique<executed_cta>(kernel, warps), warps);
}

/// Issued instruction numbers, in order.
std::vector<std::uint64_t> issued(sm_rig& rig) {
    EXPECT_EQ(rig.completed.size(), 1u);
    EXPECT_EQ(rig.core.instructions_in_flight(), 0u);
    std::vector<std::uint64_t> numbers;
    for (const sm_rig::issue& i : rig.issues) numbers.push_back(i.pc / 8);
    return numbers;
}

std::vector<std::uint64_t> issued(sm_rig& rig, small_kernel& kernel, unsigned warps = 1) {
    launch(rig, kernel, warps);
    rig.run(3000);
    return issued(rig);
}

TEST(ExecutedWarp, IteratesALoopAccordingToItsValues) {
    small_kernel k;
    k.compute(1, 2);
    k.compute(3, 1);
    k.loop(1, 2);
    k.leave();
    sm_rig rig("rig", small_sm());
    EXPECT_THAT(issued(rig, k), ElementsAre(0, 1, 2, 1, 2, 1, 2, 3));
    EXPECT_EQ(rig.core.statistics().thread_instructions, 8u * 32);
    EXPECT_GT(rig.core.statistics().decoded, 8u) << "what lay behind the loop was decoded too";
}

TEST(ExecutedWarp, TakesTheCyclesOfARecordedWarpOnStraightLineCode) {
    small_kernel k;
    test::listing p;
    block_builder recorded;
    recorded.warp();
    for (unsigned i = 0; i < 9; ++i) {
        k.compute(i + 1, i, 3 + i);
        recorded.run(p.alu({i + 1}, {i}, 3 + i));
    }
    k.leave();
    recorded.run(p.exit());
    sm_rig executed_rig("executed", small_sm()), recorded_rig("recorded", small_sm());
    recorded_rig.launch(recorded);
    issued(executed_rig, k);
    ASSERT_EQ(executed_rig.issues.size(), recorded_rig.issues.size());
    for (std::size_t i = 0; i < executed_rig.issues.size(); ++i)
        EXPECT_EQ(executed_rig.issues[i].cycle, recorded_rig.issues[i].cycle) << i;
    EXPECT_EQ(executed_rig.completed, recorded_rig.completed);
}

TEST(ExecutedWarp, FlushesAndRefetchesAfterATakenBranch) {
    sm_rig first_rig("first", small_sm()), second_rig("second", small_sm()),
        untaken_rig("untaken", small_sm());
    // The branch is the first of two instructions decoded together: its fall-through successor is
    // in the buffer and is dropped when the scheduler visits the warp in the next cycle. The target
    // is fetched in that cycle, decoded in the cycle after, and issued in the next.
    small_kernel first;
    first.jump(2);
    first.compute(1, 2);
    first.leave();
    // As the second instruction, it leaves an empty buffer: the fall-through code is fetched first
    // and discarded.
    small_kernel second;
    second.compute(1, 2);
    second.jump(3);
    second.compute(1, 2);
    second.leave();
    // A branch that is not taken costs as much as any second instruction.
    small_kernel untaken;
    untaken.compute(1, 2);
    untaken.jump(0, 0);
    untaken.compute(3, 4);
    untaken.leave();
    launch(first_rig, first);
    launch(second_rig, second);
    launch(untaken_rig, untaken);
    first_rig.run(3000);
    EXPECT_THAT(issued(first_rig), ElementsAre(0, 2));
    EXPECT_THAT(issued(second_rig), ElementsAre(0, 1, 3));
    EXPECT_THAT(issued(untaken_rig), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(untaken_rig.issues[2].cycle - untaken_rig.issues[1].cycle, 2u);
    EXPECT_EQ(first_rig.issues[1].cycle - first_rig.issues[0].cycle, 3u);
    EXPECT_EQ(second_rig.issues[2].cycle - second_rig.issues[1].cycle, 4u);
}

TEST(ExecutedWarp, DoesNotIssueWhileItSleeps) {
    small_kernel k;
    k.compute(1, 2);
    k.compute(3, 2).sleep = 1000;
    k.compute(5, 2);
    k.leave();
    sm_rig rig("rig", small_sm());
    launch(rig, k, 2);
    rig.run(500);
    EXPECT_NE(rig.core.warps().asleep, 0u);
    EXPECT_EQ(rig.core.why_waiting(0), warp_wait::sleep);
    rig.run(2500);
    EXPECT_THAT(issued(rig), testing::SizeIs(8));
    EXPECT_EQ(rig.core.warps().asleep, 0u);
    std::uint64_t slept = 0;
    for (const sm_rig::issue& i : rig.issues)
        if (i.warp == 0) slept = i.pc / 8 == 1 ? i.cycle : i.pc / 8 == 2 ? i.cycle - slept : slept;
    EXPECT_EQ(slept, 1000u);
}

TEST(ExecutedWarp, DivergesAndReconverges) {
    small_kernel k;
    k.jump(3, low_half);  // the lower lanes skip two instructions
    k.compute(1, 2);
    k.jump(4);
    k.compute(3, 4);
    k.compute(5, 6);
    k.leave();
    sm_rig rig("rig", small_sm());
    EXPECT_THAT(issued(rig, k), ElementsAre(0, 1, 2, 3, 4, 5));
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.issued_lanes[16], 3u);
    EXPECT_EQ(s.issued_lanes[32], 3u);
}

TEST(ExecutedWarp, ContinuesWithTheLanesThatHaveNotExited) {
    small_kernel k;
    k.compute(1, 2);
    k.leave(low_half);
    k.compute(3, 4);
    k.leave();
    k.compute(5, 6);  // never reached
    sm_rig rig("rig", small_sm());
    EXPECT_THAT(issued(rig, k), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(rig.core.statistics().issued_lanes[16], 2u);
}

TEST(ExecutedWarp, MayBranchBackFromTheEndOfItsCode) {
    small_kernel k;
    k.jump(2);
    k.leave();
    k.compute(1, 2);
    k.jump(1);
    sm_rig rig("rig", small_sm());
    EXPECT_THAT(issued(rig, k), ElementsAre(0, 2, 3, 1));
}

TEST(ExecutedWarp, FlushesTheWrongPathWhenItsBranchIssues) {
    sm_config dual = small_sm();
    dual.scheduler.max_issue_per_warp = 2;
    small_kernel k;
    k.jump(2);
    k.compute(1, 2);
    k.leave();
    sm_rig rig("rig", dual);
    EXPECT_THAT(issued(rig, k), ElementsAre(0, 2));
    EXPECT_EQ(rig.issues[1].cycle - rig.issues[0].cycle, 2u);
}

TEST(ExecutedWarp, WaitsAtTheBarrierInItsRegister) {
    small_kernel k;
    k.compute(1, 2);
    k.barrier(3, 64);
    k.leave();
    sm_rig rig("rig", small_sm());
    issued(rig, k, 2);
    std::uint64_t last_arrival = 0, first_exit = ~std::uint64_t{0};
    for (const sm_rig::issue& i : rig.issues) {
        if (i.pc == 8) last_arrival = std::max(last_arrival, i.cycle);
        if (i.pc == 16) first_exit = std::min(first_exit, i.cycle);
    }
    EXPECT_GT(first_exit, last_arrival);
}

TEST(ExecutedWarp, SkipsABarrierWithoutActiveLanes) {
    // One warp of two waits at barrier 3 for 64 threads; the other executes the barrier only where
    // its guard is true, the second time.
    small_kernel k;
    k.compute(1, 2);
    k.barrier(3, 64).skipping_warp = 1;
    k.compute(1, 2);
    k.compute(3, 1, 40);
    k.compute(4, 3, 40);
    k.barrier(3, 64).skipping_warp = 0;
    k.leave();
    sm_rig rig("rig", small_sm());
    issued(rig, k, 2);
    std::uint64_t arrival = 0, passed = ~std::uint64_t{0};
    for (const sm_rig::issue& i : rig.issues) {
        if (i.warp == 1 && i.pc == 40) arrival = i.cycle;
        if (i.warp == 0 && i.pc == 16) passed = i.cycle;
    }
    EXPECT_GT(passed, arrival);
}

TEST(ExecutedWarp, MakesTheAccessesThatItsLanesComputed) {
    small_kernel k;
    k.memory(false, memory_space::global,
             [](unsigned, unsigned lane) { return 0x1000 + 128 * (lane / 16) + 4 * (lane % 8); });
    k.compute(1, 40);
    k.leave();
    unsigned applied = 0;
    k.applied = [&applied](unsigned, unsigned) { ++applied; };
    sm_rig rig("rig", small_sm());
    issued(rig, k);
    EXPECT_THAT(rig.memory.addresses(), ::testing::UnorderedElementsAre(0x1000, 0x1080));
    EXPECT_EQ(applied, 1u);
}

TEST(ExecutedWarp, TracksRegistersBeyondThoseOfTheHardware) {
    small_kernel k;
    k.compute(4000, 1, 20);
    k.compute(1, 4000);
    k.leave();
    program::kernel_descriptor descriptor;
    descriptor.register_numbers = 5000;
    sm_rig rig("rig", small_sm());
    rig.kernel.descriptor = &descriptor;
    issued(rig, k);
    EXPECT_GT(rig.issues[1].cycle - rig.issues[0].cycle, 20u);
}

/// Two SMs whose warps store in the same cycles; records the order in which stores are applied.
struct pair_of_sms : sc_core::sc_module, cta_listener {
    simulation::phase_sequencer sequencer;
    protocol::transaction_pool pool;
    simt_sm first, second;
    fixed_memory first_memory, second_memory;
    memory_effects effects;
    small_kernel code;
    kernel_context kernel;
    std::vector<std::pair<std::uint64_t, unsigned>> applied;  // cycle, SM
    unsigned completed = 0;

    pair_of_sms(const sc_core::sc_module_name& name,
                const simulation::phase_sequencer::options& how)
        : sc_module(name),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table(), how),
          first("sm0", sequencer, small_sm(), {0, 0, 2}, pool),
          second("sm1", sequencer, small_sm(), {1, 1, 2}, pool),
          first_memory("memory0", sequencer, 50),
          second_memory("memory1", sequencer, 50),
          effects("effects", sequencer) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        first.memory.bind(first_memory.socket);
        second.memory.bind(second_memory.socket);
        for (unsigned i = 0; i < 4; ++i)
            code.memory(true, memory_space::global,
                        [i](unsigned w, unsigned l) { return 0x1000 * (i + 1) + 512 * w + 4 * l; });
        code.leave();
        code.finish();
        code.applied = [this](unsigned where, unsigned) {
            applied.emplace_back(sequencer.cycle(protocol::core_clock), where);
        };
        kernel.ctas_per_sm = 1;
        kernel.needs.threads = 128;
        for (simt_sm* s : {&first, &second}) {
            s->set_listener(*this);
            effects.add(s->deferred_effects());
        }
        for (simt_sm* s : {&second, &first})
            s->launch(kernel, std::make_unique<executed_cta>(code, 4));
    }
    void cta_completed(unsigned, kernel_context&, std::unique_ptr<program::cta>) override {
        ++completed;
    }

private:
    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
};

TEST(ExecutedWarp, AccessesMemoryInSmOrderInAnyProcessOrder) {
    std::vector<std::unique_ptr<pair_of_sms>> pairs;
    for (const unsigned seed : {0u, 1u, 2u, 3u}) {
        simulation::phase_sequencer::options how;
        how.shuffle_seed = seed;
        pairs.push_back(
            std::make_unique<pair_of_sms>(("pair" + std::to_string(seed)).c_str(), how));
    }
    sc_core::sc_start(2000, sc_core::SC_NS);
    for (const auto& pair : pairs) {
        EXPECT_EQ(pair->completed, 2u);
        EXPECT_EQ(pair->applied.size(), 2u * 4 * 4);
        EXPECT_TRUE(std::is_sorted(pair->applied.begin(), pair->applied.end()));
        EXPECT_EQ(pair->applied, pairs.front()->applied);
    }
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

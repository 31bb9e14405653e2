// SPDX-License-Identifier: Apache-2.0
// Front end and warp schedulers inside an SM.
#include "tests/unit/core/sm_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace simtlm::core::simt_pipeline {
namespace {

using program::memory_space;
using program::op_class;
using protocol::access_type;
using test::block_builder;
using test::listing;
using test::sm_rig;
using test::small_sm;
using ::testing::ElementsAre;

// ---- warp schedulers ---------------------------------------------------------------------------

TEST(WarpScheduler, IssuesOnlyItsOwnWarps) {
    sm_config c = small_sm();
    c.schedulers = 4;
    c.pipelines[pipe_int].id_oc = 4;
    sm_rig rig("rig", c);
    listing p;
    const auto& add = p.alu({1}, {2});
    block_builder b;
    for (int w = 0; w < 11; ++w) b.warp().run(add).run(add);
    rig.launch(b);
    rig.run(200);
    ASSERT_EQ(rig.issues.size(), 22u);
    for (const auto& i : rig.issues) EXPECT_EQ(i.warp % 4, i.scheduler);
}

TEST(WarpScheduler, RotatesThePriorityOfTheSchedulers) {
    // Two schedulers compete for one pipeline register.
    sm_config c = small_sm();
    c.schedulers = 2;
    c.scheduler.policy = "lrr";
    sm_rig rig("rig", c);
    listing p;
    block_builder b;
    for (int w = 0; w < 8; ++w) {
        b.warp();
        for (unsigned i = 0; i < 20; ++i) b.run(p.alu({8 * i + 12}, {1}));
    }
    rig.launch(b);
    rig.run(400);
    std::array<unsigned, 2> share{};
    for (const auto& i : rig.issues)
        if (i.cycle >= 20 && i.cycle < 120) ++share[i.scheduler];
    EXPECT_EQ(share[0] + share[1], 100u) << "the register is filled every cycle";
    EXPECT_EQ(share[0], share[1]);
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.idle + s.scoreboard + s.stall + s.issue_cycles, 2 * s.cycles);
    EXPECT_GT(s.stall, 90u);
}

TEST(WarpScheduler, IssuesTwoInstructionsOfAWarpToDifferentUnits) {
    sm_config two = small_sm(), one = small_sm();
    two.scheduler.max_issue_per_warp = 2;
    for (sm_config* c : {&two, &one}) c->collector.general = {8, 2, 2};
    sm_rig dual("dual", two), single("single", one);
    listing p;
    block_builder b;
    b.warp();
    for (unsigned i = 0; i < 10; ++i)
        b.run(p.alu({20 + 2 * i}, {1})).run(p.alu({21 + 2 * i}, {1}, 4, 1, op_class::sp));
    dual.launch(b);
    single.launch(b);
    dual.run(200);
    EXPECT_EQ(dual.core.statistics().dual_issue[0], 10u);
    EXPECT_EQ(dual.core.statistics().single_issue[0], 0u);
    EXPECT_EQ(dual.core.statistics().issue_cycles, 10u);
    EXPECT_EQ(single.core.statistics().dual_issue[0], 0u);
    EXPECT_EQ(single.core.statistics().single_issue[0], 20u);
    EXPECT_EQ(dual.core.statistics().warp_instructions, 20u);
}

TEST(WarpScheduler, DoesNotIssueTwiceToOneUnitUnlessAllowed) {
    sm_config different = small_sm(), any = small_sm();
    for (sm_config* c : {&different, &any}) {
        c->scheduler.max_issue_per_warp = 2;
        c->pipelines[pipe_int].id_oc = 2;
    }
    any.scheduler.dual_issue_diff_exec_units = false;
    sm_rig a("a", different), b("b", any);
    listing p;
    block_builder t;
    t.warp();
    for (unsigned i = 0; i < 10; ++i) t.run(p.alu({20 + i}, {1}));
    a.launch(t);
    b.launch(t);
    a.run(200);
    EXPECT_EQ(a.core.statistics().dual_issue[0], 0u);
    EXPECT_GT(b.core.statistics().dual_issue[0], 0u);
}

TEST(WarpScheduler, DoesNotIssueTwoDependentInstructionsAtOnce) {
    sm_config c = small_sm();
    c.scheduler.max_issue_per_warp = 2;
    sm_rig rig("rig", c);
    listing p;
    block_builder b;
    b.warp().run(p.alu({5}, {1})).run(p.alu({6}, {5}, 4, 1, op_class::sp));
    rig.launch(b);
    rig.run(100);
    EXPECT_EQ(rig.core.statistics().dual_issue[0], 0u);
    EXPECT_EQ(rig.core.statistics().single_issue[0], 2u);
}

TEST(WarpScheduler, CountsInstructionsByTheirActiveLanes) {
    sm_rig rig("rig", small_sm());
    listing p;
    const auto& add = p.alu({5}, {1});
    block_builder b;
    b.warp().run(add, 0xffff).run(add, 1).run(add, 0).run(add);
    rig.launch(b);
    rig.run(200);
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.issued_lanes[16], 1u);
    EXPECT_EQ(s.issued_lanes[1], 1u);
    EXPECT_EQ(s.issued_lanes[0], 1u);
    EXPECT_EQ(s.issued_lanes[32], 1u);
    EXPECT_EQ(s.thread_instructions, 49u);
}

struct WarpSchedulerPolicy : ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Policies, WarpSchedulerPolicy,
                         ::testing::Values("lrr", "rrr", "gto", "old", "two_level_active:2:0:1",
                                           "warp_limiting:2:2"),
                         [](const auto& of) {
                             const std::string text = of.param;
                             return text.substr(0, text.find(':'));
                         });

TEST_P(WarpSchedulerPolicy, CompletesEveryWarpAndCountsEveryCycle) {
    sm_config c = small_sm();
    c.schedulers = 2;
    c.scheduler.policy = GetParam();
    sm_rig rig("rig", c, 80);
    listing p;
    const auto& load = p.memory(memory_space::global, false, 8);
    const auto& use = p.alu({9}, {8});
    const auto& bar = p.barrier();
    block_builder b;
    for (unsigned w = 0; w < 12; ++w) {
        b.warp();
        for (unsigned k = 0; k < 6; ++k)
            b.access(load, [=](unsigned i) { return 0x10000 + 4096 * w + 128 * k + 4 * i; })
                .run(use)
                .run(bar);
    }
    rig.launch(b);
    rig.run(20000);
    ASSERT_EQ(rig.completed.size(), 1u) << rig.core.describe();
    const core_statistics& s = rig.core.statistics();
    EXPECT_EQ(s.warp_instructions, 12u * 18u);
    EXPECT_EQ(s.idle + s.scoreboard + s.stall + s.issue_cycles, 2 * s.cycles);
}

/// The policy from the recipe in docs/extending.md: the warp with the oldest fetch.
class stalest_first : public scheduling_policy {
public:
    explicit stalest_first(const warp_table& warps) : warps_(warps) {}
    unsigned first(warp_mask candidates) const override {
        unsigned found = static_cast<unsigned>(__builtin_ctzll(candidates));
        for (candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1) {
            const unsigned w = static_cast<unsigned>(__builtin_ctzll(candidates));
            if (warps_.warp[w].last_fetch < warps_.warp[found].last_fetch) found = w;
        }
        return found;
    }
    void issued(unsigned, unsigned) override {}

private:
    const warp_table& warps_;
};

/// Blocks every warp until all warps in lower slots have issued their six instructions.
class one_warp_after_the_other : public scheduling_policy {
public:
    warp_mask begin_cycle(warp_mask candidates) override {
        return candidates & (warp_mask{1} << issued_ / 6);
    }
    unsigned first(warp_mask candidates) const override {
        return static_cast<unsigned>(__builtin_ctzll(candidates));
    }
    void issued(unsigned, unsigned count) override { issued_ += count; }

private:
    unsigned issued_ = 0;
};

/// Issue order of two warps with six independent instructions each under a policy.
std::vector<unsigned> order_under(
    std::unique_ptr<scheduling_policy> (*make)(const scheduling_arguments&)) {
    sm_config own = small_sm();
    own.scheduler.policy = "mine";
    own.scheduler.policy.make = make;
    sm_rig rig("rig", own);
    listing p;
    block_builder b;
    for (unsigned w = 0; w < 2; ++w) {
        b.warp();
        for (unsigned i = 0; i < 6; ++i) b.run(p.alu({i + 1}, {}));
    }
    rig.launch(b);
    rig.run(400);
    EXPECT_EQ(rig.completed.size(), 1u);
    std::vector<unsigned> order;
    for (const sm_rig::issue& i : rig.issues) order.push_back(i.warp);
    return order;
}

TEST(WarpScheduler, AcceptsAUserDefinedPolicy) {
    EXPECT_THAT(
        order_under([](const scheduling_arguments&) {
            return std::unique_ptr<scheduling_policy>(std::make_unique<one_warp_after_the_other>());
        }),
        ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1));
}

TEST(WarpScheduler, AcceptsThePolicyOfTheRecipe) {
    EXPECT_THAT(
        order_under([](const scheduling_arguments& a) {
            return std::unique_ptr<scheduling_policy>(std::make_unique<stalest_first>(a.warps));
        }),
        ElementsAre(1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0));
}

// ---- front end ---------------------------------------------------------------------------------

TEST(FrontEnd, FetchesWarpsRoundRobin) {
    // Four schedulers, so that all buffers become empty at the same time.
    sm_config c = small_sm();
    c.schedulers = 4;
    c.pipelines[pipe_int].id_oc = 4;
    c.collector.general = {8, 4, 4};
    sm_rig rig("rig", c);
    listing p;
    const auto& add = p.alu({}, {1});
    block_builder b;
    for (int w = 0; w < 4; ++w) b.warp().run(add).run(add).run(add).run(add);
    std::vector<unsigned> fetched;
    std::uint64_t seen = 0;
    rig.at_end_of_cycle = [&](std::uint64_t) {
        const auto& f = rig.core.fetch().probe();
        if (f.fetches != seen) fetched.push_back(f.warp);
        seen = f.fetches;
    };
    rig.launch(b);
    rig.run(50);
    // One fetch per cycle, starting after the last fetched warp (0 at the start).
    EXPECT_THAT(fetched, ElementsAre(1, 2, 3, 0, 1, 2, 3, 0));
    EXPECT_EQ(rig.core.statistics().decoded, 16u);
}

TEST(FrontEnd, DecodesTwoInstructionsUnlessOneIsLeft) {
    sm_rig rig("rig", small_sm());
    listing p;
    const auto& add = p.alu({}, {1});
    block_builder b;
    b.warp().run(add).run(add).run(add);
    std::vector<std::uint64_t> decoded;
    rig.at_end_of_cycle = [&](std::uint64_t) {
        const std::uint64_t n = rig.core.counted().decoded;
        if (decoded.empty() || decoded.back() != n) decoded.push_back(n);
    };
    rig.launch(b);
    rig.run(50);
    EXPECT_THAT(decoded, ElementsAre(0, 2, 3));
    EXPECT_EQ(rig.core.fetch().probe().fetches, 2u);
}

TEST(FrontEnd, FetchesForSeveralWarpsPerCycleIfConfigured) {
    sm_config c = small_sm();
    c.front_end.fetch_throughput = 2;
    sm_rig one("one", small_sm()), two("two", c);
    listing p;
    const auto& add = p.alu({}, {1});
    block_builder b;
    for (int w = 0; w < 8; ++w) b.warp().run(add);
    std::map<std::string, std::uint64_t> done;
    const auto watch = [&](sm_rig& r) {
        return [&done, &r](std::uint64_t now) {
            if (done.count(r.name()) == 0 && r.core.counted().decoded == 8) done[r.name()] = now;
        };
    };
    one.at_end_of_cycle = watch(one);
    two.at_end_of_cycle = watch(two);
    one.launch(b);
    two.launch(b);
    one.run(50);
    // Fetched from cycle 1 on; decoded in the next round.
    EXPECT_EQ(done.at("one"), 9u);
    EXPECT_EQ(done.at("two"), 5u);
}

TEST(FrontEnd, WaitsForAMissOfTheInstructionCache) {
    sm_config c = small_sm();
    c.l1.perfect_instruction_and_constant = false;
    c.l1.instruction.line_bytes = 128;
    sm_rig rig("rig", c, 70);
    listing p;
    block_builder b;
    b.warp();
    for (int i = 0; i < 16; ++i) b.run(p.alu({}, {1}));  // two lines of eight instructions
    rig.launch(b);
    rig.run(600);
    ASSERT_EQ(rig.memory.seen.size(), 2u);
    EXPECT_EQ(rig.memory.seen[0].type, access_type::instruction_read);
    EXPECT_EQ(rig.memory.seen[0].address, 0xF0000000u);
    EXPECT_EQ(rig.memory.seen[1].address, 0xF0000080u);
    EXPECT_EQ(rig.memory.seen[0].cycle, 1u) << "the miss leaves in the cycle of the fetch";
    // The data arrive in cycle 71; the instruction is fetched then, decoded in 72, issued in 73.
    EXPECT_EQ(rig.issues.at(0).cycle, 1u + 70 + 2);
    const auto& f = rig.core.fetch().probe();
    EXPECT_EQ(f.misses, 2u);
    EXPECT_EQ(f.fetches, 8u);
    EXPECT_EQ(f.hits, 6u);
    EXPECT_EQ(rig.core.statistics().warp_instructions, 16u);
}

std::vector<std::uint64_t> lines_of_a_loop(bool past_branches) {
    sm_config c = small_sm();
    c.l1.perfect_instruction_and_constant = false;
    c.l1.instruction.line_bytes = 128;
    c.quirks.fetch_past_branches = past_branches;
    sm_rig rig("rig", c, 70);
    listing p;
    std::vector<const program::static_instruction*> code;
    for (int i = 0; i < 16; ++i) code.push_back(&p.alu({}, {1}));
    block_builder b;
    b.warp();
    for (int twice = 0; twice < 2; ++twice)
        for (int i = 0; i < 8; ++i) b.run(*code[static_cast<std::size_t>(i)]);  // the first line
    rig.launch(b);
    rig.run(600);
    EXPECT_EQ(rig.core.statistics().warp_instructions, 16u);
    std::vector<std::uint64_t> lines;
    for (const auto& request : rig.memory.seen) lines.push_back(request.address);
    return lines;
}

TEST(FrontEnd, FetchesTheTargetOfATakenBranch) {
    EXPECT_EQ(lines_of_a_loop(false), std::vector<std::uint64_t>{0xF0000000u});
}

TEST(FrontEnd, RequestsTheFallThroughPathAsGpgpuSimDoes) {
    EXPECT_EQ(lines_of_a_loop(true), (std::vector<std::uint64_t>{0xF0000000u, 0xF0000080u}));
}

TEST(FrontEnd, RetriesAfterAReservationFailureOfTheInstructionCache) {
    sm_config c = small_sm();
    c.l1.perfect_instruction_and_constant = false;
    c.l1.instruction.mshr_entries = 1;
    c.l1.instruction.mshr_max_merge = 1;
    sm_rig rig("rig", c, 50);
    listing p;
    block_builder b;
    for (int w = 0; w < 4; ++w) b.warp().run(p.alu({}, {1})).run(p.alu({}, {1}));
    rig.launch(b);
    rig.run(1000);
    EXPECT_EQ(rig.completed.size(), 1u);
    const auto& f = rig.core.fetch().probe();
    EXPECT_GT(f.reservation_failures, 10u);
    EXPECT_EQ(f.hits + f.misses, 4u);
    EXPECT_EQ(f.fetches, f.hits + f.misses + f.reservation_failures);
}

TEST(FrontEnd, ReleasesAWarpWhenItsLastInstructionCompletes) {
    sm_rig rig("rig", small_sm(), 300);
    listing p;
    const auto& load = p.memory(memory_space::global, false, 8);
    const auto& exit = p.exit();
    block_builder b;
    // Its result is never read.
    b.warp().access(load, [](unsigned i) { return 0x1000 + 4 * i; }).run(exit);
    rig.launch(b);
    rig.run(600);
    EXPECT_GT(rig.completed.at(0), rig.memory.seen.back().cycle + 300) << "its register is written";
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

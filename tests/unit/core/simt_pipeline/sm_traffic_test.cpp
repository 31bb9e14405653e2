// SPDX-License-Identifier: Apache-2.0
// Random programs on several kinds of SMs: everything issued completes, every scheduler cycle is
// accounted for, and neither the order within a phase nor sleeping changes the results.
#include "tests/unit/core/sm_rig.h"

#include <gtest/gtest.h>

#include <ostream>
#include <random>

namespace simtlm::core::simt_pipeline {
namespace {

using program::memory_space;
using program::op_class;
using test::block_builder;
using test::listing;
using test::sm_rig;
using test::small_sm;

struct kind {
    const char* name;
    sm_config (*make)();
};
void PrintTo(const kind& k, std::ostream* os) {
    *os << k.name;
}

sm_config sub_cores() {
    sm_config c = small_sm();
    c.schedulers = 4;
    c.sub_core_model = true;
    c.scheduler.policy = "lrr";
    c.collector.banks = 16;
    c.collector.port_throughput = 2;
    c.collector.general = {8, 8, 8};
    test::widen(c, 4);
    c.write_back.width = 8;
    return c;
}
sm_config dedicated() {
    sm_config c = small_sm();
    c.schedulers = 2;
    c.collector.specialized = true;
    c.collector.general = {0, 0, 0};
    c.pipelines[pipe_sp].collectors = {4, 2, 2};
    c.pipelines[pipe_sfu].collectors = c.pipelines[pipe_dp].collectors = {2, 1, 1};
    c.pipelines[pipe_int].collectors = c.pipelines[pipe_mem].collectors = {2, 1, 1};
    c.collector.bank_uses_warp_id = true;
    c.scheduler.max_issue_per_warp = 2;
    c.l1.perfect_instruction_and_constant = false;
    c.write_back.width = 2;
    c.pipelines[pipe_sp].id_oc = 2;
    c.ldst.response_buffer_size = 1;
    return c;
}
sm_config two_level() {
    sm_config c = small_sm();
    c.scheduler.policy = "two_level_active:3:0:1";
    c.ldst.l1_latency = 0;
    c.front_end.fetch_throughput = 2;
    c.l1.data.mshr_entries = 4;
    c.l1.data.mshr_max_merge = 2;
    c.l1.data.miss_queue_size = 2;
    return c;
}
sm_config old_device() {
    sm_config c = small_sm();
    c.scheduler.policy = "rrr";
    c.shared.banks = 16;
    c.shared.warp_parts = 2;
    c.shared.limited_broadcast = true;
    c.ldst.coalesce_arch = 13;
    c.ldst.global_skips_l1 = true;
    return c;
}
sm_config write_back() {
    sm_config c = small_sm();
    c.schedulers = 2;
    c.l1.data.write = cache::write_policy::write_back;
    c.l1.data.write_allocate = cache::write_allocate_policy::lazy_fetch_on_read;
    c.l1.data.allocation = cache::allocation_policy::on_miss;
    c.l1.data.sets = 2;
    c.l1.data.ways = 2;
    return c;
}

block_builder random_block(listing& p, std::mt19937& random) {
    block_builder b;
    const unsigned warps = 1 + random() % 10, length = 10 + random() % 40;
    const unsigned barrier_every = 5 + random() % 15;
    for (unsigned w = 0; w < warps; ++w) {
        b.warp();
        const unsigned mine = w % 3 == 2 ? length / 2 : length;  // some end early
        for (unsigned n = 0; n < mine; ++n) {
            const auto reg = [&] {
                return static_cast<unsigned>(random() % 12 == 0 ? simtlm::program::register_zero
                                                                : random() % 20);
            };
            const std::uint32_t mask =
                random() % 4 != 0 ? ~0u : static_cast<std::uint32_t>(random());
            const std::uint64_t base = 0x7f0000000000 + random() % 8 * 4096;
            const unsigned stride = 4u << random() % 6;
            const auto lane = [=](unsigned i) { return base + stride * i; };
            const auto offset = [=](unsigned i) { return (stride * i) % 16384; };
            if (n % barrier_every == barrier_every - 1) b.run(p.barrier());
            switch (random() % 14) {
                case 0:
                    b.access(p.memory(memory_space::global, false, reg()), lane, mask);
                    break;
                case 1:
                    b.access(p.memory(memory_space::global, true, reg()), lane, mask);
                    break;
                case 2:
                    b.access(p.memory(memory_space::shared, false, reg()), offset, mask);
                    break;
                case 3:
                    b.access(p.memory(memory_space::shared, true, reg()), offset, mask);
                    break;
                case 4:
                    b.access(p.memory(memory_space::local, random() % 2 == 0, reg(), 8), offset,
                             mask);
                    break;
                case 5:
                    b.access(p.memory(memory_space::constant, false, reg()), lane, mask);
                    break;
                case 6:
                    b.access(p.atomic(reg()), lane, mask);
                    break;
                case 7:
                    b.run(p.alu({reg()}, {reg()}, 20, 4, op_class::sfu), mask);
                    break;
                case 8:
                    b.run(p.alu({reg()}, {reg(), reg()}, 8, 2, op_class::dp), mask);
                    break;
                case 9:
                    b.run(p.alu({}, {}, 1, 1, op_class::memory_barrier));
                    break;
                case 10:
                    b.access(p.memory(memory_space::texture, false, reg()), lane, mask);
                    break;
                default:
                    b.run(p.alu({reg()}, {reg(), reg(), reg()}, 4, 1,
                                random() % 2 == 0 ? op_class::sp : op_class::integer),
                          mask);
                    break;
            }
        }
        b.run(p.exit());
    }
    return b;
}

struct SmTraffic : ::testing::TestWithParam<kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, SmTraffic,
                         ::testing::Values(kind{"Small", small_sm}, kind{"SubCores", sub_cores},
                                           kind{"Dedicated", dedicated},
                                           kind{"TwoLevel", two_level},
                                           kind{"OldDevice", old_device},
                                           kind{"WriteBack", write_back}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_P(SmTraffic, IsConservedInAnyProcessOrder) {
    const sm_config c = GetParam().make();
    simulation::phase_sequencer::options plain, shuffled, sleepless;
    shuffled.shuffle_seed = 99;
    sleepless.sleeping = false;
    sm_rig a("plain", c, 60, plain), b("shuffled", c, 60, shuffled),
        d("sleepless", c, 60, sleepless);
    std::mt19937 random(2024);
    std::deque<listing> listings;
    std::uint64_t instructions = 0, blocks = 0;
    for (; blocks < 12; ++blocks) {
        listings.emplace_back();
        const block_builder block = random_block(listings.back(), random);
        instructions += block.instructions();
        // All blocks of a kernel have the same size, so each of these is a kernel of its own.
        for (sm_rig* r : {&a, &b, &d}) {
            r->kernel.ctas_per_sm = 1;
            r->launch(block);
        }
        // Small caches with few resources are slow.
        for (int n = 0; n < 300 && a.completed.size() <= blocks; ++n) a.run(500);
        ASSERT_EQ(a.completed.size(), blocks + 1) << a.core.describe();
    }
    for (sm_rig* r : {&a, &b, &d}) {
        const core_statistics& s = r->core.statistics();
        EXPECT_EQ(s.warp_instructions, instructions);
        std::uint64_t issued = 0, threads = 0, by_class = 0;
        for (unsigned n = 0; n <= 32; ++n) {
            issued += s.issued_lanes[n];
            threads += n * s.issued_lanes[n];
        }
        for (const std::uint64_t n : s.warp_instructions_by_class) by_class += n;
        EXPECT_EQ(issued, instructions);
        EXPECT_EQ(by_class, instructions);
        EXPECT_EQ(s.thread_instructions, threads);
        EXPECT_EQ(s.decoded, instructions);
        EXPECT_EQ(s.idle + s.scoreboard + s.stall + s.issue_cycles, s.cycles * c.schedulers);
        EXPECT_EQ(s.ctas_completed, blocks);
        EXPECT_EQ(r->core.instructions_in_flight(), 0u);
        EXPECT_LE(r->pool.outstanding(), 1u);
        EXPECT_TRUE(r->core.collector().idle());
        EXPECT_TRUE(r->core.ldst().idle());
    }
    const auto same = [](sm_rig& x, sm_rig& y) {
        EXPECT_EQ(x.completed, y.completed);
        EXPECT_TRUE(x.issues == y.issues);
        const core_statistics &s = x.core.statistics(), &t = y.core.statistics();
        EXPECT_EQ(s.idle, t.idle);
        EXPECT_EQ(s.scoreboard, t.scoreboard);
        EXPECT_EQ(s.stall, t.stall);
        EXPECT_EQ(s.register_bank_conflicts, t.register_bank_conflicts);
        EXPECT_EQ(s.stalls, t.stalls);
        EXPECT_EQ(x.memory.addresses(), y.memory.addresses());
    };
    same(a, b);
    same(a, d);
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/cache_link.h"

#include "modules/cache/read_only_cache.h"
#include "tests/unit/cache/cache_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr unsigned memory_latency = 20;

cache_rig::settings slow_memory() {
    cache_rig::settings s;
    s.memory_latency = memory_latency;
    return s;
}

/// An L0 instruction cache of two lines in front of an L1, which acts first within their phase.
struct chained {
    cache_rig rig;
    read_only_cache l0, l1;
    cache_link link{"link"};

    explicit chained(unsigned l1_mshrs = 4, cache_rig::settings s = slow_memory())
        : rig("sm", s),
          l0("l0", rig.sequencer, config(2, 2, 1)),
          l1("l1", rig.sequencer, config(64, l1_mshrs, 0)) {
        rig.unit.bind(l0.port);
        l0.memory.bind(link.front);
        link.downstream.bind(l1.port);
        l1.memory.bind(rig.memory);
    }
    void fetch(std::uint64_t cycle, std::uint64_t address) {
        rig.offer(cycle, false, address, 16, protocol::access_type::instruction_read);
    }

private:
    static read_only_cache::config config(unsigned sets, unsigned mshrs, unsigned sub_phase) {
        read_only_cache::config c;
        c.cache.sets = sets;
        c.cache.ways = 1;
        c.cache.allocation = allocation_policy::on_fill;
        c.cache.mshr_entries = mshrs;
        c.cache.mshr_max_merge = 4;
        c.cache.miss_queue_size = 4;
        c.sub_phase = sub_phase;
        return c;
    }
};

TEST(CacheLink, FetchesALineThatBothCachesMissOnce) {
    chained c;
    c.fetch(5, 0x1000);
    c.fetch(60, 0x1010);
    c.rig.run(100);
    EXPECT_THAT(c.rig.cycles_of(observation::sent), ElementsAre(7u))
        << "the L0 asks the L1 in cycle 6, which asks memory in the next one";
    EXPECT_THAT(c.rig.cycles_of(observation::ready), ElementsAre(7u + memory_latency));
    EXPECT_THAT(c.rig.cycles_of(observation::completed), ElementsAre(60u)) << "a hit in the L0";
    EXPECT_TRUE(c.l0.idle() && c.l1.idle());
    EXPECT_EQ(c.rig.pool.outstanding(), 0u);
}

TEST(CacheLink, FetchesWhatTheL0HasEvictedFromTheL1) {
    chained c;
    c.fetch(5, 0x1000);
    c.fetch(50, 0x1100);  // maps to the same set of the L0
    c.fetch(100, 0x1000);
    c.rig.run(150);
    EXPECT_EQ(c.rig.cycles_of(observation::sent).size(), 2u);
    EXPECT_EQ(c.rig.responses, 3u);
    EXPECT_EQ(c.l0.statistics().misses, 3u);
    EXPECT_EQ(c.l1.statistics().misses, 2u);
    const std::uint64_t ready = c.rig.cycles_of(observation::ready).back();
    EXPECT_GT(ready, 100u);
    EXPECT_LT(ready, 100u + memory_latency);
    EXPECT_EQ(c.rig.pool.outstanding(), 0u);
}

TEST(CacheLink, HoldsRequestsInTheL0WhileTheL1IsBusy) {
    chained c(1);
    c.fetch(5, 0x1000);
    c.fetch(6, 0x2080);
    c.rig.run(150);
    EXPECT_EQ(c.rig.responses, 2u);
    EXPECT_THAT(c.rig.cycles_of(observation::refused), IsEmpty()) << "the L0 has room for both";
    EXPECT_GT(c.l1.statistics().reservation_fails, 0u);
    const auto sent = c.rig.cycles_of(observation::sent);
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_GE(sent[1], sent[0] + memory_latency) << "once the L1 has its only MSHR entry back";
    EXPECT_TRUE(c.l0.idle() && c.l1.idle());
    EXPECT_EQ(c.rig.pool.outstanding(), 0u);
}

TEST(CacheLink, ConservesRequestsBetweenARandomlyStallingUnitAndMemory) {
    cache_rig::settings s = slow_memory();
    s.stalls = 50;
    s.seed = 3;
    chained c(2, s);
    constexpr unsigned fetches = 200;
    for (unsigned i = 0; i < fetches; ++i) c.fetch(5, 0x1000 + i * 7 % 24 * 0x40);
    c.rig.run(20000);
    EXPECT_EQ(c.rig.responses, fetches);
    EXPECT_TRUE(c.rig.quiet() && c.l0.idle() && c.l1.idle());
    EXPECT_EQ(c.rig.pool.outstanding(), 0u);
}

}  // namespace
}  // namespace simtlm::cache

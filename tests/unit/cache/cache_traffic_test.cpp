// SPDX-License-Identifier: Apache-2.0
/// Random traffic with randomly stalling neighbours: every accepted access is answered exactly
/// once, and the results depend neither on sleeping nor on the order of processes.
#include "modules/cache/l1_data_cache.h"
#include "modules/cache/read_only_cache.h"
#include "modules/cache/texture_cache.h"
#include "tests/unit/cache/cache_rig.h"

#include <gtest/gtest.h>

#include <ostream>

namespace simtlm::cache {
namespace {

using protocol::access_type;

constexpr unsigned traffic = 4000;

void offer_data(cache_rig& rig, std::uint64_t seed, bool whole_lines) {
    std::mt19937_64 random(seed);
    for (unsigned i = 0; i < traffic; ++i) {
        const bool write = random() % 3 == 0;
        const bool local = random() % 4 == 0;
        const std::uint64_t line = random() % 5 == 0 ? random() % 4096 : random() % 24;
        const std::uint64_t address = line * 128 + (whole_lines ? 0 : random() % 4 * 32);
        const unsigned size = whole_lines ? 128 : random() % 2 == 0 ? 32 : 8;
        rig.offer(random() % 7 == 0 ? i * 2 : 0, write, address, size,
                  write ? (local ? access_type::local_write : access_type::global_write)
                        : (local ? access_type::local_read : access_type::global_read));
    }
}

struct policy {
    const char* name;
    cache_kind kind;
    write_policy write;
    write_allocate_policy allocate;
    allocation_policy allocation;
    unsigned latency;

    friend void PrintTo(const policy& p, std::ostream* out) { *out << p.name; }
};

struct CacheTraffic : ::testing::TestWithParam<policy> {
    static l1_data_cache::config configuration(const policy& p) {
        l1_data_cache::config c;
        c.latency = p.latency;
        c.banks = 4;
        c.cache.kind = p.kind;
        c.cache.sets = 4;
        c.cache.ways = 4;
        c.cache.write = p.write;
        c.cache.write_allocate = p.allocate;
        c.cache.allocation = p.allocation;
        c.cache.mshr_entries = 8;
        c.cache.mshr_max_merge = 3;
        c.cache.miss_queue_size = 5;
        c.cache.data_port_bytes = 16;
        return c;
    }
    static cache_rig::settings surroundings(const policy& p) {
        cache_rig::settings s;
        s.stalls = 30;
        s.width = 4;
        s.shuffle_responses = true;
        s.split = p.kind == cache_kind::normal;
        s.memory_latency = 25;
        return s;
    }
};

TEST_P(CacheTraffic, EveryAccessIsAnsweredOnceInAnyProcessOrder) {
    using rigged_l1 = rigged<l1_data_cache>;
    auto s = surroundings(GetParam());
    const auto c = configuration(GetParam());
    rigged_l1 a(rigged_l1::with_pool{}, "sleeping", s, c);
    s.order.sleeping = false;
    s.order.shuffle_seed = 99;
    rigged_l1 b(rigged_l1::with_pool{}, "sleepless", s, c);
    for (auto* r : {&a, &b}) offer_data(r->rig, 7, s.split);
    a.rig.run(100000);
    for (auto* r : {&a, &b}) {
        EXPECT_TRUE(r->rig.quiet());
        EXPECT_TRUE(r->cache.idle());
        EXPECT_EQ(r->rig.accesses, traffic);
        EXPECT_EQ(r->rig.responses, traffic);
        EXPECT_EQ(r->rig.pool.outstanding(), 0u);
    }
    EXPECT_TRUE(a.rig.log == b.rig.log);
    const auto& sa = a.cache.statistics();
    const auto& sb = b.cache.statistics();
    EXPECT_EQ(sa.outcomes, sb.outcomes);
    EXPECT_EQ(sa.fails, sb.fails);
    EXPECT_EQ(sa.port_cycles, sb.port_cycles);
    EXPECT_EQ(sa.data_port_busy, sb.data_port_busy);
    EXPECT_EQ(sa.fill_port_busy, sb.fill_port_busy);
    EXPECT_EQ(sa.accesses, traffic);
}

constexpr auto sector = cache_kind::sector;
constexpr auto on_miss = allocation_policy::on_miss;
INSTANTIATE_TEST_SUITE_P(
    Policies, CacheTraffic,
    ::testing::Values(policy{"VoltaThrough", sector, write_policy::write_through,
                             write_allocate_policy::lazy_fetch_on_read, on_miss, 20},
                      policy{"LazyBack", sector, write_policy::write_back,
                             write_allocate_policy::lazy_fetch_on_read, on_miss, 3},
                      policy{"FetchOnWrite", sector, write_policy::write_back,
                             write_allocate_policy::fetch_on_write, on_miss, 3},
                      policy{"WriteAllocate", sector, write_policy::write_back,
                             write_allocate_policy::write_allocate, on_miss, 2},
                      policy{"Evict", sector, write_policy::write_evict,
                             write_allocate_policy::no_write_allocate, allocation_policy::on_fill,
                             1},
                      policy{"Fermi", cache_kind::normal, write_policy::local_wb_global_wt,
                             write_allocate_policy::no_write_allocate, on_miss, 5},
                      policy{"LocalBack", sector, write_policy::local_wb_global_wt,
                             write_allocate_policy::lazy_fetch_on_read, on_miss, 20},
                      policy{"Direct", sector, write_policy::write_through,
                             write_allocate_policy::lazy_fetch_on_read, on_miss, 0},
                      policy{"DirectBack", sector, write_policy::write_back,
                             write_allocate_policy::fetch_on_write, on_miss, 0}),
    [](const auto& test) { return test.param.name; });

template <class Cache, class Config>
void expect_reads_answered(const Config& config, access_type type, bool split) {
    cache_rig::settings s;
    s.stalls = 30;
    s.shuffle_responses = true;
    s.split = split;
    rigged<Cache> a("sleeping", s, config);
    s.order.sleeping = false;
    s.order.shuffle_seed = 5;
    rigged<Cache> b("sleepless", s, config);
    for (auto* r : {&a, &b}) {
        std::mt19937_64 random(3);
        for (unsigned i = 0; i < traffic; ++i)
            r->rig.offer(random() % 9 == 0 ? i * 3 : 0, false,
                         (random() % 5 == 0 ? random() % 512 : random() % 12) * 128, 16, type);
    }
    a.rig.run(200000);
    for (auto* r : {&a, &b}) {
        EXPECT_EQ(r->rig.accesses, traffic);
        EXPECT_EQ(r->rig.responses, traffic);
        EXPECT_TRUE(r->cache.idle());
        EXPECT_EQ(r->rig.pool.outstanding(), 0u);
    }
    EXPECT_TRUE(a.rig.log == b.rig.log);
    EXPECT_EQ(a.cache.statistics().outcomes, b.cache.statistics().outcomes);
    EXPECT_EQ(a.cache.statistics().port_cycles, b.cache.statistics().port_cycles);
}

TEST(InstructionTraffic, EveryFetchIsAnsweredOnce) {
    read_only_cache::config c;
    c.cache.sets = 8;
    c.cache.ways = 2;
    c.cache.allocation = allocation_policy::on_fill;
    c.cache.mshr_entries = 4;
    c.cache.mshr_max_merge = 2;
    c.cache.miss_queue_size = 2;
    c.cache.data_port_bytes = 32;
    c.send_at_access = true;
    expect_reads_answered<read_only_cache>(c, access_type::instruction_read, true);
}

TEST(TextureTraffic, EveryReadIsAnsweredOnce) {
    cache_config c;
    c.sets = 4;
    c.ways = 2;
    c.mshr_entries = 6;
    c.mshr_max_merge = 2;
    c.miss_queue_size = 4;
    c.result_fifo_entries = 2;
    expect_reads_answered<texture_cache>(c, access_type::texture_read, true);
}

}  // namespace
}  // namespace simtlm::cache

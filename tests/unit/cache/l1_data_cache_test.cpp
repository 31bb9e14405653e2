// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/l1_data_cache.h"

#include "tests/unit/cache/cache_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::cache {
namespace {

using protocol::access_type;
using ::testing::ElementsAre;
using rigged_l1 = rigged<l1_data_cache>;

l1_data_cache::config volta(unsigned latency, unsigned banks = 4) {
    l1_data_cache::config c;
    c.latency = latency;
    c.banks = banks;
    c.bank_interleaving = 32;
    c.cache.kind = cache_kind::sector;
    c.cache.sets = 4;
    c.cache.ways = 64;
    c.cache.write = write_policy::write_through;
    c.cache.write_allocate = write_allocate_policy::lazy_fetch_on_read;
    c.cache.mshr_entries = 16;
    c.cache.mshr_max_merge = 8;
    c.cache.miss_queue_size = 4;
    c.cache.data_port_bytes = 32;
    return c;
}

struct L1DataCache : ::testing::Test {
    static rigged_l1 make(const l1_data_cache::config& c, const cache_rig::settings& s = {}) {
        return rigged_l1(rigged_l1::with_pool{}, "sm", s, c);
    }
    static void load(rigged_l1& r, std::uint64_t cycle, std::uint64_t address) {
        r.rig.offer(cycle, false, address, 32, access_type::global_read);
    }
    static void store(rigged_l1& r, std::uint64_t cycle, std::uint64_t address,
                      access_type type = access_type::global_write) {
        r.rig.offer(cycle, true, address, 32, type);
    }
    static void expect_drained(const rigged_l1& r) {
        EXPECT_TRUE(r.cache.idle());
        EXPECT_EQ(r.rig.responses, r.rig.accesses);
        EXPECT_EQ(r.rig.pool.outstanding(), 0u);
    }
};

TEST_F(L1DataCache, CountsCyclesOfNetworkBackPressureWithAndWithoutSleep) {
    cache_rig::settings awake;
    awake.order.sleeping = false;
    rigged_l1 rigs[] = {rigged_l1(rigged_l1::with_pool{}, "sleeps", {}, volta(7)),
                        rigged_l1(rigged_l1::with_pool{}, "awake", awake, volta(7))};
    for (rigged_l1& r : rigs) {
        r.rig.network_full = true;
        load(r, 10, 0x1000);
        load(r, 10, 0x2000);
        load(r, 14, 0x3000);
    }
    rigs[0].rig.run(30);  // both rigs
    for (rigged_l1& r : rigs) r.rig.network_full = false;
    rigs[0].rig.run(100);
    for (rigged_l1& r : rigs) {
        const auto sent = r.rig.cycles_of(observation::sent);
        ASSERT_EQ(sent.size(), 3u);
        EXPECT_EQ(sent[0], 18u) << "the first takes the last room, and is not refused";
        EXPECT_GT(sent[1], 28u);
        EXPECT_EQ(sent[2], sent[1] + 1);
        EXPECT_EQ(r.cache.back_pressure().up_to_date(), sent[1] - 19)
            << "one per cycle, not per miss";
        expect_drained(r);
    }
}

TEST_F(L1DataCache, LooksUpTagsItsLatencyAfterTheAccess) {
    auto r = make(volta(7));
    load(r, 10, 0x1000);
    load(r, 50, 0x1000);
    r.rig.run(100);
    EXPECT_THAT(r.rig.cycles_of(observation::accepted), ElementsAre(10u, 50u));
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(18u)) << "the cycle after";
    EXPECT_THAT(r.rig.cycles_of(observation::filled), ElementsAre(28u));
    EXPECT_THAT(r.rig.cycles_of(observation::ready), ElementsAre(28u));
    EXPECT_THAT(r.rig.cycles_of(observation::taken), ElementsAre(29u));
    EXPECT_THAT(r.rig.cycles_of(observation::hit), ElementsAre(57u));
    expect_drained(r);
}

TEST_F(L1DataCache, ABankAcceptsOneAccessPerCycle) {
    cache_rig::settings s;
    s.width = 4;
    auto r = make(volta(3), s);
    for (const std::uint64_t a : {0x000, 0x020, 0x080, 0x0c0}) load(r, 5, a);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::accepted), ElementsAre(5u, 5u, 6u, 6u));
    EXPECT_THAT(r.rig.cycles_of(observation::refused), ElementsAre(5u));
    EXPECT_EQ(r.cache.bank_conflicts(), 1u);
    expect_drained(r);
}

TEST_F(L1DataCache, SendsSeveralMissesPerCycleThroughAWidePort) {
    cache_rig::settings s;
    s.width = 4;
    auto c = volta(3);
    c.packets_per_cycle = 2;
    auto r = make(c, s);
    for (const std::uint64_t a : {0x000, 0x1020, 0x2040, 0x3060}) load(r, 5, a);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(9u, 9u, 10u, 10u));
    expect_drained(r);
}

TEST_F(L1DataCache, OnePacketReadsSectorsOfALine) {
    cache_rig::settings s;
    s.width = 4;
    auto c = volta(3);
    c.requests_lines = true;
    c.cache.miss_queue_size = 16;
    auto r = make(c, s);
    for (const std::uint64_t a : {0x000, 0x020, 0x040, 0x060}) load(r, 5, a);
    for (const std::uint64_t a : {0x080, 0x120, 0x140, 0x0e0}) load(r, 6, a);
    r.rig.run(60);
    // A line in one cycle; then three packets: lines 1, 2 (two sectors) and 1 again.
    EXPECT_THAT(r.rig.cycles_of(observation::sent),
                ElementsAre(9u, 9u, 9u, 9u, 10u, 11u, 11u, 12u));
    expect_drained(r);
}

TEST_F(L1DataCache, EveryWrittenSectorIsAPacket) {
    cache_rig::settings s;
    s.width = 4;
    auto c = volta(3);
    c.requests_lines = true;
    c.cache.miss_queue_size = 16;
    auto r = make(c, s);
    for (const std::uint64_t a : {0x000, 0x020, 0x040, 0x060}) store(r, 5, a);
    for (const std::uint64_t a : {0x400, 0x420}) load(r, 6, a);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(9u, 10u, 11u, 12u, 13u, 13u));
    expect_drained(r);
}

TEST_F(L1DataCache, WritesBackOneSectorOfALineInACycle) {
    cache_rig::settings s;
    s.width = 4;
    auto c = volta(3);
    c.cache.sets = c.cache.ways = 1;
    c.cache.write = write_policy::local_wb_global_wt;
    c.requests_lines = true;
    rigged_l1 whole(rigged_l1::with_pool{}, "whole", s, c);
    c.writes_sectors = true;
    rigged_l1 sectors(rigged_l1::with_pool{}, "sectors", s, c);
    for (rigged_l1* r : {&whole, &sectors}) {
        for (const std::uint64_t a : {0x000, 0x020, 0x040})
            store(*r, 5, a, access_type::local_write);
        for (const std::uint64_t a : {0x1000, 0x1020, 0x1040}) load(*r, 20 + a / 32 % 4, a);
    }
    whole.rig.run(80);  // both rigs
    // The first load, the write-back of three sectors, then the other loads.
    EXPECT_THAT(whole.rig.cycles_of(observation::sent), ElementsAre(24u, 25u, 26u, 26u));
    EXPECT_THAT(sectors.rig.cycles_of(observation::sent), ElementsAre(24u, 25u, 28u, 28u));
    expect_drained(whole);
    expect_drained(sectors);
}

TEST_F(L1DataCache, AReservationFailureStallsItsBankOnly) {
    auto c = volta(1);
    c.cache.miss_queue_size = 2;  // a read needs two entries
    auto r = make(c);
    r.rig.network_full = true;
    load(r, 5, 0x000);
    load(r, 6, 0x080);
    load(r, 7, 0x100);
    load(r, 8, 0x180);
    r.rig.run(20);
    // The first is sent, and the network has no room. The second fills the queue; the third stalls
    // at the tags, and the fourth finds the bank full.
    EXPECT_EQ(r.rig.cycles_of(observation::sent).size(), 1u);
    EXPECT_THAT(r.rig.cycles_of(observation::accepted), ElementsAre(5u, 6u, 7u));
    EXPECT_EQ(r.cache.statistics().count(access_type::global_read, fail_reason::miss_queue), 12u);
    r.rig.network_full = false;
    r.rig.run(60);
    EXPECT_EQ(r.rig.cycles_of(observation::sent).size(), 4u);
    expect_drained(r);
}

TEST_F(L1DataCache, SleepsWhileItsLookUpsAreRefusedAndCountsThem) {
    auto c = volta(1);
    c.cache.miss_queue_size = 2;
    cache_rig::settings awake;
    awake.order.sleeping = false;
    rigged_l1 rigs[] = {rigged_l1(rigged_l1::with_pool{}, "sleeps", {}, c),
                        rigged_l1(rigged_l1::with_pool{}, "awake", awake, c)};
    const auto refused = [](rigged_l1& r) {
        return r.cache.statistics().count(access_type::global_read, fail_reason::miss_queue);
    };
    for (rigged_l1& r : rigs) {
        r.rig.network_full = true;
        for (unsigned i = 0; i < 3; ++i) load(r, 5 + i, 0x080 * i);
        load(r, 50, 0x020);  // another bank wakes the cache, and is refused as well
    }
    rigs[0].rig.run(200);  // both rigs
    EXPECT_GT(refused(rigs[0]), 300u);
    EXPECT_EQ(refused(rigs[0]), refused(rigs[1]));
    EXPECT_LT(rigs[0].rig.sequencer.activations(protocol::phase::core_caches), 20u);
    for (rigged_l1& r : rigs) r.rig.network_full = false;
    rigs[0].rig.run(60);
    EXPECT_EQ(refused(rigs[0]), refused(rigs[1]));
    EXPECT_EQ(rigs[0].rig.log, rigs[1].rig.log);
    for (const rigged_l1& r : rigs) expect_drained(r);
}

TEST_F(L1DataCache, MergedMissesAreAnsweredOnePerCycle) {
    auto r = make(volta(2));
    for (unsigned i = 0; i < 3; ++i) load(r, 5, 0x1000);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::filled), ElementsAre(18u));
    EXPECT_THAT(r.rig.cycles_of(observation::taken), ElementsAre(19u, 20u, 21u));
    expect_drained(r);
}

TEST_F(L1DataCache, AFillWaitsForTheFillPort) {
    auto c = volta(1);
    c.cache.data_port_bytes = 8;  // four cycles per sector
    cache_rig::settings s;
    s.width = 2;
    auto r = make(c, s);
    load(r, 5, 0x000);
    load(r, 5, 0x020);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(7u, 8u));
    EXPECT_THAT(r.rig.cycles_of(observation::filled), ElementsAre(17u));
    EXPECT_THAT(r.rig.cycles_of(observation::back_pressured), ElementsAre(18u));
    EXPECT_THAT(r.rig.cycles_of(observation::filled_late), ElementsAre(21u));
    EXPECT_EQ(r.cache.statistics().fill_port_busy, 8u);
    expect_drained(r);
}

TEST_F(L1DataCache, AStoreThroughToMemoryCompletesWhenAcknowledged) {
    auto r = make(volta(2));
    store(r, 5, 0x1000);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(8u));
    EXPECT_THAT(r.rig.cycles_of(observation::hit), ElementsAre(18u));
    expect_drained(r);
}

TEST_F(L1DataCache, AStoreKeptInTheCacheCompletesAtTheTagAccess) {
    auto c = volta(2);
    c.cache.write = write_policy::write_back;
    auto r = make(c);
    store(r, 5, 0x1000);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre());
    EXPECT_THAT(r.rig.cycles_of(observation::hit), ElementsAre(7u));
    expect_drained(r);
}

TEST_F(L1DataCache, LocalStoresCompleteInTheCacheAndGlobalOnesInMemory) {
    auto c = volta(3);
    c.cache.write = write_policy::local_wb_global_wt;
    auto r = make(c);
    store(r, 5, 0x1000, access_type::local_write);
    store(r, 5, 0x2000);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(10u));
    EXPECT_THAT(r.rig.cycles_of(observation::hit), ElementsAre(8u, 20u));
    expect_drained(r);
}

TEST_F(L1DataCache, AStoreThatFetchesItsSectorCompletesAtTheFill) {
    auto c = volta(2);
    c.cache.write = write_policy::write_back;
    c.cache.write_allocate = write_allocate_policy::fetch_on_write;
    auto r = make(c);
    r.rig.offer(5, true, 0x1000, 8, access_type::global_write);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(8u));
    EXPECT_THAT(r.rig.cycles_of(observation::hit), ElementsAre(18u));
    expect_drained(r);
}

TEST_F(L1DataCache, WithoutLatencyTheReturnValueIsTheOutcome) {
    auto r = make(volta(0));
    load(r, 5, 0x1000);
    load(r, 30, 0x1000);
    store(r, 40, 0x1000);
    r.rig.run(80);
    EXPECT_THAT(r.rig.cycles_of(observation::accepted), ElementsAre(5u, 40u));
    EXPECT_THAT(r.rig.cycles_of(observation::completed), ElementsAre(30u));
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(6u, 41u));
    expect_drained(r);
}

TEST_F(L1DataCache, ASplitStoreCompletesWithItsLastPart) {
    auto c = volta(2);
    c.cache.kind = cache_kind::normal;
    c.cache.write_allocate = write_allocate_policy::no_write_allocate;
    cache_rig::settings s;
    s.split = true;
    auto r = make(c, s);
    r.rig.offer(5, true, 0x1000, 128, access_type::global_write);
    r.rig.offer(25, false, 0x1000, 128, access_type::global_read);
    r.rig.run(80);
    EXPECT_THAT(r.rig.cycles_of(observation::filled),
                ElementsAre(18u, 19u, 20u, 21u, 38u, 39u, 40u, 41u));
    EXPECT_THAT(r.rig.cycles_of(observation::hit), ElementsAre(21u));
    EXPECT_THAT(r.rig.cycles_of(observation::ready), ElementsAre(41u));
    expect_drained(r);
}

TEST_F(L1DataCache, SleepsWhileItHasNothingPending) {
    auto r = make(volta(100));
    load(r, 10, 0x1000);
    r.rig.run(400);
    const auto ran = r.rig.sequencer.activations(protocol::phase::core_caches);
    EXPECT_LE(ran, 6u);
    EXPECT_EQ(r.cache.statistics().port_cycles, r.rig.now() + 1);
    expect_drained(r);
}

TEST_F(L1DataCache, WorksAfterAChangeOfTheSharedMemoryCarveOut) {
    auto r = make(volta(1));
    r.cache.reconfigure(128, allocation_policy::on_miss);
    r.cache.invalidate();
    load(r, 5, 0x1000);
    load(r, 40, 0x1000);
    r.rig.run(80);
    EXPECT_EQ(r.rig.cycles_of(observation::hit).size(), 1u);
    expect_drained(r);
}

}  // namespace
}  // namespace simtlm::cache

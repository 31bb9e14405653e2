// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/read_only_cache.h"

#include "tests/unit/cache/cache_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::cache {
namespace {

using protocol::access_type;
using ::testing::ElementsAre;
using rigged_l1i = rigged<read_only_cache>;

read_only_cache::config instructions() {
    read_only_cache::config c;
    c.cache.sets = 64;
    c.cache.ways = 2;
    c.cache.allocation = allocation_policy::on_fill;
    c.cache.mshr_entries = 2;
    c.cache.mshr_max_merge = 4;
    c.cache.miss_queue_size = 2;
    return c;
}

void fetch(rigged_l1i& r, std::uint64_t cycle, std::uint64_t address) {
    r.rig.offer(cycle, false, address, 16, access_type::instruction_read);
}

TEST(ReadOnlyCache, SendsAMissInTheNextCycleAndHitsInTheSame) {
    rigged_l1i r("sm", {}, instructions());
    fetch(r, 5, 0x1010);
    fetch(r, 30, 0x1020);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(6u));
    EXPECT_THAT(r.rig.cycles_of(observation::ready), ElementsAre(16u));
    EXPECT_THAT(r.rig.cycles_of(observation::completed), ElementsAre(30u));
    EXPECT_TRUE(r.cache.idle());
    EXPECT_EQ(r.rig.pool.outstanding(), 0u);
}

TEST(ReadOnlyCache, SendsAMissInTheCycleOfItsAccessIfConfigured) {
    auto c = instructions();
    c.send_at_access = true;
    rigged_l1i r("sm", {}, c);
    fetch(r, 5, 0x1000);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(5u));
}

TEST(ReadOnlyCache, SendsOneMissPerCycleIfConfiguredToSendImmediately) {
    auto c = instructions();
    c.send_at_access = true;
    cache_rig::settings s;
    s.width = 2;
    rigged_l1i r("sm", s, c);
    fetch(r, 5, 0x1000);
    fetch(r, 5, 0x2000);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(5u, 6u));
}

TEST(ReadOnlyCache, FillsALineFromItsParts) {
    cache_rig::settings s;
    s.split = true;
    rigged_l1i r("sm", s, instructions());
    fetch(r, 5, 0x1000);
    r.rig.run(60);
    EXPECT_EQ(r.rig.cycles_of(observation::filled).size(), 4u);
    EXPECT_THAT(r.rig.cycles_of(observation::ready), ElementsAre(19u));
    EXPECT_EQ(r.rig.pool.outstanding(), 0u);
}

TEST(ReadOnlyCache, StallsWhenItsMshrsAreFull) {
    rigged_l1i r("sm", {}, instructions());
    for (std::uint64_t a = 0; a < 3; ++a) fetch(r, 5, a * 0x1000);
    r.rig.run(60);
    EXPECT_FALSE(r.rig.cycles_of(observation::refused).empty());
    EXPECT_EQ(r.rig.responses, 3u);
    EXPECT_EQ(r.rig.pool.outstanding(), 0u);
}

TEST(ReadOnlyCache, APerfectOneAlwaysHitsAndCountsNothing) {
    auto c = instructions();
    c.perfect = true;
    rigged_l1i r("sm", {}, c);
    fetch(r, 5, 0x1000);
    r.rig.run(20);
    EXPECT_THAT(r.rig.cycles_of(observation::completed), ElementsAre(5u));
    EXPECT_EQ(r.cache.statistics().accesses, 0u);
}

}  // namespace
}  // namespace simtlm::cache

// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/texture_cache.h"

#include "tests/unit/cache/cache_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace simtlm::cache {
namespace {

using ::testing::ElementsAre;

cache_config small_cache() {
    cache_config c;
    c.sets = 4;
    c.ways = 2;
    c.mshr_entries = 8;
    c.mshr_max_merge = 4;
    c.miss_queue_size = 4;
    c.result_fifo_entries = 2;
    return c;
}

TEST(TextureCache, AnswersHitsAfterEarlierMisses) {
    const cache_config c = small_cache();
    rigged<texture_cache> r("sm", {}, c);
    r.rig.offer(5, false, 0x1000, 32, protocol::access_type::texture_read);
    r.rig.offer(6, false, 0x1000, 32, protocol::access_type::texture_read);
    r.rig.run(60);
    EXPECT_THAT(r.rig.cycles_of(observation::sent), ElementsAre(6u));
    EXPECT_THAT(r.rig.cycles_of(observation::filled), ElementsAre(16u));
    EXPECT_THAT(r.rig.cycles_of(observation::ready), ElementsAre(16u, 17u));
    EXPECT_THAT(r.rig.cycles_of(observation::taken), ElementsAre(17u, 18u));
    EXPECT_TRUE(r.cache.idle());
    EXPECT_EQ(r.rig.pool.outstanding(), 0u);
}

TEST(TextureCache, OfSectorsSendsARequestPerMissingSector) {
    cache_config c = small_cache();
    c.kind = cache_kind::sector;
    rigged<texture_cache> r("sm", {}, c);
    for (const std::uint64_t a : {0x1020, 0x1060, 0x1020, 0x1000})
        r.rig.offer(5, false, a, 32, protocol::access_type::texture_read);
    r.rig.run(60);
    std::vector<std::uint64_t> sent, taken;
    for (const observation& o : r.rig.log) {
        if (o.what == observation::sent) sent.push_back(o.address);
        if (o.what == observation::taken) taken.push_back(o.address);
    }
    EXPECT_THAT(sent, ElementsAre(0x1020u, 0x1060u, 0x1000u));
    EXPECT_THAT(taken, ElementsAre(0x1020u, 0x1060u, 0x1020u, 0x1000u)) << "in order";
    EXPECT_TRUE(r.cache.idle());
    EXPECT_EQ(r.rig.pool.outstanding(), 0u);
}

}  // namespace
}  // namespace simtlm::cache

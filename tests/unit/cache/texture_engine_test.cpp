// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/texture_engine.h"

#include <gtest/gtest.h>

#include <vector>

namespace simtlm::cache {
namespace {

struct memory : protocol::request_sink {
    std::vector<tlm::tlm_generic_payload*> requests;
    bool try_send(tlm::tlm_generic_payload& p) override {
        requests.push_back(&p);
        return true;
    }
};

struct TextureEngine : ::testing::Test {
    protocol::transaction_pool pool;
    cache_config config;
    memory below;
    TextureEngine() {
        config.sets = 4;
        config.ways = 2;
        config.mshr_entries = 4;     // fragments
        config.mshr_max_merge = 2;   // requests
        config.miss_queue_size = 3;  // size of the reorder buffer
        config.result_fifo_entries = 1;
    }
    access_result read(texture_engine& c, std::uint64_t address) {
        auto& p =
            pool.acquire(tlm::TLM_READ_COMMAND, address, 32, protocol::access_type::texture_read);
        const auto r = c.access(p, 1);
        p.release();
        return r;
    }
};

TEST_F(TextureEngine, AnswersInOrderSoThatHitsWaitForEarlierMisses) {
    texture_engine c(config);
    EXPECT_EQ(read(c, 0x000).outcome, access_outcome::miss);
    EXPECT_EQ(read(c, 0x080).outcome, access_outcome::miss);
    c.cycle(below);
    EXPECT_EQ(read(c, 0x000).outcome, access_outcome::hit_reserved);
    c.cycle(below);
    ASSERT_EQ(below.requests.size(), 2u);
    c.fill(*below.requests[1], 5);
    c.cycle(below);
    EXPECT_FALSE(c.access_ready()) << "the first has no data yet";
    c.fill(*below.requests[0], 6);
    for (const std::uint64_t expected : {0x000u, 0x080u, 0x000u}) {
        c.cycle(below);
        ASSERT_TRUE(c.access_ready());
        auto& p = c.next_access();
        EXPECT_EQ(p.get_address(), expected);
        EXPECT_EQ(p.get_data_length(), 32u);
        p.release();
    }
    EXPECT_FALSE(c.busy());
    EXPECT_EQ(pool.outstanding(), 0u);
}

TEST_F(TextureEngine, FetchesOnlyTheMissingSectorsOfASectoredLine) {
    config.kind = cache_kind::sector;
    texture_engine c(config);
    EXPECT_EQ(read(c, 0x020).counted, access_outcome::miss);
    EXPECT_EQ(read(c, 0x060).counted, access_outcome::sector_miss);
    c.cycle(below);
    EXPECT_EQ(read(c, 0x020).counted, access_outcome::hit_reserved);
    c.cycle(below);
    ASSERT_EQ(below.requests.size(), 2u);
    EXPECT_EQ(below.requests[1]->get_address(), 0x060u);
    for (auto* const p : below.requests) {
        EXPECT_EQ(p->get_data_length(), 32u);
        EXPECT_EQ(protocol::extension(*p).data_bytes, 32u);
        c.fill(*p, 5);
    }
    for (const std::uint64_t expected : {0x020u, 0x060u, 0x020u}) {
        c.cycle(below);
        ASSERT_TRUE(c.access_ready());
        EXPECT_EQ(c.ready_access().get_address(), expected);
        c.next_access().release();
    }
    EXPECT_FALSE(c.busy());
    EXPECT_EQ(pool.outstanding(), 0u);
}

TEST_F(TextureEngine, StallsWhenAFifoIsFullWithoutCountingAnAccess) {
    texture_engine c(config);
    read(c, 0x000);
    read(c, 0x080);
    EXPECT_EQ(read(c, 0x100).outcome, access_outcome::reservation_fail) << "two requests wait";
    c.cycle(below);
    EXPECT_EQ(read(c, 0x100).outcome, access_outcome::miss);
    c.cycle(below);
    EXPECT_EQ(read(c, 0x180).outcome, access_outcome::reservation_fail) << "reorder buffer";
    EXPECT_EQ(c.statistics().accesses, 3u);
    EXPECT_EQ(c.statistics().reservation_fails, 0u);
    EXPECT_TRUE(c.busy());
}

}  // namespace
}  // namespace simtlm::cache

// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/memory_statistics.h"

#include <gtest/gtest.h>

#include <random>

namespace simtlm::memory {
namespace {

constexpr unsigned channels = 2, banks = 4;

/// Requests and replies in chunks; those of a chunk belong to one L2 cycle.
struct traffic {
    static constexpr unsigned chunks = 12;
    traffic() {
        for (unsigned i = 0; i < 40 * chunks; ++i) {
            auto& p =
                pool.acquire(tlm::TLM_READ_COMMAND, 32 * i, 32, protocol::access_type::global_read);
            protocol::memory_extension& e = protocol::extension(p);
            e.when.created = static_cast<std::uint32_t>(random() % 100);
            e.when.replied = 100 + static_cast<std::uint32_t>(random() % 100);
            e.location.channel = static_cast<std::uint16_t>(random() % channels);
            e.location.bank = static_cast<std::uint16_t>(random() % banks);
            all.push_back(&p);
        }
    }
    ~traffic() {
        for (auto* p : all) p->release();
    }
    void count(unsigned chunk, unsigned l2_cycle) {
        for (unsigned i = 40 * chunk; i < 40 * (chunk + 1); ++i) {
            statistics->request_taken(*all[i], 100 + i, l2_cycle);
            if (i % 3 == 0) statistics->reply_sent();
            statistics->reply_received(*all[i], 300 + i);
        }
    }

    std::mt19937 random{7};
    protocol::transaction_pool pool;
    std::vector<tlm::tlm_generic_payload*> all;
    memory_statistics* statistics = nullptr;
    unsigned round = 0;
};

/// Every counter, in table order.
std::vector<std::uint64_t> values(memory_statistics& s) {
    s.gather();
    s.close_window();
    const memory_counts& counts = s;
    std::vector<std::uint64_t> all;
    for (const auto& row : memory_counters)
        for (std::size_t i = 0; i < row.cells(counts); ++i) all.push_back(row.value(counts, i));
    return all;
}

TEST(MemoryStatistics, AreTheSameOnAnyNumberOfHostThreads) {
    traffic work;
    memory_statistics alone(channels, banks), shared(channels, banks, 3);
    host_threads::worker_pool threads(3);
    const host_threads::worker_pool::work counting = {
        &work, [](void*, unsigned) { return std::uint64_t{0xf}; },
        [](void* w, unsigned unit, unsigned chunk) {
            auto& t = *static_cast<traffic*>(w);
            t.count(4 * unit + chunk, t.round);
        }};
    for (work.round = 1; work.round <= 50; ++work.round) {
        work.statistics = &alone;
        for (unsigned i = 0; i < traffic::chunks; ++i) work.count(i, work.round);
        work.statistics = &shared;
        threads.run(counting, 3);
    }
    EXPECT_EQ(values(shared), values(alone));
    EXPECT_EQ(alone.request_cycles, 50u) << "cycles with a request, however many there were";
    EXPECT_EQ(alone.requests, 50u * 40 * traffic::chunks);
}

TEST(MemoryStatistics, CollectEveryCountOnce) {
    traffic work;
    memory_statistics counted(channels, banks);
    work.statistics = &counted;
    work.count(0, 1);
    const std::vector<std::uint64_t> once = values(counted);
    EXPECT_EQ(values(counted), once);
    EXPECT_EQ(counted.replies, 14u);
    EXPECT_EQ(counted.counted_num, 40u);
}

}  // namespace
}  // namespace simtlm::memory

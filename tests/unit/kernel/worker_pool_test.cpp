// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/worker_pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace simtlm::kernel {
namespace {

/// Ends of equal shares.
std::vector<unsigned> shares_of(unsigned count, unsigned among) {
    std::vector<unsigned> ends;
    for (unsigned t = 0; t < among; ++t) ends.push_back(count * (t + 1) / among);
    return ends;
}

TEST(WorkerPool, DoesEveryPieceOfEveryRoundOnce) {
    worker_pool pool(3);
    EXPECT_EQ(pool.threads(), 3u);
    std::vector<unsigned> done(100, 0);  // pieces are different elements: no lock
    const auto piece = [](void* all, unsigned i) {
        ++(*static_cast<std::vector<unsigned>*>(all))[i];
    };
    std::vector<unsigned> expected(100, 0);
    for (unsigned round = 0; round < 3000; ++round) {
        const unsigned count = round % 101, among = round % 3 + 1;
        pool.run(shares_of(count, among), piece, &done);
        for (unsigned i = 0; i < count; ++i) ++expected[i];
    }
    EXPECT_EQ(done, expected);
}

TEST(WorkerPool, BeginsWithThePiecesThatAThreadIsGiven) {
    worker_pool pool(3);
    const std::vector<std::vector<unsigned>> ends = {
        {5, 5, 9}, {0, 0, 4}, {7, 12, 12}, {0, 0}, {3}};
    for (unsigned round = 0; round < 2000; ++round) {
        const std::vector<unsigned>& shares = ends[round % ends.size()];
        std::vector<unsigned> done(shares.back(), 0);
        const auto piece = [](void* all, unsigned i) {
            EXPECT_LT(worker_pool::this_thread(), 3u);
            ++(*static_cast<std::vector<unsigned>*>(all))[i];
        };
        pool.run(shares, piece, &done);
        EXPECT_EQ(done, std::vector<unsigned>(shares.back(), 1));
    }
    EXPECT_EQ(worker_pool::this_thread(), 0u);
}

TEST(WorkerPool, SeesInARoundWhatTheOneBeforeHasDone) {
    worker_pool pool(4);
    // Every piece adds up its neighbours of the round before.
    struct state {
        std::vector<std::uint64_t> now = std::vector<std::uint64_t>(64, 1), next = now;
    } s;
    std::vector<std::uint64_t> alone = s.now, scratch = alone;
    const auto piece = [](void* p, unsigned i) {
        auto& all = *static_cast<state*>(p);
        all.next[i] = all.now[(i + 63) % 64] * 3 + all.now[(i + 1) % 64] + i;
    };
    for (unsigned round = 0; round < 500; ++round) {
        pool.run(shares_of(64, 4), piece, &s);
        s.now.swap(s.next);
        for (unsigned i = 0; i < 64; ++i)
            scratch[i] = alone[(i + 63) % 64] * 3 + alone[(i + 1) % 64] + i;
        alone.swap(scratch);
    }
    EXPECT_EQ(s.now, alone);
}

TEST(WorkerPool, ThrowsWhatAPieceHasThrownWhenAllAreDone) {
    worker_pool pool(2);
    std::vector<unsigned> done(20, 0);
    const auto piece = [](void* all, unsigned i) {
        ++(*static_cast<std::vector<unsigned>*>(all))[i];
        if (i == 7) throw std::runtime_error("the seventh");
    };
    EXPECT_THROW(pool.run(shares_of(20, 2), piece, &done), std::runtime_error);
    EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0u), 20u);
    const auto harmless = [](void*, unsigned) {};
    EXPECT_NO_THROW(pool.run(shares_of(20, 2), harmless, nullptr)) << "it is told once";
}

}  // namespace
}  // namespace simtlm::kernel

// SPDX-License-Identifier: Apache-2.0
#include "modules/host_threads/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace simtlm::host_threads {
namespace {

/// Counts how often every share was started, and every work unit executed; separate elements, so no
/// lock is needed.
struct tally {
    std::vector<std::uint64_t> wanted;  ///< number of work units, by share
    std::vector<unsigned> begun;
    std::vector<std::vector<unsigned>> done;

    explicit tally(unsigned shares)
        : wanted(shares), begun(shares), done(shares, std::vector<unsigned>(64)) {}

    worker_pool::work work() {
        return {this,
                [](void* self, unsigned unit) {
                    auto& t = *static_cast<tally*>(self);
                    ++t.begun[unit];
                    return t.wanted[unit];
                },
                [](void* self, unsigned unit, unsigned chunk) {
                    auto& t = *static_cast<tally*>(self);
                    ++t.done[unit][chunk];
                }};
    }
};

TEST(WorkerPool, RunsEveryPartAndItsChunksOncePerRound) {
    constexpr unsigned threads = 3, rounds = 5000;
    worker_pool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    tally all(threads);
    std::vector<std::vector<unsigned>> expected = all.done;
    std::mt19937_64 random(7);
    for (unsigned round = 0; round < rounds; ++round) {
        for (unsigned s = 0; s < threads; ++s) {
            const std::uint64_t few = random() & random() & random();
            all.wanted[s] = round % 7 == s ? 0 : round % 5 == s ? ~std::uint64_t{0} : few;
            for (unsigned i = 0; i < 64; ++i) expected[s][i] += all.wanted[s] >> i & 1u;
        }
        pool.run(all.work(), round % threads + 1);
        ASSERT_EQ(all.done, expected) << "round " << round;
    }
    EXPECT_EQ(all.begun, std::vector<unsigned>(threads, rounds));
}

TEST(WorkerPool, RunsThePartOfAnUnusedThread) {
    worker_pool pool(4);
    tally all(4);
    all.wanted.assign(4, 0xf0f);
    const worker_pool::work alone = {&all, all.work().begin,
                                     [](void* self, unsigned unit, unsigned chunk) {
                                         EXPECT_EQ(worker_pool::this_thread(), 0u);
                                         ++static_cast<tally*>(self)->done[unit][chunk];
                                     }};
    for (unsigned round = 0; round < 100; ++round) pool.run(alone, 1);
    for (unsigned s = 0; s < 4; ++s) EXPECT_EQ(all.done[s][9], 100u);
    EXPECT_EQ(worker_pool::this_thread(), 0u);
}

TEST(WorkerPool, ShowsARoundTheResultsOfThePreviousOne) {
    worker_pool pool(4);
    // Every work unit adds up its neighbours of the previous round.
    struct state {
        std::vector<std::uint64_t> now = std::vector<std::uint64_t>(64, 1), next = now;
    } s;
    std::vector<std::uint64_t> alone = s.now, scratch = alone;
    const worker_pool::work add = {&s, [](void*, unsigned) { return std::uint64_t{0xffff}; },
                                   [](void* p, unsigned unit, unsigned chunk) {
                                       auto& all = *static_cast<state*>(p);
                                       const unsigned i = 16 * unit + chunk;
                                       all.next[i] =
                                           all.now[(i + 63) % 64] * 3 + all.now[(i + 1) % 64] + i;
                                   }};
    for (unsigned round = 0; round < 500; ++round) {
        pool.run(add, 4);
        s.now.swap(s.next);
        for (unsigned i = 0; i < 64; ++i)
            scratch[i] = alone[(i + 63) % 64] * 3 + alone[(i + 1) % 64] + i;
        alone.swap(scratch);
    }
    EXPECT_EQ(s.now, alone);
}

TEST(WorkerPool, WakesASleepingThread) {
    worker_pool pool(2);
    for (unsigned round = 0; round < 20; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        struct {
            std::atomic<unsigned> here{0};
        } both;
        // No work unit ends before the other has begun, so two threads are required.
        const worker_pool::work barrier = {&both, [](void*, unsigned) { return std::uint64_t{1}; },
                                           [](void* p, unsigned, unsigned) {
                                               auto& all = *static_cast<decltype(both)*>(p);
                                               ++all.here;
                                               while (all.here < 2) std::this_thread::yield();
                                           }};
        pool.run(barrier, 2);
        EXPECT_EQ(both.here, 2u);
    }
}

TEST(WorkerPool, RethrowsTheExceptionOfAChunkAfterTheRound) {
    worker_pool pool(2);
    tally all(2);
    all.wanted = {0xfffff, 0xff};
    const worker_pool::work failing = {&all, all.work().begin,
                                       [](void* self, unsigned unit, unsigned chunk) {
                                           ++static_cast<tally*>(self)->done[unit][chunk];
                                           if (unit == 1 && chunk == 7)
                                               throw std::runtime_error("the seventh");
                                       }};
    EXPECT_THROW(pool.run(failing, 2), std::runtime_error);
    for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(all.done[0][i], 1u);
    EXPECT_NO_THROW(pool.run(all.work(), 2)) << "it is told once";
}

}  // namespace
}  // namespace simtlm::host_threads

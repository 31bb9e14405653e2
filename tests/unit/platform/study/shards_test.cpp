// SPDX-License-Identifier: Apache-2.0
#include "platform/study/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace simtlm::platform::study {

static bool operator==(const kernel_range& a, const kernel_range& b) {
    return a.first == b.first && a.last == b.last;
}

namespace {

using testing::ElementsAre;

TEST(BalancedShards, MinimizeTheHeaviestLoad) {
    EXPECT_THAT(balanced_shards({1, 1, 1, 1}, 2),
                ElementsAre(kernel_range{1, 2}, kernel_range{3, 4}));
    EXPECT_THAT(balanced_shards({9, 1, 1, 1}, 2),
                ElementsAre(kernel_range{1, 1}, kernel_range{2, 4}));
    EXPECT_THAT(balanced_shards({2, 3, 4, 5, 6}, 3),
                ElementsAre(kernel_range{1, 3}, kernel_range{4, 4}, kernel_range{5, 5}));
}

TEST(BalancedShards, HoldEveryKernelOnceWithinTheBestPossibleLoad) {
    std::uint64_t state = 1;
    for (unsigned round = 0; round < 200; ++round) {
        std::vector<std::uint64_t> weights(1 + round % 17);
        for (std::uint64_t& w : weights) w = (state = state * 6364136223846793005u + 1) >> 60;
        const unsigned shards = 1 + round % 5;
        const auto ranges = balanced_shards(weights, shards);
        ASSERT_FALSE(ranges.empty());
        EXPECT_LE(ranges.size(), shards);
        std::uint64_t next = 1, heaviest = 0;
        for (const kernel_range& r : ranges) {
            EXPECT_EQ(next, r.first);
            ASSERT_LE(r.first, r.last);
            next = r.last + 1;
            std::uint64_t load = 0;
            for (std::uint64_t k = r.first; k <= r.last; ++k)
                load += std::max<std::uint64_t>(1, weights[k - 1]);
            heaviest = std::max(heaviest, load);
        }
        EXPECT_EQ(weights.size() + 1, next);
        // The optimum over all splits of the list, by dynamic programming.
        const std::size_t n = weights.size();
        std::vector<std::uint64_t> best(n + 1, ~std::uint64_t{0});
        best[0] = 0;
        for (unsigned s = 0; s < shards; ++s) {
            std::vector<std::uint64_t> with = best;
            for (std::size_t end = 1; end <= n; ++end) {
                std::uint64_t load = 0;
                for (std::size_t begin = end; begin-- > 0;) {
                    load += std::max<std::uint64_t>(1, weights[begin]);
                    with[end] = std::min(with[end], std::max(best[begin], load));
                }
            }
            best = with;
        }
        EXPECT_EQ(best[n], heaviest);
    }
}

TEST(BalancedShards, AreAtMostTheNumberOfKernels) {
    EXPECT_EQ(3u, balanced_shards({5, 5, 5}, 8).size());
    EXPECT_TRUE(balanced_shards({}, 8).empty());
}

TEST(LaunchCounts, EqualThoseOfAFunctionalReport) {
    EXPECT_THAT(
        launch_counts("kernel 1 a: grid 4x1x1, block 64x1x1: 96 warp instructions, 3072 thread "
                      "instructions, 0.1 s\nkernel says: 5 warp instructions\n"
                      "kernel 2 b: device 0, grid 4x1x1, block 64x1x1: 7 warp instructions, 30 "
                      "thread instructions, 0.1 s\n"),
        ElementsAre(96u, 7u));
}

}  // namespace
}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#include "modules/host_threads/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace simtlm::host_threads {
namespace {

TEST(ParallelFor, CallsTheFunctionOncePerIndexOnAnyNumberOfThreads) {
    for (const unsigned jobs : {0u, 1u, 3u, 200u}) {
        std::vector<std::atomic<int>> calls(100);
        parallel_for(jobs, calls.size(), [&](std::size_t i) { ++calls[i]; });
        for (const std::atomic<int>& n : calls) EXPECT_EQ(n, 1) << jobs;
    }
}

TEST(ParallelFor, RethrowsAnExceptionAndStartsNoFurtherCall) {
    std::size_t calls = 0;
    try {
        parallel_for(1, 10, [&](std::size_t i) {
            ++calls;
            if (i == 4) throw std::runtime_error(std::to_string(i));
        });
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "4");
    }
    EXPECT_EQ(calls, 5u);
}

}  // namespace
}  // namespace simtlm::host_threads

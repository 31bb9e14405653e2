// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/parallel_autotuner.h"

#include <gtest/gtest.h>

using simtlm::simulation::parallel_autotuner;

namespace {

/// Steps for which a work unit takes a given time, parallel and sequential; returns how many were
/// parallel.
/// @param while_trying  count the measuring steps too
unsigned shared_steps(parallel_autotuner& t, unsigned steps, std::chrono::nanoseconds shared,
                      std::chrono::nanoseconds alone, bool while_trying) {
    unsigned count = 0;
    for (unsigned i = 0; i < steps; ++i) {
        constexpr unsigned chunks = 10;
        count += t.shared() && (while_trying || !t.trying());
        t.step_ended(chunks * (t.shared() ? shared : alone), chunks);
    }
    return count;
}

using namespace std::chrono_literals;

TEST(ParallelAutotuner, SelectsTheFasterMode) {
    parallel_autotuner pays, does_not;
    EXPECT_GT(shared_steps(pays, 10000, 6us, 10us, false), 9000u);
    EXPECT_EQ(shared_steps(does_not, 10000, 10us, 6us, false), 0u);
}

TEST(ParallelAutotuner, TriesTheSlowerModeDecreasinglyOften) {
    parallel_autotuner pays, does_not;
    const unsigned fruitless = shared_steps(does_not, 100000, 10us, 6us, true);
    EXPECT_GT(fruitless, 100u);
    EXPECT_LT(fruitless, 500u);
    const unsigned alone = 100000 - shared_steps(pays, 100000, 6us, 10us, true);
    EXPECT_GT(alone, 200u);
    EXPECT_LT(alone, 1500u);
}

TEST(ParallelAutotuner, DoesNotParallelizeStepsShorterThanTheOverhead) {
    parallel_autotuner t;
    EXPECT_EQ(shared_steps(t, 100000, 60ns, 100ns, true), 0u);
    EXPECT_FALSE(t.pays());
}

TEST(ParallelAutotuner, ContinuesInParallelOnShortStepsWhileWorkersSpin) {
    parallel_autotuner t;
    shared_steps(t, 500, 6us, 10us, true);
    ASSERT_TRUE(t.pays());
    EXPECT_GT(shared_steps(t, 100000, 60ns, 100ns, true), 98000u);
}

TEST(ParallelAutotuner, TriesStepsOfAnyLengthIfConfigured) {
    parallel_autotuner t(0);
    EXPECT_GT(shared_steps(t, 100000, 6ns, 10ns, true), 98000u);
}

TEST(ParallelAutotuner, AdaptsToAChangingWorkload) {
    parallel_autotuner t;
    shared_steps(t, 5000, 10us, 6us, true);
    EXPECT_FALSE(t.shared());
    shared_steps(t, 40000, 6us, 10us, true);
    EXPECT_GT(shared_steps(t, 1000, 6us, 10us, true), 900u);
}

}  // namespace

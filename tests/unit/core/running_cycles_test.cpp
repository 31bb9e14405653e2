// SPDX-License-Identifier: Apache-2.0
#include "modules/core/running_cycles.h"

#include "modules/support/archive.h"

#include <gtest/gtest.h>

namespace simtlm::core {
namespace {

TEST(ClusterCycles, CountCyclesWithAnActiveSmOrPendingCtas) {
    simt_cluster_cycles c;
    c.start(9);  // thread blocks remain to be placed: cycles 10 to 20
    EXPECT_EQ(c.since_reset(10), 0u);
    EXPECT_EQ(c.since_reset(15), 5u);
    c.stop(20);
    EXPECT_EQ(c.since_reset(30), 11u);
    c.start(29);  // one SM: 30 to 50
    c.start(39);  // another SM: 40 to 60
    c.stop(50);
    EXPECT_EQ(c.since_reset(55), 36u);
    c.stop(60);
    EXPECT_EQ(c.since_reset(100), 42u);
}

TEST(RunningCycles, AreCountedForPrioritiesSinceTheLastReset) {
    running_cycles c;
    auto initial = support::archive::for_reset();
    initial(c);
    c.start(9);
    c.stop(20);
    auto reset = support::archive::for_reset(initial.take());
    reset(c);
    c.start(29);
    EXPECT_EQ(c.before(35), 16u) << "statistics are kept";
    EXPECT_EQ(c.since_reset(35), 5u);
}

}  // namespace
}  // namespace simtlm::core

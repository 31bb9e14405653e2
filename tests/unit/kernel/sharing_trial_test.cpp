// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/sharing_trial.h"

#include <gtest/gtest.h>

using simtlm::kernel::sharing_trial;

namespace {

/// Visits for which a piece of work takes so long, shared and not; how many were shared.
/// @param while_trying  whether those count that were made to find out
unsigned shared_visits(sharing_trial& t, unsigned visits, std::chrono::nanoseconds shared,
                       std::chrono::nanoseconds alone, bool while_trying) {
    unsigned count = 0;
    for (unsigned i = 0; i < visits; ++i) {
        constexpr unsigned pieces = 5;
        count += t.shared() && (while_trying || !t.trying());
        t.visited(pieces * (t.shared() ? shared : alone), pieces);
    }
    return count;
}

using namespace std::chrono_literals;

TEST(SharingTrial, KeepsTheWayThatIsFaster) {
    sharing_trial pays, does_not;
    EXPECT_GT(shared_visits(pays, 10000, 60ns, 100ns, false), 9000u);
    EXPECT_EQ(shared_visits(does_not, 10000, 100ns, 60ns, false), 0u);
}

TEST(SharingTrial, TriesBothWaysNowAndAgainAndLessOftenWhatDoesNotPay) {
    sharing_trial pays, does_not;
    const unsigned tried_in_vain = shared_visits(does_not, 100000, 100ns, 60ns, true);
    EXPECT_GT(tried_in_vain, 100u);
    EXPECT_LT(tried_in_vain, 500u);
    const unsigned alone = 100000 - shared_visits(pays, 100000, 60ns, 100ns, true);
    EXPECT_GT(alone, 1000u);
    EXPECT_LT(alone, 4000u);
}

TEST(SharingTrial, FollowsAWorkloadThatChanges) {
    sharing_trial t;
    shared_visits(t, 5000, 100ns, 60ns, true);
    EXPECT_FALSE(t.shared());
    shared_visits(t, 40000, 60ns, 100ns, true);
    EXPECT_GT(shared_visits(t, 1000, 60ns, 100ns, true), 900u);
}

}  // namespace

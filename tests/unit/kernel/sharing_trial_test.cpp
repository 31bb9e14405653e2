// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/sharing_trial.h"

#include <gtest/gtest.h>

using simtlm::kernel::sharing_trial;

namespace {

/// Steps for which a piece of work takes so long, shared and not; how many were shared.
/// @param while_trying  whether those count that were made to find out
unsigned shared_steps(sharing_trial& t, unsigned steps, std::chrono::nanoseconds shared,
                      std::chrono::nanoseconds alone, bool while_trying) {
    unsigned count = 0;
    for (unsigned i = 0; i < steps; ++i) {
        constexpr unsigned pieces = 10;
        count += t.shared() && (while_trying || !t.trying());
        t.step_ended(pieces * (t.shared() ? shared : alone), pieces);
    }
    return count;
}

using namespace std::chrono_literals;

TEST(SharingTrial, KeepsTheWayThatIsFaster) {
    sharing_trial pays, does_not;
    EXPECT_GT(shared_steps(pays, 10000, 6us, 10us, false), 9000u);
    EXPECT_EQ(shared_steps(does_not, 10000, 10us, 6us, false), 0u);
}

TEST(SharingTrial, TriesBothWaysNowAndAgainAndLessOftenWhatDoesNotPay) {
    sharing_trial pays, does_not;
    const unsigned tried_in_vain = shared_steps(does_not, 100000, 10us, 6us, true);
    EXPECT_GT(tried_in_vain, 100u);
    EXPECT_LT(tried_in_vain, 500u);
    const unsigned alone = 100000 - shared_steps(pays, 100000, 6us, 10us, true);
    EXPECT_GT(alone, 200u);
    EXPECT_LT(alone, 1500u);
}

TEST(SharingTrial, DoesNotTryStepsThatAreShorterThanASharingTakes) {
    sharing_trial t;
    EXPECT_EQ(shared_steps(t, 100000, 60ns, 100ns, true), 0u);
    EXPECT_FALSE(t.pays());
}

TEST(SharingTrial, GoesOnSharingStepsThatHaveBecomeShortWhileTheOthersAreAtHand) {
    sharing_trial t;
    shared_steps(t, 500, 6us, 10us, true);
    ASSERT_TRUE(t.pays());
    EXPECT_GT(shared_steps(t, 100000, 60ns, 100ns, true), 98000u);
}

TEST(SharingTrial, TriesStepsOfAnyLengthWhereToldTo) {
    sharing_trial t(0);
    EXPECT_GT(shared_steps(t, 100000, 6ns, 10ns, true), 98000u);
}

TEST(SharingTrial, FollowsAWorkloadThatChanges) {
    sharing_trial t;
    shared_steps(t, 5000, 10us, 6us, true);
    EXPECT_FALSE(t.shared());
    shared_steps(t, 40000, 6us, 10us, true);
    EXPECT_GT(shared_steps(t, 1000, 6us, 10us, true), 900u);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/error.h"

#include <gtest/gtest.h>

namespace simtlm::kernel {
namespace {

TEST(UserError, IsOneLineOfWhereWhatAndRemedy) {
    EXPECT_STREQ(user_error("a.traceg:3", "bad mask", "trace again").what(),
                 "a.traceg:3: bad mask (trace again)");
    EXPECT_STREQ(user_error("a.traceg", "empty").what(), "a.traceg: empty");
    EXPECT_STREQ(user_error("", "nothing to run", "name a trace").what(),
                 "nothing to run (name a trace)");
    const user_error e("x", "y", "z");
    EXPECT_EQ(e.where(), "x");
    EXPECT_EQ(e.remedy(), "z");
}

}  // namespace
}  // namespace simtlm::kernel

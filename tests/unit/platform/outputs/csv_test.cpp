// SPDX-License-Identifier: Apache-2.0
#include "platform/outputs/csv.h"

#include <gtest/gtest.h>

namespace simtlm::platform {
namespace {

TEST(Csv, KeepsCommasAndQuotesOfANameInOneCell) {
    EXPECT_EQ(csv::quoted("void k<float, 2>(int)"), "\"void k<float, 2>(int)\"");
    EXPECT_EQ(csv::quoted("a \"b\""), "\"a \"\"b\"\"\"");
    EXPECT_EQ(csv::quoted(""), "\"\"");
}

}  // namespace
}  // namespace simtlm::platform

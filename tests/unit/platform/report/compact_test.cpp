// SPDX-License-Identifier: Apache-2.0
#include "platform/report/compact.h"

#include <gtest/gtest.h>

namespace simtlm::platform {
namespace {

TEST(CompactText, LeavesOutZeroAndWhatTheReportBeforeSaidToo) {
    compact_text compact;
    EXPECT_EQ(compact.of("kernel_name = a \nhits = 3\nmisses = 0\nrate =       0.0000\n"),
              "kernel_name = a \nhits = 3\n");
    EXPECT_EQ(compact.of("kernel_name = b \nhits = 3\nmisses = 2\nrate =       0.0400\n"),
              "kernel_name = b \nmisses = 2\nrate =       0.0400\n");
    EXPECT_EQ(compact.of("kernel_name = b \nhits = 4\nmisses = 2\nrate =       0.0400\n"),
              "kernel_name = b \nhits = 4\n")
        << "the kernel's name is always there";
}

TEST(CompactText, KeepsTheTitlesOfWhatItKeeps) {
    compact_text compact;
    EXPECT_EQ(compact.of("\n===== caches =====\nL1I:\n\tmisses = 0\nL1D:\n\tmisses = 7\n"
                         "===== none =====\nhits = 0\n"),
              "L1D:\n\tmisses = 7\n");
    EXPECT_EQ(compact.of("table: \ndram[0]: 0 0 \ndram[1]: 0 5 \n"), "table: \ndram[1]: 0 5 \n");
}

TEST(CompactText, KeepsNumbersThatHoldAZeroDigit) {
    compact_text compact;
    EXPECT_EQ(compact.of("cycles = 100\nmrq_lat_table:0 \t0 \t20 \t0\nq: 0 \t0\n"),
              "cycles = 100\nmrq_lat_table:0 \t0 \t20 \t0\n");
}

}  // namespace
}  // namespace simtlm::platform

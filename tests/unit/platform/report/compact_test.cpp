// SPDX-License-Identifier: Apache-2.0
#include "platform/report/compact.h"

#include <gtest/gtest.h>

namespace simtlm::platform {
namespace {

TEST(CompactText, OmitsZerosAndUnchangedValues) {
    compact_text compact;
    EXPECT_EQ(compact.of("kernel_name = a \nhits = 3\nmisses = 0\nrate =       0.0000\n"),
              "kernel_name = a \nhits = 3\n");
    EXPECT_EQ(compact.of("kernel_name = b \nhits = 3\nmisses = 2\nrate =       0.0400\n"),
              "kernel_name = b \nmisses = 2\nrate =       0.0400\n");
    EXPECT_EQ(compact.of("kernel_name = b \nhits = 4\nmisses = 2\nrate =       0.0400\n"),
              "kernel_name = b \nhits = 4\n")
        << "the kernel's name is always there";
}

TEST(CompactText, KeepsTheHeadingsOfKeptLines) {
    compact_text compact;
    EXPECT_EQ(compact.of("\n===== caches =====\nL1I:\n\tmisses = 0\nL1D:\n\tmisses = 7\n"
                         "===== none =====\nhits = 0\n"),
              "L1D:\n\tmisses = 7\n");
    EXPECT_EQ(compact.of("table: \nrow: 0 0 \nother: 0 5 \n"), "table: \nother: 0 5 \n");
}

TEST(CompactText, OmitsStatisticsOfSingleBlocks) {
    compact_text compact;
    EXPECT_EQ(compact.of("L1D_cache:\n\tL1D_cache_core[0]: Access = 3\n\tL1D_total = 3\n"
                         "accesses by bank:\ndram[0]: 1 2\ndram[1]: 3 4\ntotal accesses: 10\n"
                         "Memory Partition 0: \nn_cmd=7\n\nbwutil = 0.5\n"
                         "========= DRAM, all channels =========\ndram_bw_util = 0.5\n"),
              "L1D_cache:\n\tL1D_total = 3\ntotal accesses: 10\n"
              "========= DRAM, all channels =========\ndram_bw_util = 0.5\n");
}

TEST(CompactText, KeepsNumbersThatContainAZeroDigit) {
    compact_text compact;
    EXPECT_EQ(compact.of("cycles = 100\nshare = 0.500\nq: 0 \t0\n"),
              "cycles = 100\nshare = 0.500\n");
}

TEST(CompactText, TruncatesARowAfterItsLastNonZeroNumber) {
    compact_text compact;
    EXPECT_EQ(compact.of("mrq_lat_table:0 \t0 \t20 \t0 \t0 \t\n"), "mrq_lat_table:0 \t0 \t20\n");
}

}  // namespace
}  // namespace simtlm::platform

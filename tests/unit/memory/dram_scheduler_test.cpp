// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/memory/harness.h"

#include <gtest/gtest.h>

namespace simtlm::memory {
namespace {

struct bench {
    dram_config config = test::hbm();
    dram_statistics statistics;
    dram_request_table requests{8};
    std::unique_ptr<dram_timing_state> banks;
    std::unique_ptr<dram_scheduler> scheduler;
    std::uint64_t order = 0;
    unsigned priority = 0;
    tlm::tlm_generic_payload payload;

    void start() {
        statistics.banks.resize(16);
        banks = std::make_unique<dram_timing_state>(config);
        scheduler = make_fr_fcfs_scheduler({config, requests, statistics});
    }
    std::uint32_t add(unsigned bank, std::uint32_t row, bool write = false, bool posted = true) {
        const auto i = requests.take();
        requests[i] = dram_request();
        requests[i].bank = static_cast<std::uint16_t>(bank);
        requests[i].row = row;
        requests[i].write = write;
        requests[i].posted = write && posted;
        requests[i].order = order++;
        scheduler->add(i);
        return i;
    }
    std::uint32_t choose(std::uint64_t free) {
        return scheduler->choose(free, priority, *banks, 0);
    }
};

TEST(FrFcfs, PrefersOpenRowsThenTheOldestAndCompletesRows) {
    bench b;
    b.start();
    b.banks->activate(3, 7, 0);
    const auto old = b.add(3, 5);
    const auto hit = b.add(3, 7);
    const auto other = b.add(3, 9);
    const auto old_2 = b.add(3, 5);
    EXPECT_EQ(b.choose(1u << 3), hit);
    EXPECT_EQ(b.choose(1u << 3), old);
    EXPECT_EQ(b.choose(1u << 3), old_2);  // chained, although row 7 is still open
    const auto late_hit = b.add(3, 7);
    EXPECT_EQ(b.choose(1u << 3), late_hit);
    EXPECT_EQ(b.choose(1u << 3), other);
    EXPECT_EQ(b.choose(1u << 3), dram_request_table::none);
    EXPECT_EQ(b.statistics.row_hits, 3u);  // rows 7, the second 5, 7
    EXPECT_EQ(b.statistics.accesses, 5u);
    EXPECT_EQ(b.statistics.banks[3].row_switches, 2u);
}

TEST(FrFcfs, RotatesPriorityOverFreeBanks) {
    bench b;
    b.start();
    const auto in_1 = b.add(1, 1);
    const auto in_0 = b.add(0, 1);
    EXPECT_EQ(b.choose(0xffff), in_0);
    EXPECT_EQ(b.priority, 1u);
    EXPECT_FALSE(b.scheduler->may_choose(~2ull));
    EXPECT_EQ(b.choose(~2ull & 0xffff), dram_request_table::none);
    EXPECT_EQ(b.choose(2), in_1);
}

void give_writes_a_queue_of_their_own(bench& b) {
    b.config.separate_write_queue = true;
    b.config.write_queue_size = 4;
    b.config.write_high_watermark = 3;
    b.config.write_low_watermark = 2;
}

TEST(FrFcfs, DrainsWritesBetweenWatermarksWhileReadsWait) {
    bench b;
    give_writes_a_queue_of_their_own(b);
    b.start();
    const auto w0 = b.add(0, 1, true);
    const auto w1 = b.add(0, 1, true);
    const auto r0 = b.add(0, 2);
    const auto r1 = b.add(0, 2);
    EXPECT_EQ(b.choose(1), r0);
    b.add(0, 1, true);
    EXPECT_EQ(b.choose(1), w0);
    EXPECT_EQ(b.choose(1), w1);
    EXPECT_EQ(b.choose(1), r1);  // one write left: below the low watermark
    EXPECT_FALSE(b.scheduler->full(true));
    for (int i = 0; i < 3; ++i) b.add(1, 1, true);
    EXPECT_TRUE(b.scheduler->full(true));
    EXPECT_FALSE(b.scheduler->full(false));
}

TEST(FrFcfs, IsScheduledOnceAfterDrainingWithoutRequests) {
    bench b;
    give_writes_a_queue_of_their_own(b);
    b.config.quirk_writes_wait = true;
    b.start();
    for (int i = 0; i < 3; ++i) b.add(0, 1, true);
    for (int i = 0; i < 2; ++i) EXPECT_NE(b.choose(1), dram_request_table::none);
    EXPECT_TRUE(b.scheduler->may_choose(2)) << "the last write is for bank 0, and below the mark";
    EXPECT_FALSE(b.scheduler->may_choose(0));
    EXPECT_EQ(b.choose(2), dram_request_table::none);
    EXPECT_FALSE(b.scheduler->may_choose(2));
    b.add(1, 1, true);
    EXPECT_EQ(b.choose(2), dram_request_table::none) << "two writes wait for the high mark";
}

TEST(FrFcfs, ServesFewWritesWithoutWaitingReads) {
    bench b;
    give_writes_a_queue_of_their_own(b);
    b.start();
    const auto w0 = b.add(0, 1, true);
    const auto r0 = b.add(0, 2);
    EXPECT_EQ(b.choose(1), r0);
    EXPECT_EQ(b.choose(1), w0);
    EXPECT_EQ(b.choose(1), dram_request_table::none);
}

TEST(FrFcfs, NeverServesFewWritesUnderTheQuirkOfGpgpuSim) {
    bench b;
    give_writes_a_queue_of_their_own(b);
    b.config.quirk_writes_wait = true;
    b.start();
    b.add(0, 1, true);
    b.add(0, 1, true);
    const auto r0 = b.add(0, 2);
    EXPECT_EQ(b.choose(1), r0);
    EXPECT_EQ(b.choose(1), dram_request_table::none);
}

TEST(FrFcfs, ServesWritesThatAnSmWaitsForBelowTheHighWatermark) {
    bench b;
    give_writes_a_queue_of_their_own(b);
    b.config.quirk_writes_wait = true;
    b.start();
    const auto w0 = b.add(0, 1, true, false);
    EXPECT_EQ(b.choose(1), w0);
    b.add(0, 1, true);
    EXPECT_EQ(b.choose(1), dram_request_table::none) << "a write-back waits";
}

TEST(FifoScheduler, ServesRequestsInOrderWithTwoEntries) {
    bench b;
    b.scheduler = make_fifo_scheduler({b.config, b.requests, b.statistics});
    b.statistics.banks.resize(16);
    b.banks = std::make_unique<dram_timing_state>(b.config);
    const auto first = b.add(4, 1);
    EXPECT_FALSE(b.scheduler->full(false));
    const auto second = b.add(5, 1);
    EXPECT_TRUE(b.scheduler->full(false));
    EXPECT_EQ(b.choose(1u << 5), dram_request_table::none);
    EXPECT_EQ(b.choose(1u << 4), first);
    EXPECT_EQ(b.choose(1u << 5), second);
}

TEST(DramDataPipeline, IsAShiftRegisterWithOneAdditionalEntry) {
    dram_data_pipeline p(4);  // CL 3
    p.set_stages(3);
    p.push(1);
    for (int i = 0; i < 2; ++i) {
        p.shift(1);
        EXPECT_FALSE(p.ready());
    }
    p.shift(1);
    ASSERT_TRUE(p.ready());
    EXPECT_EQ(p.pop(), 1u);
    // While stalled it accepts two, then it is full.
    p.push(2);
    EXPECT_FALSE(p.full());
    p.push(3);
    EXPECT_TRUE(p.full());
    p.shift(1);
    EXPECT_FALSE(p.full());
    p.shift(2);
    EXPECT_EQ(p.pop(), 2u);
    p.shift(1);
    EXPECT_TRUE(p.ready());
    EXPECT_EQ(p.pop(), 3u);
}

TEST(DramCommandChecker, FindsIllegalCommands) {
    const dram_config c = test::hbm();
    dram_timing_checker k("k", c, false);
    k.command(100, dram_command::activate, 0, 5, 0);
    k.command(102, dram_command::activate, 1, 5, 0);   // tRRD 3
    k.command(111, dram_command::read, 0, 5, 0);       // tRCD 12
    k.command(112, dram_command::read, 0, 6, 0);       // row, tCCDL 2
    k.command(113, dram_command::write, 1, 5, 0);      // tRTW 13
    k.command(120, dram_command::precharge, 0, 5, 0);  // tRAS 28
    k.command(131, dram_command::activate, 0, 5, 0);   // tRC 40, tRP 12
    k.command(132, dram_command::read, 7, 5, 0);       // idle; tWTR 6 has elapsed
    EXPECT_EQ(k.violations().size(), 10u);
    for (const auto& v : k.violations()) SCOPED_TRACE(v);
    dram_timing_checker good("good", c, false);
    good.command(0, dram_command::activate, 0, 5, 0);
    good.command(12, dram_command::read, 0, 5, 0);
    good.command(14, dram_command::read, 0, 5, 32);
    good.command(28, dram_command::precharge, 0, 5, 0);
    good.command(40, dram_command::activate, 0, 6, 0);
    EXPECT_TRUE(good.violations().empty());
}

}  // namespace
}  // namespace simtlm::memory

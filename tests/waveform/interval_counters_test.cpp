// SPDX-License-Identifier: Apache-2.0
#include "platform/report/interval_counters.h"

#include "platform/report/report.h"
#include "tests/waveform/gpu_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace simtlm::test {
namespace {

using platform::interval_counters;

struct outcome {
    std::string statistics;
    std::uint64_t steps = 0, lanes = 0, by_class = 0, intervals = 0, cycles = 0;
};

/// A run in a process of its own, since SystemC starts only once.
/// @param reads   read the counters every microsecond of simulated time
/// @param defers  defer edges of the DRAM clock
outcome run_of(bool reads, bool defers) {
    int ends[2];
    EXPECT_EQ(0, ::pipe(ends));
    if (::fork() == 0) {
        gpu_run run("reduction", {});
        if (defers) run.device().decouple_dram();
        outcome o;
        if (reads) {
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
            interval_counters counters(run.device());
            for (std::uint64_t last = 1; last != 0;) {
                run.run(1);
                const auto& i = counters.take();
                last = i.to - i.from;
                o.cycles += last;
                o.lanes += counters.sum("sm", "thread_instructions");
                o.by_class += counters.sum("sm", "thread_instructions_by_class");
                ++o.intervals;
                if (run.device().commands().idle()) break;
            }
        } else {
            run.run();
        }
        run.device().sequencer().synchronize();
        platform::update_counters(run.device());
        o.statistics = run.statistics();
        o.steps = run.device().sequencer().steps();
        const std::uint64_t numbers[] = {o.steps, o.lanes, o.by_class, o.intervals, o.cycles};
        static_cast<void>(!::write(ends[1], numbers, sizeof numbers));
        static_cast<void>(!::write(ends[1], o.statistics.data(), o.statistics.size()));
        ::_exit(0);
    }
    ::close(ends[1]);
    outcome o;
    std::uint64_t numbers[5] = {};
    EXPECT_EQ(static_cast<ssize_t>(sizeof numbers), ::read(ends[0], numbers, sizeof numbers));
    o.steps = numbers[0], o.lanes = numbers[1], o.by_class = numbers[2];
    o.intervals = numbers[3], o.cycles = numbers[4];
    char part[4096];
    for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;)
        o.statistics.append(part, static_cast<std::size_t>(n));
    ::close(ends[0]);
    return o;
}

TEST(IntervalCounters, ReadARunWithoutChangingItAndAddUpToItsTotals) {
    const outcome plain = run_of(false, true), read = run_of(true, true);
    EXPECT_EQ(read.statistics, plain.statistics);
    EXPECT_GE(read.intervals, 2u);
    EXPECT_GT(read.lanes, 0u);
    EXPECT_EQ(read.by_class, read.lanes);
}

TEST(IntervalCounters, LeaveEdgesOfTheDramClockDeferred) {
    const outcome awake = run_of(true, false), read = run_of(true, true);
    EXPECT_EQ(read.statistics, awake.statistics);
    EXPECT_LT(read.steps, awake.steps * 9 / 10);
}

}  // namespace
}  // namespace simtlm::test

// SPDX-License-Identifier: Apache-2.0
// Rule 3 of time: results do not depend on the order. Rule 4: sleeping changes only the speed.
#include "tests/system/simulator.h"

#include <gtest/gtest.h>

namespace simtlm::test {
namespace {

class Determinism : public testing::TestWithParam<std::string> {
protected:
    outcome run(std::vector<std::string> more = {}) {
        more.insert(more.end(), {"--quiet", "--stats-json", folder_.path("statistics.json")});
        outcome o = simulate(on_tiny(sample(GetParam()), more));
        EXPECT_EQ(0, o.code) << o.err;
        statistics_ = read_json(folder_.path("statistics.json"));
        for (const char* how : {"config", "origins", "provenance"}) statistics_.erase(how);
        statistics_["counters"].erase("instruction");
        for (nlohmann::json& kernel : statistics_["kernels"]) kernel.erase("instructions");
        return o;
    }
    void expect_same(std::vector<std::string> more, const std::vector<std::string>& both = {}) {
        const outcome first = run(both);
        const nlohmann::json statistics = statistics_;
        more.insert(more.end(), both.begin(), both.end());
        const outcome second = run(more);
        EXPECT_EQ("", first_difference(first.report(), second.report()));
        EXPECT_TRUE(statistics == statistics_) << "the JSON files differ, blocks included";
    }

    scratch_folder folder_;

private:
    nlohmann::json statistics_;
};

TEST_P(Determinism, TwoRunsGiveTheSameStatistics) {
    expect_same({});
}
TEST_P(Determinism, StatisticsAreIndependentOfProcessOrder) {
    expect_same({"--shuffle-seed", "1"});
    expect_same({"--shuffle-seed", "4711"});
}
TEST_P(Determinism, RandomPartitionIndexingIsIndependentOfProcessOrder) {
    const std::vector<std::string> random{"-gpgpu_memory_partition_indexing", "4"};
    expect_same({"--shuffle-seed", "1"}, random);
    expect_same({"--no-sleep"}, random);
}
TEST_P(Determinism, SmsInOrderActInOrderInEveryProcessMode) {
    for (const char* const indexing : {"0", "4"}) {
        const std::vector<std::string> in_order{"--compat",
                                                "accel-sim",
                                                "-gpgpu_n_clusters",
                                                "2",
                                                "-gpgpu_n_cores_per_cluster",
                                                "3",
                                                "-gpgpu_simt_core_sim_order",
                                                "1",
                                                "-icnt_in_buffer_limit",
                                                "8",
                                                "-gpgpu_memory_partition_indexing",
                                                indexing};
        expect_same({"--shuffle-seed", "1"}, in_order);
        expect_same({"--no-sleep"}, in_order);
        expect_same({"--processes", "block"}, in_order);
        expect_same({"--threads", "2"}, in_order);
    }
}
TEST_P(Determinism, StatisticsAreTheSameWithoutSleep) {
    expect_same({"--no-sleep"});
}
TEST_P(Determinism, StatisticsAreTheSameWithOneSystemCThreadPerFunctionalUnit) {
    expect_same({"--processes", "block"});
    expect_same({"--processes", "block", "--shuffle-seed", "5"});
}
TEST_P(Determinism, WaveformsAreTheSameWithOneSystemCThreadPerFunctionalUnit) {
    const auto waveform = [this](std::vector<std::string> more) {
        const std::string file = folder_.path("wave.vcd");
        more.insert(more.end(), {"--quiet", "--vcd", file});
        const outcome o = simulate(on_tiny(sample(GetParam()), more));
        EXPECT_EQ(0, o.code) << o.err;
        return read_file(file);
    };
    const std::string by_modules = waveform({});
    EXPECT_GT(by_modules.size(), 1000u);
    EXPECT_TRUE(by_modules == waveform({"--processes", "block"}));
}
TEST_P(Determinism, ProgressAndCheckersDoNotChangeStatistics) {
    expect_same({"--progress", "on", "--check-dram", "--profile-kernel", "-visualizer_enabled", "1",
                 "-visualizer_outputfile", folder_.path("v.log.gz"), "-gpgpu_runtime_stat", "100",
                 "-enable_ptx_file_line_stats", "1", "-ptx_line_stats_filename",
                 folder_.path("lines.txt")});
}

TEST_P(Determinism, TheSubCorePipelineIsIndependentOfProcessOrderAndSleep) {
    const std::vector<std::string> sub_cores{"--core", "modern", "-gpgpu_perfect_inst_const_cache",
                                             "0"};
    expect_same({"--shuffle-seed", "1"}, sub_cores);
    expect_same({"--no-sleep"}, sub_cores);
    expect_same({"--processes", "block", "--shuffle-seed", "5"}, sub_cores);
    expect_same({"--threads", "2", "--sms-a-thread", "1"}, sub_cores);
}
TEST_P(Determinism, TheSubCorePipelineIsDeterministicWithItsScoreboard) {
    expect_same({"--no-sleep", "--shuffle-seed", "3"},
                {"--core", "modern", "--dependences", "scoreboard"});
}
/// An SM whose warps have exited receives CTAs of another kernel before its slots are free.
TEST_P(Determinism, BackToBackKernelsOfAnSmAreIndependentOfSleep) {
    expect_same({"--no-sleep"},
                {"--core", "modern", "-gpgpu_sub_core_model", "0", "-modern_cta_turnaround", "90"});
}

INSTANTIATE_TEST_SUITE_P(Samples, Determinism, testing::ValuesIn(samples()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace simtlm::test

// SPDX-License-Identifier: Apache-2.0
// Statistics and exit codes of programs, however they end and however many processes there are.
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string process = SIMTLM_PROCESS;

class ProcessEnd : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("LD_PRELOAD") == nullptr && std::string(SIMTLM_SANITIZER).empty()) return;
        GTEST_SKIP() << "a sanitizer's runtime has to come first in programs";
    }

    outcome run(const std::vector<std::string>& program,
                const std::vector<std::string>& options = {}) const {
        std::vector<std::string> words = {
            "run",          "--preset",           "TINY", "--stats-file", folder.path("reports"),
            "--stats-json", folder.path("s.json")};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return simulate(words);
    }
    bool exists(const std::string& name) const { return fs::exists(folder.path(name)); }

    scratch_folder folder;
};

TEST_F(ProcessEnd, WritesStatisticsWhicheverFunctionEndsTheProgram) {
    for (const std::string how : {"exit", "_exit", "quick_exit", "fork"}) {
        const outcome o = run({process, how});
        EXPECT_EQ(0, o.code) << how << o.err;
        EXPECT_EQ("", o.err) << how;
        EXPECT_EQ(1u, read_json(folder.path("s.json"))["kernels"].size()) << how;
        EXPECT_FALSE(exists("reports.part")) << how;
        fs::remove(folder.path("s.json"));
        fs::remove(folder.path("reports"));
    }
}

TEST_F(ProcessEnd, KeepsAnExitCodeOtherThanZero) {
    EXPECT_EQ(3, run({process, "abrupt"}).code);
    EXPECT_TRUE(exists("s.json"));
}

TEST_F(ProcessEnd, WritesStatisticsBeforeItExecutesAnotherProgram) {
    EXPECT_EQ(0, run({process, "exec", "/bin/true"}).code);
    EXPECT_EQ(1u, read_json(folder.path("s.json"))["kernels"].size());
}

TEST_F(ProcessEnd, ReportsThatAProgramWithoutCallsWritesNoStatistics) {
    const outcome o = run({process, "silent"});
    EXPECT_EQ(1, o.code);
    EXPECT_THAT(o.err, HasSubstr("not written, because no kernel has run on a GPU: "));
    EXPECT_THAT(o.err, HasSubstr("s.json"));
    EXPECT_EQ(0, run({process, "silent"}, {"--keep-exit-code"}).code);
    // Nothing was requested.
    const outcome quiet = simulate({"run", "--preset", "TINY", "--", process, "silent"});
    EXPECT_EQ(0, quiet.code);
    EXPECT_EQ("", quiet.err);
}

TEST_F(ProcessEnd, WritesSeparateFilesPerProcess) {
    const outcome o =
        run({"/bin/sh", "-c", process + " exit; " + process + " quick_exit; " + process + " exit"});
    EXPECT_EQ(0, o.code) << o.err;
    for (const char* const file : {"s.json", "s.process2.json", "s.process3.json"})
        EXPECT_EQ(1u, read_json(folder.path(file))["kernels"].size()) << file;
    EXPECT_TRUE(exists("reports"));
    EXPECT_TRUE(exists("reports.process3"));
    EXPECT_FALSE(exists("s.process4.json"));
    // The next run begins with the first name again.
    EXPECT_EQ(0, run({process, "exit"}).code);
    EXPECT_FALSE(exists("s.process4.json"));
}

TEST_F(ProcessEnd, WritesSeparateFilesForConcurrentProcesses) {
    const outcome o = run({"/bin/sh", "-c", process + " exit & " + process + " exit & wait; true"});
    EXPECT_EQ(0, o.code) << o.err;
    for (const char* const file : {"s.json", "s.process2.json"})
        EXPECT_EQ(1u, read_json(folder.path(file))["kernels"].size()) << file;
}

TEST_F(ProcessEnd, WritesFilesWhereTheRunWasStarted) {
    const fs::path before = fs::current_path();
    fs::current_path(folder.path("."));
    const outcome o = simulate(
        {"run", "--preset", "TINY", "--stats-json", "here.json", "--", process, "chdir", "/tmp"});
    fs::current_path(before);
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_TRUE(exists("here.json"));
    EXPECT_TRUE(exists("simtlm-stats.txt"));
}

TEST_F(ProcessEnd, FailsIfNoKernelCouldBeLaunchedAndReportsTheReasonOnce) {
    const outcome o = simulate(
        {"run", "--preset", "TINY", "--stats-file", folder.path("r"), "--", process, "refused"});
    EXPECT_EQ(6, o.code);
    EXPECT_THAT(
        o.err,
        HasSubstr("process contains no code for a GPU of compute capability 7.0, but PTX for "
                  "compute_120: compile it with nvcc -gencode arch=compute_70,code=sm_70, or "
                  "choose a newer GPU, or try its PTX with "
                  "-gpgpu_ptx_force_max_capability 120\n"));
    EXPECT_THAT(o.err, HasSubstr("kernels could not be launched; the exit code is 6"));
    EXPECT_EQ(2, std::count(o.err.begin(), o.err.end(), '\n')) << o.err;
}

TEST_F(ProcessEnd, SucceedsIfTheProgramHandlesTheErrorAndRunsOtherKernels) {
    const outcome o = run({process, "refused_seen"});
    EXPECT_EQ(0, o.code) << o.err;
}

}  // namespace
}  // namespace simtlm::test

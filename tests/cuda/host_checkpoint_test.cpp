// SPDX-License-Identifier: Apache-2.0
// A host program run saved between two kernels and resumed in another process, in which the program
// runs again, ends like an uninterrupted one.
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

using ::testing::HasSubstr;

/// The results of a run without those that depend on the host's speed or contain file names.
struct result_of_run {
    outcome run;
    std::string reports;
    nlohmann::json statistics;
};

void drop_host_time(nlohmann::json& j) {
    for (const char* const name : {"gpgpu_simulation_time", "gpgpu_simulation_rate",
                                   "gpgpu_silicon_slowdown", "gpu_total_sim_rate"})
        if (j.is_object()) j.erase(name);
    if (j.is_object() || j.is_array())
        for (auto& each : j) drop_host_time(each);
}

class HostCheckpoint : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("LD_PRELOAD") == nullptr && std::string(SIMTLM_SANITIZER).empty()) return;
        GTEST_SKIP() << "a sanitizer's runtime has to come first in programs";
    }

    /// simtlm run --preset TINY OPTIONS -- steps ARGUMENTS
    result_of_run run(std::vector<std::string> options,
                      const std::vector<std::string>& arguments) const {
        const std::string json = folder_.path("s.json"), reports = folder_.path("reports");
        std::filesystem::remove(json);
        std::vector<std::string> words = {
            "run",  "--preset",     "TINY",  "--quiet",      "-gpgpu_kernel_launch_latency",
            "3000", "--stats-file", reports, "--stats-json", json};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", SIMTLM_STEPS});
        words.insert(words.end(), arguments.begin(), arguments.end());
        result_of_run r{simulate(words), "", {}};
        if (!std::filesystem::exists(json)) return r;
        r.statistics = read_json(json);
        for (const char* const how : {"config", "origins", "provenance"}) r.statistics.erase(how);
        drop_host_time(r.statistics);
        r.reports = r.run.report();
        return r;
    }
    result_of_run save(unsigned kernels, const std::vector<std::string>& arguments,
                       std::vector<std::string> options = {}) const {
        options.insert(options.end(),
                       {"--checkpoint", file_, "--checkpoint-at", std::to_string(kernels)});
        return run(options, arguments);
    }
    result_of_run resume(const std::vector<std::string>& arguments,
                         std::vector<std::string> options = {}) const {
        options.insert(options.end(), {"--resume", file_});
        return run(options, arguments);
    }
    /// Compares a whole, a saved and a resumed run.
    void compare(unsigned kernels, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& options = {}) const {
        SCOPED_TRACE(arguments.back() + " behind " + std::to_string(kernels));
        const result_of_run whole = run(options, arguments);
        ASSERT_EQ(0, whole.run.code) << whole.run.err;
        const result_of_run saved = save(kernels, arguments, options);
        ASSERT_EQ(0, saved.run.code) << saved.run.err;
        EXPECT_EQ(whole.run.out, saved.run.out);
        EXPECT_TRUE(whole.statistics == saved.statistics) << "saving has changed the run";
        const result_of_run resumed = resume(arguments, options);
        ASSERT_EQ(0, resumed.run.code) << resumed.run.err;
        EXPECT_EQ(whole.run.out, resumed.run.out) << "the program has seen something else";
        EXPECT_TRUE(whole.statistics == resumed.statistics) << "the JSON files differ";
        EXPECT_EQ(std::stoul(arguments.front()), resumed.statistics["kernels"].size());
    }
    static unsigned reports_of(const scratch_folder& folder) {
        const std::string text = read_file(folder.path("reports"));
        unsigned n = 0;
        for (std::size_t at = 0; (at = text.find("kernel_launch_uid", at)) != std::string::npos;
             ++at)
            ++n;
        return n;
    }

    scratch_folder folder_;
    std::string file_ = folder_.path("checkpoint");
};

TEST_F(HostCheckpoint, ResumesAProgramWhoseControlFlowDependsOnResults) {
    compare(1, {"6"});
    compare(4, {"6"});
    EXPECT_EQ(2u, reports_of(folder_)) << "kernels before the checkpoint are not simulated again";
}

TEST_F(HostCheckpoint, SavesAResumedRunAgain) {
    const std::string second = folder_.path("second");
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"6"}, std::vector<std::string>{"6", "clock"}}) {
        SCOPED_TRACE(arguments.back());
        std::filesystem::remove(file_);
        std::filesystem::remove(second);
        const result_of_run saved = save(2, arguments);
        ASSERT_EQ(0, saved.run.code) << saved.run.err;
        const result_of_run again =
            resume(arguments, {"--checkpoint", second, "--checkpoint-at", "4"});
        ASSERT_EQ(0, again.run.code) << again.run.err;
        EXPECT_EQ(saved.run.out, again.run.out);
        const result_of_run last = run({"--resume", second}, arguments);
        ASSERT_EQ(0, last.run.code) << last.run.err;
        EXPECT_EQ(saved.run.out, last.run.out) << "the program has seen something else";
        EXPECT_TRUE(saved.statistics == last.statistics) << "the JSON files differ";
    }
}

TEST_F(HostCheckpoint, RestoresResultsThatDependOnSimulatedTime) {
    compare(3, {"6", "clock"});
}

TEST_F(HostCheckpoint, RestoresKernelWritesToPinnedMemory) {
    compare(3, {"6", "pinned"});
}

TEST_F(HostCheckpoint, RestoresAllocationsOfEveryStep) {
    compare(3, {"6", "grow", "clock"});
}

TEST_F(HostCheckpoint, RestoresTheEndTimesOfCopies) {
    compare(3, {"6", "clock"}, {"--pcie-bandwidth", "2", "--pcie-latency", "3"});
}

TEST_F(HostCheckpoint, RestoresTheOrderOfTwoStreamsAndTheNumberOfHostQueries) {
    compare(2, {"8", "streams", "clock"});
    compare(4, {"8", "streams", "clock"});
}

TEST_F(HostCheckpoint, RejectsAProgramThatIsNotReproducible) {
    ASSERT_EQ(0, save(3, {"6", "clock", "pinned"}).run.code);
    const result_of_run r = resume({"6", "clock", "pinned"});
    EXPECT_EQ(2, r.run.code);
    EXPECT_EQ(1u, r.run.error_lines().size()) << r.run.err;
    EXPECT_THAT(r.run.err, HasSubstr("a nondeterministic program cannot be resumed"));
    EXPECT_THAT(r.run.err, HasSubstr(file_));
}

TEST_F(HostCheckpoint, RejectsAnotherRunOfTheProgram) {
    ASSERT_EQ(0, save(3, {"6"}).run.code);
    const result_of_run r = resume({"6", "grow"});
    EXPECT_EQ(2, r.run.code);
    EXPECT_EQ(1u, r.run.error_lines().size()) << r.run.err;
    const result_of_run shorter = resume({"2"});
    EXPECT_EQ(2, shorter.run.code);
    EXPECT_THAT(shorter.run.err, HasSubstr("before the kernel"));
}

TEST_F(HostCheckpoint, RejectsOtherLaunchArguments) {
    ASSERT_EQ(0, save(2, {"6"}).run.code);
    const result_of_run r = resume({"6", "other"});
    EXPECT_EQ(2, r.run.code) << r.run.out;
    EXPECT_EQ(1u, r.run.error_lines().size()) << r.run.err;
    EXPECT_THAT(r.run.err, HasSubstr("launch of step, differs from the saved run"));
}

TEST_F(HostCheckpoint, RejectsOtherMemsetValuesAndOtherDeviceCopies) {
    ::setenv("FILL", "7", 1);
    ASSERT_EQ(0, save(2, {"6", "filled"}).run.code);
    EXPECT_EQ(0, resume({"6", "filled"}).run.code);
    ::setenv("FILL", "8", 1);
    const result_of_run r = resume({"6", "filled"});
    ::unsetenv("FILL");
    EXPECT_EQ(2, r.run.code) << r.run.out;
    EXPECT_THAT(r.run.err, HasSubstr("memset of 1024 bytes, differs from the saved run"));
    ASSERT_EQ(0, save(2, {"6", "later"}).run.code);
    EXPECT_EQ(0, resume({"6", "later"}).run.code);
    for (const char* other : {"copied", "other"})
        EXPECT_EQ(2, resume({"6", other}).run.code) << other;
}

TEST_F(HostCheckpoint, RejectsAnotherGpuAndNamesTheOptionThatDiffers) {
    ASSERT_EQ(0, save(3, {"6"}).run.code);
    for (const std::vector<std::string>& other :
         {std::vector<std::string>{"-gpgpu_l2_rop_latency", "77"},
          std::vector<std::string>{"--pcie-bandwidth", "3"}}) {
        const result_of_run r = resume({"6"}, other);
        EXPECT_EQ(2, r.run.code);
        EXPECT_THAT(r.run.err, HasSubstr(other.front()));
        EXPECT_EQ(1u, r.run.error_lines().size()) << r.run.err;
    }
}

TEST_F(HostCheckpoint, IsWrittenAndResumedBySeveralHostThreads) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"6"}, std::vector<std::string>{"6", "clock"},
          std::vector<std::string>{"6", "pinned"}, std::vector<std::string>{"8", "streams"}}) {
        compare(3, arguments, {"--threads", "2"});
        // The number of threads is no part of the saved state.
        const result_of_run one = resume(arguments), three = resume(arguments, {"--threads", "3"});
        ASSERT_EQ(0, three.run.code) << three.run.err;
        EXPECT_EQ(one.run.out, three.run.out);
        EXPECT_TRUE(one.statistics == three.statistics) << "the JSON files differ";
    }
}

TEST_F(HostCheckpoint, ResumesWithAnotherConfiguration) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"6", "clock"}, std::vector<std::string>{"6", "pinned"}}) {
        ASSERT_EQ(0, save(3, arguments).run.code);
        const result_of_run plain = resume(arguments),
                            same = resume(arguments, {"--resume-what-if"});
        ASSERT_EQ(0, same.run.code) << same.run.err;
        EXPECT_EQ(plain.run.out, same.run.out);
        EXPECT_EQ(3u, same.statistics["kernels"].size()) << "those after the checkpoint";
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_EQ(plain.statistics["kernels"][i + 3]["gpu_sim_cycle"],
                      same.statistics["kernels"][i]["gpu_sim_cycle"]);
        const std::vector<std::string> slow = {"--resume-what-if", "-gpgpu_l2_rop_latency", "400"};
        const result_of_run slower = resume(arguments, slow);
        ASSERT_EQ(0, slower.run.code) << slower.run.err;
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_GT(slower.statistics["kernels"][i]["gpu_sim_cycle"],
                      same.statistics["kernels"][i]["gpu_sim_cycle"]);
        EXPECT_EQ("400", slower.statistics["resumed"]["options"]["-gpgpu_l2_rop_latency"]["here"]);
        const result_of_run threads = resume(
            arguments, {"--resume-what-if", "-gpgpu_l2_rop_latency", "400", "--threads", "2"});
        EXPECT_TRUE(slower.statistics == threads.statistics);
    }
}

TEST_F(HostCheckpoint, ReportsAWriteError) {
    const result_of_run r = save(6, {"6"});
    EXPECT_EQ(1, r.run.code);
    EXPECT_THAT(r.run.err, HasSubstr("is not written"));
    EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(HostCheckpoint, RejectsIncompatibleOptions) {
    ASSERT_EQ(0, save(3, {"6"}).run.code);
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--sample"}, std::vector<std::string>{"--kernels", "1"},
          std::vector<std::string>{"--gpus", "2"}, std::vector<std::string>{"--debug"},
          std::vector<std::string>{"-gpgpu_ptx_sim_mode", "1"},
          std::vector<std::string>{"--vcd", folder_.path("w.vcd")}}) {
        const result_of_run r = resume({"6"}, more);
        EXPECT_EQ(2, r.run.code) << more.front();
        EXPECT_EQ(1u, r.run.error_lines().size()) << r.run.err;
    }
    const outcome o = simulate(
        {"--preset", "TINY", "-trace", std::string(SIMTLM_TRACES) + "/vecadd", "--resume", file_});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("simtlm run"));
}

}  // namespace
}  // namespace simtlm::test

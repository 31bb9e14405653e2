// SPDX-License-Identifier: Apache-2.0
// Thread blocks that cancel the launch of others and do their work (clusterlaunchcontrol).
#include "tests/system/simulator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

/// A kernel of launch_control_100.ptx and a launch of it with a tile per thread block.
struct launched_kernel {
    const char* launch;
    unsigned tiles;
};
constexpr launched_kernel kernels[] = {
    {"buffer out u32 1920 zero\n"
     "launch tiles grid 40,16,3 block 64 args out u32:40 u32:16\n"
     "output out out.bin\n",
     1920},
    {"buffer out u32 600 zero\n"
     "launch pairs_of_tiles grid 600 block 32 args out\n"
     "output out out.bin\n",
     600},
};

class LaunchControl : public testing::Test {
protected:
    /// Runs a kernel on a part of a B200.
    /// @param code  "--ptx" or "--cubin"
    outcome run(const std::string& code, const launched_kernel& kernel,
                const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words = {"--preset",
                                          "B200",
                                          "-gpgpu_n_clusters",
                                          "12",
                                          "-gpgpu_gpc_sms",
                                          "6,6",
                                          "-gpgpu_kernel_launch_latency",
                                          "0",
                                          "--quiet",
                                          code,
                                          std::string(SIMTLM_MACHINE_CODE) + "/launch_control_100" +
                                              (code == "--ptx" ? ".ptx" : ".sm_100.cubin"),
                                          "--launch",
                                          folder_.write("k.launch", kernel.launch)};
        words.insert(words.end(), more.begin(), more.end());
        return simulate(words);
    }
    /// How often each tile was worked on by the last run.
    std::vector<std::uint32_t> counts() const {
        const std::string bytes = read_file(folder_.path("out.bin"));
        std::vector<std::uint32_t> values(bytes.size() / 4);
        std::memcpy(values.data(), bytes.data(), values.size() * 4);
        return values;
    }
    static std::uint64_t launched(const outcome& o) {
        return std::stoull(o.values().at("gpu_tot_issued_cta"));
    }
    scratch_folder folder_;
};

TEST_F(LaunchControl, WorksOnEachTileOnce) {
    for (const char* const code : {"--ptx", "--cubin"})
        for (const launched_kernel& k : kernels) {
            const std::vector<std::uint32_t> once(k.tiles, 1);
            const outcome functional = run(code, k, {"-gpgpu_ptx_sim_mode", "1"});
            ASSERT_EQ(0, functional.code) << functional.err;
            EXPECT_EQ(counts(), once);
            const outcome timed = run(code, k);
            ASSERT_EQ(0, timed.code) << timed.err;
            EXPECT_EQ(counts(), once);
            EXPECT_LT(launched(timed), k.tiles) << "resident blocks did the work of others";
            EXPECT_GT(launched(timed), 12u);
        }
}

TEST_F(LaunchControl, ExecutesTheSameInstructionsOnAnyNumberOfHostThreads) {
    for (const launched_kernel& k : kernels) {
        const auto text = [&](const char* threads) {
            const outcome o =
                run("--ptx", k, {"-gpgpu_ptx_sim_mode", "1", "--functional-threads", threads});
            EXPECT_EQ(0, o.code) << o.err;
            return o.out.substr(0, o.out.find(" s\n"));  // before the host time
        };
        const std::string one = text("1"), three = text("3");
        const auto instructions = [](const std::string& of) {
            return of.substr(0, of.find(" thread instructions"));
        };
        EXPECT_EQ(instructions(one), instructions(three));
        EXPECT_NE(std::string::npos, one.find(" warp instructions"));
    }
}

TEST_F(LaunchControl, TakesTheSameCyclesInAnyProcessOrderAndOnSeveralThreads) {
    const std::vector<std::vector<std::string>> ways = {
        {"--shuffle-seed", "1"},
        {"--no-sleep", "--shuffle-seed", "3"},
        {"--threads", "2", "--sms-a-thread", "1"},
        {"--threads", "3", "--sms-a-thread", "1", "--shuffle-seed", "7"}};
    for (const launched_kernel& k : kernels) {
        const outcome first = run("--ptx", k);
        ASSERT_EQ(0, first.code) << first.err;
        for (const std::vector<std::string>& way : ways) {
            const outcome other = run("--ptx", k, way);
            EXPECT_EQ("", first_difference(first.report(), other.report())) << way.front();
            EXPECT_EQ(counts(), std::vector<std::uint32_t>(k.tiles, 1)) << way.front();
        }
    }
}

TEST_F(LaunchControl, CancelsNothingWhileATraceIsRecorded) {
    for (const launched_kernel& k : kernels) {
        const scratch_folder traces;
        const outcome recorded = run("--ptx", k, {"--record-trace", traces.path("t")});
        ASSERT_EQ(0, recorded.code) << recorded.err;
        EXPECT_EQ(launched(recorded), k.tiles);
        EXPECT_EQ(counts(), std::vector<std::uint32_t>(k.tiles, 1));
    }
}

}  // namespace
}  // namespace simtlm::test

// SPDX-License-Identifier: Apache-2.0
// Sampled simulation of applications: --sample, --sample-stable.
#include "tests/system/simulator.h"
#include "tests/system/small_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Sampling : public testing::Test {
protected:
    /// A list that runs kernels of the samples repeatedly.
    std::string list(const std::vector<std::string>& samples, unsigned times) const {
        std::string text;
        for (const std::string& s : samples)
            std::filesystem::copy_file(std::string(SIMTLM_TRACES) + "/" + s + "/kernel-1.traceg.xz",
                                       folder_.path(s + ".traceg.xz"));
        for (unsigned n = 0; n < times; ++n)
            for (const std::string& s : samples) text += s + ".traceg.xz\n";
        return folder_.write("kernelslist.g", text);
    }
    double total(const std::string& trace, std::vector<std::string> more = {}) const {
        const outcome o = simulate(on_tiny(trace, std::move(more)));
        EXPECT_EQ(0, o.code) << o.err;
        return std::stod(o.values().at("gpu_tot_sim_cycle"));
    }
    scratch_folder folder_;
};

TEST_F(Sampling, ProjectsARunOfRepeatedKernelsFromAFewOfThem) {
    const std::string trace = list({"vecadd", "reduction", "histogram"}, 12);
    const double whole = total(trace);
    const std::string json = folder_.path("p.json");
    const outcome o =
        simulate(on_tiny(trace, {"--sample", "--sample-budget", "0.3", "--sample-json", json}));
    ASSERT_EQ(0, o.code) << o.err;
    const auto values = o.values();
    EXPECT_EQ("3", values.at("sampled_groups"));
    EXPECT_GE(15, std::stoi(values.at("sampled_kernels")));
    const double projected = std::stod(values.at("projected_tot_sim_cycle"));
    EXPECT_NEAR(whole, projected, 0.06 * whole);
    EXPECT_NEAR(whole, projected, std::stod(values.at("projected_error_bound")));
    const nlohmann::json p = read_json(json);
    EXPECT_NEAR(projected, p["projected_tot_sim_cycle"].get<double>(), 1);
    ASSERT_EQ(36u, p["kernels"].size());
    double sum = 0;
    int simulated = 0;
    for (const auto& k : p["kernels"]) {
        sum += k["cycles"].get<double>();
        simulated += k["how"] == "simulated" ? 1 : 0;
    }
    EXPECT_NEAR(projected, sum, 1);
    EXPECT_EQ(std::to_string(simulated), values.at("sampled_kernels"));
    // Totals do not include kernels that were not simulated.
    EXPECT_EQ(values.at("sampled_sim_cycle"), values.at("gpu_tot_sim_cycle"));
}

TEST_F(Sampling, SimulatesEveryKernelThatIsNotRepeated) {
    const std::string trace = list({"vecadd", "reduction"}, 1);
    const outcome o = simulate(on_tiny(trace, {"--sample"}));
    const auto values = o.values();
    EXPECT_EQ("2", values.at("sampled_kernels"));
    EXPECT_EQ(values.at("gpu_tot_sim_cycle"), values.at("projected_tot_sim_cycle"));
    EXPECT_EQ("0", values.at("projected_error_bound"));
}

TEST_F(Sampling, EndsAKernelOfManyThreadBlocksWhenItsRateIsStable) {
    small_trace large;
    large.blocks = 2000;
    large.header["grid dim"] = "(2000,1,1)";
    // A chain of additions: all blocks take the same time.
    for (std::vector<std::string>& warp : large.warps)
        warp.insert(warp.end() - 1, 60, "0030 ffffffff 1 R12 FADD 2 R12 R1 0 0");
    const std::string trace = large.write(folder_);
    const double whole = total(trace);
    const outcome o = simulate(on_tiny(trace, {"--sample-stable", "--sample-spread", "0.1"}));
    ASSERT_EQ(0, o.code) << o.err;
    const auto values = o.values();
    EXPECT_EQ("1", values.at("sampled_kernels_stopped"));
    EXPECT_LT(std::stod(values.at("sampled_sim_cycle")), 0.5 * whole);
    EXPECT_NEAR(whole, std::stod(values.at("projected_tot_sim_cycle")), 0.05 * whole);
    EXPECT_NE("0", values.at("projected_error_bound"));
}

TEST_F(Sampling, ExecutesTheThreadBlocksOfAProgramThatItDoesNotSimulate) {
    // 2,000 thread blocks, launched twice; two SMs hold sixteen of them at a time.
    const std::string launches =
        folder_.write("large.launch",
                      "buffer x f32 512000 ramp 0 0.5\nbuffer y f32 512000 ramp 1 1\n"
                      "buffer after f32 512000 ramp 1 2\n"
                      "launch saxpy grid 2000 block 256 args f32:1 x y u32:512000\n"
                      "launch saxpy grid 2000 block 256 args f32:1 x y u32:512000\n"
                      "expect y buffer after\n");
    const auto ran = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--preset", "TINY", "--ptx", SIMTLM_PROGRAMS "/saxpy.ptx",
                                 "--launch", launches});
        const outcome o = simulate(more);
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_THAT(o.out, HasSubstr("results are as expected"));
        return o.values();
    };
    const double whole = std::stod(ran({}).at("gpu_tot_sim_cycle"));
    const auto values = ran({"--sample-stable", "--sample-spread", "0.1"});
    EXPECT_EQ("2", values.at("sampled_kernels_stopped"));
    EXPECT_LT(std::stod(values.at("sampled_sim_cycle")), 0.25 * whole);
    EXPECT_NEAR(whole, std::stod(values.at("projected_tot_sim_cycle")), 0.06 * whole);
}

TEST_F(Sampling, SimulatesShortKernelsCompletely) {
    const auto values = simulate(on_tiny(sample("vecadd"), {"--sample-stable"})).values();
    EXPECT_EQ("0", values.at("sampled_kernels_stopped"));
    EXPECT_EQ(values.at("gpu_tot_sim_cycle"), values.at("projected_tot_sim_cycle"));
}

TEST_F(Sampling, ExecutesAllLaunchesOfAProgramAndSimulatesAFewOfThem) {
    std::string script =
        "buffer x f32 10000 ramp 0 0.5\nbuffer y f32 10000 ramp 1 1\n"
        "buffer after f32 10000 ramp 1 16\n";
    // 30 times y = x + y, half of them for the first 5000 elements, with half as many blocks.
    for (unsigned n = 0; n < 30; ++n)
        script += n % 2 == 0 ? "launch saxpy grid 40 block 256 args f32:1 x y u32:10000\n"
                             : "launch saxpy grid 20 block 256 args f32:0 x y u32:5000\n";
    script += "expect y buffer after\n";
    script.replace(script.find("ramp 1 16"), 9, "ramp 1 8.5");
    const std::string launches = folder_.write("many.launch", script);
    const auto ran = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--preset", "TINY", "--ptx", SIMTLM_PROGRAMS "/saxpy.ptx",
                                 "--launch", launches});
        const outcome o = simulate(more);
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_THAT(o.out, HasSubstr("results are as expected"));
        return o.values();
    };
    const double whole = std::stod(ran({}).at("gpu_tot_sim_cycle"));
    const std::string json = folder_.path("p.json");
    const auto values = ran({"--sample", "--sample-json", json});
    EXPECT_EQ("2", values.at("sampled_groups"));
    EXPECT_EQ("8", values.at("sampled_kernels")) << "1, 2, 5 and 10 of each group";
    const double projected = std::stod(values.at("projected_tot_sim_cycle"));
    EXPECT_NEAR(whole, projected, 0.03 * whole);
    EXPECT_NEAR(whole, projected, std::stod(values.at("projected_error_bound")) + 1);
    EXPECT_EQ(30u, read_json(json)["kernels"].size());
}

TEST_F(Sampling, GroupsLaunchesOfAProgramByTheirExecutedInstructionMix) {
    std::string script =
        "buffer x f32 10000 ramp 0 0.5\nbuffer y f32 10000 ramp 1 1\n"
        "buffer after f32 10000 ramp 1 1\n";
    // The same kernel with the same grid; in every third launch most threads have nothing to do.
    for (unsigned n = 0; n < 45; ++n)
        script += std::string("launch saxpy grid 40 block 256 args f32:0 x y u32:") +
                  (n % 3 == 2 ? "32" : "10000") + "\n";
    script += "expect y buffer after\n";
    const std::string launches = folder_.write("mixed.launch", script);
    const auto ran = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--preset", "TINY", "--ptx", SIMTLM_PROGRAMS "/saxpy.ptx",
                                 "--launch", launches});
        const outcome o = simulate(more);
        EXPECT_EQ(0, o.code) << o.err;
        return o.values();
    };
    const double whole = std::stod(ran({}).at("gpu_tot_sim_cycle"));
    const auto values = ran({"--sample"});
    EXPECT_EQ("2", values.at("sampled_groups"));
    EXPECT_GE(15, std::stoi(values.at("sampled_kernels")));
    EXPECT_NEAR(whole, std::stod(values.at("projected_tot_sim_cycle")), 0.03 * whole);
}

TEST_F(Sampling, InterpolatesLaunchesOfAProgramWithAShrinkingGrid) {
    std::string script =
        "buffer x f32 16384 ramp 0 0.5\nbuffer y f32 16384 ramp 1 1\n"
        "buffer after f32 16384 ramp 1 1\n";
    for (unsigned ctas = 64; ctas != 0; --ctas)
        script += "launch saxpy grid " + std::to_string(ctas) +
                  " block 256 args f32:0 x y u32:" + std::to_string(256 * ctas) + "\n";
    script += "expect y buffer after\n";
    const std::string launches = folder_.write("shrinking.launch", script);
    const auto ran = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--preset", "TINY", "--ptx", SIMTLM_PROGRAMS "/saxpy.ptx",
                                 "--launch", launches});
        const outcome o = simulate(more);
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_THAT(o.out, HasSubstr("results are as expected"));
        return o.values();
    };
    const double whole = std::stod(ran({}).at("gpu_tot_sim_cycle"));
    const auto values = ran({"--sample"});
    EXPECT_EQ("64", values.at("sampled_groups"));
    EXPECT_EQ("7", values.at("sampled_kernels")) << "grids 64, 63, 31, 15, 7, 3 and 1";
    const double projected = std::stod(values.at("projected_tot_sim_cycle"));
    // The L2 is small, so its contents differ more between the runs than in other tests.
    EXPECT_NEAR(whole, projected, 0.06 * whole);
    EXPECT_NEAR(whole, projected, std::stod(values.at("projected_error_bound")));
}

TEST_F(Sampling, RejectsUnsupportedRuns) {
    const auto refused = [](const std::vector<std::string>& arguments) {
        const outcome o = simulate(arguments);
        EXPECT_EQ(2, o.code);
        return o.err;
    };
    EXPECT_THAT(refused(on_tiny(sample("streams"), {"--sample"})),
                HasSubstr("-gpgpu_max_concurrent_kernel 1"));
    EXPECT_EQ(
        0, simulate(on_tiny(sample("streams"), {"--sample", "-gpgpu_max_concurrent_kernel", "1"}))
               .code);
    EXPECT_THAT(refused(on_tiny(sample("vecadd"), {"--sample-budget", "0.5"})),
                HasSubstr("has no effect"));
    EXPECT_THAT(refused(on_tiny(sample("vecadd"), {"--sample", "--sample-budget", "2"})),
                HasSubstr("is not a share"));
    EXPECT_THAT(refused({"--preset", "TINY", "--ptx", SIMTLM_PROGRAMS "/saxpy.ptx", "--launch",
                         SIMTLM_PROGRAMS "/saxpy.launch", "--sample-stable", "--kernels", "1"}),
                HasSubstr("does not go with --sample-stable, which chooses launches"));
    EXPECT_THAT(refused({"--preset", "TINY", "--ptx", SIMTLM_PROGRAMS "/saxpy.ptx", "--launch",
                         SIMTLM_PROGRAMS "/saxpy.launch", "--sample-stable", "--record-trace",
                         folder_.path("t")}),
                HasSubstr("does not go with --sample-stable, which simulates parts"));
}

}  // namespace
}  // namespace simtlm::test

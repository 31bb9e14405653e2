// SPDX-License-Identifier: Apache-2.0
// simtlm-diff and simtlm-merge on runs of the simulator.
#include "platform/study/profile/kernel_statistics.h"
#include "platform/study/profile/profile_metrics.h"
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::test {
namespace {

using testing::HasSubstr;

/// Runs a sample on the small GPU and returns its statistics file.
std::string statistics_of(const scratch_folder& folder, const std::string& name,
                          std::vector<std::string> more) {
    more.insert(more.end(), {"--stats-json", folder.path(name)});
    const outcome o = simulate(on_tiny(sample("streams"), more));
    EXPECT_EQ(0, o.code) << o.err;
    return folder.path(name);
}

TEST(DiffTool, ReportsDifferencesByItsExitCode) {
    const scratch_folder folder;
    const std::string a = statistics_of(folder, "a.json", {});
    const std::string same = statistics_of(folder, "same.json", {"--shuffle-seed", "3"});
    const std::string b = statistics_of(folder, "b.json", {"-gpgpu_l2_rop_latency", "300"});
    EXPECT_EQ(0, tool("simtlm-diff", {a, same}).code);
    const outcome changed = tool("simtlm-diff", {a, b});
    EXPECT_EQ(1, changed.code) << changed.err;
    EXPECT_THAT(changed.out, HasSubstr("-gpgpu_l2_rop_latency"));
    EXPECT_THAT(changed.out, HasSubstr("gpu_tot_sim_cycle"));
    EXPECT_EQ(0, tool("simtlm-diff", {a, b, "-t", "200%"}).code);
    EXPECT_EQ(1, tool("simtlm-diff", {a, b, "--only", "gpu_tot_sim_cycle"}).code);
    EXPECT_EQ(0, tool("simtlm-diff", {a, b, "--only", "gpu_tot_sim_insn"}).code);
    const outcome broken = tool("simtlm-diff", {a, folder.write("x.json", "{")});
    EXPECT_EQ(2, broken.code);
    EXPECT_THAT(broken.err, HasSubstr("is not JSON"));
}

TEST(DiffTool, WritesEveryDifferenceToJson) {
    const scratch_folder folder;
    const std::string a = statistics_of(folder, "a.json", {});
    const std::string b = statistics_of(folder, "b.json", {"-gpgpu_l2_rop_latency", "300"});
    EXPECT_EQ(1, tool("simtlm-diff", {a, b, "--format", "json", "-o", folder.path("d")}).code);
    const nlohmann::json d = read_json(folder.path("d"));
    EXPECT_EQ("simtlm-difference", d["schema"]["name"]);
    EXPECT_TRUE(d["differ"].get<bool>());
    EXPECT_EQ(read_json(a)["kernels"].size(), d["kernels"].size());
    const double cycles = read_json(b)["total"]["gpu_tot_sim_cycle"];
    EXPECT_EQ(cycles, d["b"]["cycles"].get<double>());
}

/// A profile of Nsight Systems with the kernels of a run, each of `nanoseconds`.
std::string profile_of(const scratch_folder& folder, const std::string& run, int nanoseconds) {
    std::string text = "Total Time (ns),Instances,Name\n";
    const nlohmann::json document = read_json(run);
    for (const nlohmann::json& k : document["kernels"])
        text += std::to_string(nanoseconds) + ",1,\"" + k["name"].get<std::string>() + "\"\n";
    return folder.write("profile.csv", text);
}

TEST(DiffTool, ComparesWithAProfileInEitherOrder) {
    const scratch_folder folder;
    const std::string run = statistics_of(folder, "a.json", {});
    const std::string profile = profile_of(folder, run, 5000);
    const outcome o = tool("simtlm-diff", {profile, run});
    EXPECT_EQ(1, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("mean absolute error"));
    EXPECT_EQ(o.out, tool("simtlm-diff", {run, profile}).out);
    EXPECT_EQ(0, tool("simtlm-diff", {run, profile, "-t", "10000%"}).code);
    EXPECT_EQ(1,
              tool("simtlm-diff", {run, profile, "--format", "json", "-o", folder.path("d")}).code);
    EXPECT_EQ("simtlm-profile-comparison", read_json(folder.path("d"))["schema"]["name"]);
    EXPECT_EQ(1,
              tool("simtlm-diff", {run, profile, "--format", "html", "-o", folder.path("p")}).code);
    EXPECT_THAT(read_file(folder.path("p")), HasSubstr("<!DOCTYPE html>"));
}

TEST(DiffTool, RefusesDamagedProfilesAndOptionsThatDoNotApply) {
    const scratch_folder folder;
    const std::string run = statistics_of(folder, "a.json", {});
    const std::string profile = profile_of(folder, run, 5000);
    const std::string damaged = folder.write("damaged.csv", read_file(profile) + "1,2\n");
    const auto refusal = [](const std::vector<std::string>& words) {
        const outcome o = tool("simtlm-diff", words);
        EXPECT_EQ(2, o.code);
        return o.err;
    };
    EXPECT_THAT(refusal({run, damaged}), HasSubstr("the row has 2 cells instead of 3"));
    EXPECT_THAT(refusal({run, folder.write("t.csv", "nothing\n")}),
                HasSubstr("neither a statistics"));
    EXPECT_THAT(refusal({profile, profile}), HasSubstr("neither file is a statistics file"));
    EXPECT_THAT(refusal({run, run, "--launches"}), HasSubstr("require a profile"));
    EXPECT_THAT(refusal({run, profile, "--clock", "-5"}), HasSubstr("--clock"));
    EXPECT_THAT(refusal({run, profile, "--only", "gpu__tim"}), HasSubstr("did you mean gpu__time"));
}

/// The statistics of the table of metrics, docs/profiles.md, exist in runs of one of the cores.
TEST(DiffTool, HasAValueForEveryMetricOfTheTable) {
    namespace study = platform::study;
    const scratch_folder folder;
    std::vector<study::kernel_statistics> cores;
    for (const char* core : {"simt", "modern"}) {
        const study::statistics_run run = study::statistics_run::read(
            statistics_of(folder, std::string(core) + ".json",
                          {"--core", core, "-enable_ptx_file_line_stats", "1"}));
        cores.emplace_back(run, run.kernels()[0], 1e9, true);
    }
    const auto check = [&](const char* expression) {
        for (const std::string& name : study::metric_expression(expression).names())
            EXPECT_TRUE(cores[0].knows(name) || cores[1].knows(name)) << name;
    };
    for (const study::metric_definition& d : study::metric_definitions()) check(d.simulated);
    for (const study::metric_section& s : study::metric_sections())
        for (const study::profile_metric& m : s.metrics) check(m.simulated);
}

TEST(MergeTool, MergesPartialRunsIntoOneFile) {
    const scratch_folder folder;
    const std::string whole = statistics_of(folder, "whole.json", {});
    const std::string first = statistics_of(folder, "1.json", {"--kernels", "1"});
    const std::string rest = statistics_of(folder, "2.json", {"--kernels", "2-"});
    const std::string merged = folder.path("merged.json");
    const outcome o = tool("simtlm-merge", {"-o", merged, rest, first});
    ASSERT_EQ(0, o.code) << o.err;
    const nlohmann::json m = read_json(merged), w = read_json(whole);
    ASSERT_EQ(w["kernels"].size(), m["kernels"].size());
    for (std::size_t i = 0; i < w["kernels"].size(); ++i) {
        EXPECT_EQ(w["kernels"][i]["list_number"], m["kernels"][i]["list_number"]);
        EXPECT_EQ(w["kernels"][i]["ctas"], m["kernels"][i]["ctas"]);
    }
    EXPECT_EQ(w["total"]["gpu_tot_sim_insn"], m["total"]["gpu_tot_sim_insn"]);
    EXPECT_EQ(w["total"]["warp_insn[load]"], m["total"]["warp_insn[load]"]);
    // Merged files can be compared and merged like any other.
    EXPECT_EQ(0, tool("simtlm-diff", {merged, whole, "--only", "gpu_tot_sim_insn"}).code);
}

TEST(StudyTools, NeverOverwriteTheirInputs) {
    const scratch_folder folder;
    const std::string run = folder.path("a.json");
    ASSERT_EQ(0, simulate(on_tiny(sample("vecadd"), {"--stats-json", run})).code);
    const std::string before = read_file(run);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"simtlm-diff", run, run, "-o", run},
          std::vector<std::string>{"simtlm-merge", run, "-o", run},
          std::vector<std::string>{"simtlm-report", run, "-o", run},
          std::vector<std::string>{"simtlm-report", run, "--source", run, "-o", run}}) {
        const outcome o = tool(words[0], {words.begin() + 1, words.end()});
        EXPECT_EQ(2, o.code) << words[0];
        EXPECT_THAT(o.err, HasSubstr("--output: ")) << words[0];
        EXPECT_EQ(before, read_file(run)) << words[0];
    }
}

TEST(MergeTool, RejectsADuplicateRunAndWritesNothing) {
    const scratch_folder folder;
    const std::string first = statistics_of(folder, "1.json", {"--kernels", "1"});
    const outcome o = tool("simtlm-merge", {"-o", folder.path("m.json"), first, first});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(folder.files(), testing::ElementsAre("1.json"));
    EXPECT_EQ(2, tool("simtlm-merge", {"-o", first, first}).code);
}

}  // namespace
}  // namespace simtlm::test

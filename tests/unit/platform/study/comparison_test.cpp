// SPDX-License-Identifier: Apache-2.0
#include "platform/study/comparison.h"

#include "modules/support/error.h"
#include "platform/study/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::platform::study {
namespace {

using testing::HasSubstr;
using testing::Not;

json kernel(unsigned list_number, const std::string& name, unsigned cycles, unsigned misses) {
    return {{"name", name},
            {"demangled_name", name},
            {"list_number", list_number},
            {"kernel_id", list_number},
            {"launch_uid", list_number},
            {"finished", true},
            {"launched_at", 0u},
            {"start_cycle", 5u},
            {"end_cycle", cycles},
            {"gpu_sim_cycle", cycles},
            {"gpu_sim_insn", 4u * cycles},
            {"counters", {{"l1d", {{"misses", misses}, {"outcomes", {{"READ.MISS", misses}}}}}}}};
}

statistics_run run_of(const std::string& file, std::vector<json> kernels) {
    unsigned cycles = 0, misses = 0;
    for (const json& k : kernels) {
        cycles += k["gpu_sim_cycle"].get<unsigned>();
        misses += k["counters"]["l1d"]["misses"].get<unsigned>();
    }
    json document;
    document["schema"] = {{"name", "simtlm-statistics"}, {"version", 2}};
    document["provenance"] = {{"presets", {"TINY"}}, {"inputs", json::array()}};
    document["ended"] = "finished";
    document["config"] = {{"-gpgpu_n_clusters", "2"}, {"--stats-json", file}};
    document["total"] = {{"gpu_tot_sim_cycle", cycles},
                         {"gpu_tot_sim_insn", 4 * cycles},
                         {"gpu_tot_ipc", 4.0},
                         {"averagemflatency", 100},
                         {"maxmflatency", cycles}};
    if (!kernels.empty()) document["total"]["gpu_sim_cycle"] = kernels.back()["gpu_sim_cycle"];
    document["histograms"] = {{"mf_lat_table", {1, 2}}};
    document["kernels"] = std::move(kernels);
    document["counters"] = {
        {"l1d", {{"misses", {{"unit", "accesses"}, {"meaning", ""}, {"adds", "sum"}}}}}};
    document["blocks"] = {{"gpu.l1d", {{"kind", "l1d"}, {"counters", {{"misses", misses}}}}}};
    return {file, std::move(document)};
}

TEST(Tolerance, AppliesTheLastMatchingRulePerLimit) {
    tolerance_table t;
    t.add_relative("1%");
    t.add_relative("l1d.*=0.5");
    t.add_absolute("*.misses=3");
    EXPECT_DOUBLE_EQ(0.01, t.of("gpu_ipc").relative);
    EXPECT_DOUBLE_EQ(0.5, t.of("l1d.misses").relative);
    EXPECT_DOUBLE_EQ(3, t.of("l1d.misses").absolute);
    EXPECT_TRUE(t.of("gpu_ipc").accepts(100, 101));
    EXPECT_FALSE(t.of("gpu_ipc").accepts(100, 102));
    EXPECT_TRUE(t.of("l2.misses").accepts(0, 3));
    EXPECT_THROW(t.add_relative("1 %x"), support::user_error);
    EXPECT_THROW(t.add_absolute("-1"), support::user_error);
    EXPECT_THROW(t.add_relative("nan"), support::user_error);
}

TEST(Glob, MatchesBracketsLiterally) {
    EXPECT_TRUE(glob_matches("warp_insn[*", "warp_insn[load]"));
    EXPECT_TRUE(glob_matches("*a*b", "xaybab"));
    EXPECT_FALSE(glob_matches("a?", "a"));
    EXPECT_TRUE(glob_matches("*", ""));
}

TEST(ReadableNumbers, HaveSeparatorsAndFewDigits) {
    EXPECT_EQ("-1,234,567", readable_number(-1234567));
    EXPECT_EQ("0.1235", readable_number(0.12345));
    EXPECT_EQ("12,346", readable_number(12345.6));
    EXPECT_EQ("+2.50 %", readable_change(1000, 1025));
    EXPECT_EQ("new", readable_change(0, 1));
    EXPECT_EQ("-100 %", readable_change(5, 0));
}

TEST(Comparison, FindsNoDifferenceBetweenARunAndItself) {
    const auto a = run_of("a", {kernel(1, "f", 100, 7)});
    EXPECT_FALSE(compare(a, a, {}).differ());
    EXPECT_THAT(comparison_text(a, a, compare(a, a, {}), 10),
                HasSubstr("All statistics are equal"));
}

TEST(Comparison, ReportsTheKernelAndStatisticThatChanged) {
    const auto a = run_of("a", {kernel(1, "f", 100, 7), kernel(2, "g", 50, 3)});
    const auto b = run_of("b", {kernel(1, "f", 100, 7), kernel(2, "g", 50, 6)});
    const comparison c = compare(a, b, {});
    EXPECT_TRUE(c.differ());
    EXPECT_FALSE(c.kernels[0].beyond());
    ASSERT_EQ(2u, c.kernels[1].differences.size());
    EXPECT_EQ("l1d.misses", c.kernels[1].differences[0].name);
    EXPECT_EQ("accesses", c.kernels[1].differences[0].unit);
    EXPECT_EQ("l1d.outcomes.READ.MISS", c.kernels[1].differences[1].name);
    comparison_options within;
    within.tolerances.add_absolute("l1d.*=3");
    EXPECT_FALSE(compare(a, b, within).differ());
    comparison_options ignoring;
    ignoring.ignore = {"l1d.*"};
    EXPECT_FALSE(compare(a, b, ignoring).differ());
}

TEST(Comparison, ExcludesValuesOfTheLastKernelFromTheTotal) {
    const comparison c = compare(run_of("a", {kernel(1, "k", 100, 5), kernel(2, "k", 100, 5)}),
                                 run_of("b", {kernel(1, "k", 100, 5), kernel(2, "k", 110, 5)}), {});
    bool sum = false;
    for (const statistic_difference& d : c.total.differences) {
        EXPECT_NE("gpu_sim_cycle", d.name);
        sum = sum || (d.name == "gpu_tot_sim_cycle" && d.a == 200 && d.b == 210);
    }
    EXPECT_TRUE(sum);
}

TEST(Comparison, CountsAKernelOfOneRunAsADifference) {
    const auto a = run_of("a", {kernel(1, "f", 100, 7), kernel(2, "g", 50, 3)});
    const auto b = run_of("b", {kernel(1, "f", 100, 7)});
    const comparison c = compare(a, b, {});
    EXPECT_TRUE(c.kernels[1].beyond());
    EXPECT_THAT(comparison_text(a, b, c, 10), HasSubstr("only in A"));
}

TEST(Comparison, MatchesByNameAndOccurrenceOnRequest) {
    const auto a = run_of("a", {kernel(1, "f", 100, 7), kernel(2, "f", 50, 3)});
    const auto b = run_of("b", {kernel(4, "f", 100, 7), kernel(9, "f", 50, 3)});
    EXPECT_TRUE(compare(a, b, {}).differ());
    comparison_options by_name;
    by_name.match_names = true;
    EXPECT_FALSE(compare(a, b, by_name).differ());
}

TEST(Comparison, RejectsAPatternWithoutAMatch) {
    const auto a = run_of("a", {kernel(1, "f", 100, 7)});
    comparison_options o;
    o.only = {"l1d.mises"};
    try {
        compare(a, a, o);
        FAIL();
    } catch (const support::user_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("did you mean l1d.misses?"));
    }
}

TEST(Merge, SumsAdditiveStatisticsAndListsTheOthers) {
    const std::vector<statistics_run> runs = {run_of("b", {kernel(2, "g", 50, 3)}),
                                              run_of("a", {kernel(1, "f", 100, 7)})};
    const json m = merge(runs, {});
    ASSERT_EQ(2u, m["kernels"].size());
    EXPECT_EQ("f", m["kernels"][0]["name"]);
    EXPECT_EQ(1, m["kernels"][0]["launch_uid"]);
    EXPECT_EQ(2, m["kernels"][1]["launch_uid"]);
    EXPECT_EQ(105, m["kernels"][1]["start_cycle"]);
    EXPECT_EQ(150, m["total"]["gpu_tot_sim_cycle"]);
    EXPECT_EQ(100, m["total"]["maxmflatency"]);
    EXPECT_DOUBLE_EQ(4.0, m["total"]["gpu_tot_ipc"].get<double>());
    EXPECT_FALSE(m["total"].contains("averagemflatency"));
    EXPECT_EQ(json({"averagemflatency", "gpu_sim_cycle"}), m["merged"]["without"]);
    EXPECT_EQ(10, m["blocks"]["gpu.l1d"]["counters"]["misses"]);
    EXPECT_EQ(json({2, 4}), m["histograms"]["mf_lat_table"]);
    EXPECT_NO_THROW(statistics_run("merged", m));
}

TEST(Merge, RejectsOverlapsGapsAndOtherGpus) {
    const auto first = run_of("a", {kernel(1, "f", 100, 7)});
    const auto refused = [](std::vector<statistics_run> runs) -> std::string {
        try {
            merge(runs, {});
        } catch (const support::user_error& e) {
            return e.what();
        }
        return "merged";
    };
    EXPECT_THAT(refused({first, run_of("b", {kernel(1, "f", 100, 7)})}), HasSubstr("is in a too"));
    EXPECT_THAT(refused({first, run_of("b", {kernel(3, "h", 100, 7)})}),
                HasSubstr("kernel 2 is in none"));
    EXPECT_THAT(refused({first, run_of("b", {kernel(5, "h", 100, 7)})}),
                HasSubstr("kernels 2 to 4 are in none"));
    json other = run_of("b", {kernel(2, "g", 100, 7)}).document();
    other["config"]["-gpgpu_n_clusters"] = "3";
    EXPECT_THAT(refused({first, statistics_run("b", other)}),
                HasSubstr("-gpgpu_n_clusters is '3', but '2' in a"));
    json unfinished = run_of("b", {kernel(2, "g", 100, 7)}).document();
    unfinished["kernels"][0]["finished"] = false;
    EXPECT_THAT(refused({first, statistics_run("b", unfinished)}), HasSubstr("did not complete"));
}

TEST(StatisticsRun, RejectsOtherFiles) {
    EXPECT_THROW(statistics_run::read("/nowhere.json"), support::user_error);
    EXPECT_THROW(statistics_run("f", json::array()), support::user_error);
    EXPECT_THROW(statistics_run("f", {{"schema", {{"name", "other"}}}}), support::user_error);
    json old = run_of("f", {}).document();
    old["schema"]["version"] = 1;
    EXPECT_THROW(statistics_run("f", old), support::user_error);
}

}  // namespace
}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/profile_comparison.h"

#include "modules/support/error.h"
#include "modules/support/text_file.h"
#include "platform/study/profile/comparison_input.h"
#include "platform/study/profile/kernel_pairing.h"
#include "platform/study/profile/kernel_statistics.h"
#include "platform/study/profile/profile_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace simtlm::platform::study {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string sample(const std::string& name) {
    return std::string(SIMTLM_TEST_PROFILES) + "/" + name;
}

statistics_run sample_run() {
    return {"run.json", read_json(sample("run.json"), "")};
}

kernel_profile sample_profile(const std::string& name) {
    return kernel_profile::parse(support::read_text_file(sample(name), ""), name);
}

/// A profile of Nsight Systems with one launch of 1 us of each kernel.
kernel_profile profile_of(const std::vector<std::string>& names) {
    std::string text = "Total Time (ns),Instances,Name\n";
    for (const std::string& n : names) text += "1000,1,\"" + n + "\"\n";
    return kernel_profile::parse(text, "p.csv");
}

/// The sample run with kernels of these names.
statistics_run run_of(const std::vector<std::string>& names) {
    json document = sample_run().document();
    const json kernel = document["kernels"][0];
    document["kernels"] = json::array();
    for (const std::string& n : names) {
        document["kernels"].push_back(kernel);
        document["kernels"].back()["demangled_name"] = n;
    }
    return {"run.json", document};
}

const compared_value* value_of(const profile_comparison& c, const compared_kernel& k,
                               const std::string& metric) {
    for (const compared_value& v : k.values)
        if (c.metrics[v.metric].name == metric) return &v;
    return nullptr;
}

/// Names of pairs with the number of launches on both sides: "k 2:1".
std::vector<std::string> pairs_of(const kernel_profile& p, const statistics_run& r,
                                  bool each = false) {
    std::vector<std::string> pairs;
    for (const kernel_pair& k : pair_kernels(p, r, each))
        pairs.push_back(k.name + " " + std::to_string(k.measured.size()) + ":" +
                        std::to_string(k.simulated.size()));
    return pairs;
}

TEST(KernelPairing, TakesNamesWithoutArgumentsOrNamespaces) {
    EXPECT_THAT(pairs_of(profile_of({"void a::k<(int)4>(T1 *)"}), run_of({"void a::k<4>(int*)"})),
                ElementsAre("void a::k<(int)4>(T1 *) 1:1"));
    EXPECT_THAT(pairs_of(profile_of({"k"}), run_of({"void a::k<4>(int*)", "void a::k<8>(int*)"})),
                ElementsAre("k 1:2"));
    EXPECT_THAT(pairs_of(profile_of({"void a::k<4>(int)", "void a::k<8>(int)"}), run_of({"a::k"})),
                ElementsAre("void a::k<4>(int) 2:1"));
}

TEST(KernelPairing, TellsInstancesAndNamespacesApart) {
    EXPECT_THAT(pairs_of(profile_of({"void k<4>(int)"}), run_of({"void k<8>(int)"})),
                ElementsAre("void k<4>(int) 1:0", "void k<8>(int) 0:1"));
    EXPECT_THAT(pairs_of(profile_of({"a::k(int)"}), run_of({"b::k(int)"})),
                ElementsAre("a::k(int) 1:0", "b::k(int) 0:1"));
}

TEST(KernelPairing, DividesLaunchesBySizeWhereBothSidesHaveIt) {
    const auto pairs = pair_kernels(sample_profile("compute-raw.csv"), sample_run(), false);
    ASSERT_EQ(4u, pairs.size());
    EXPECT_EQ("16 x 1 x 1", pairs[0].grid);
    EXPECT_THAT(pairs[0].measured, ElementsAre(0, 2));
    EXPECT_THAT(pairs[0].simulated, ElementsAre(0, 2));
    EXPECT_TRUE(pairs[2].simulated.empty());
    EXPECT_TRUE(pairs[3].measured.empty());
    EXPECT_THAT(pairs_of(sample_profile("compute-raw.csv"), sample_run(), true),
                testing::SizeIs(5));
}

TEST(KernelPairing, ListsKernelsThatDidNotFinish) {
    json document = run_of({"k", "k"}).document();
    document["kernels"][1]["finished"] = false;
    EXPECT_THAT(pairs_of(profile_of({"k"}), {"run.json", document}),
                ElementsAre("k 1:1", "k (did not finish) 0:1"));
}

TEST(ProfileComparison, ComparesTimesAtTheClockOfTheProfile) {
    const auto run = sample_run();
    const auto profile = sample_profile("compute-raw.csv");
    const profile_comparison c = compare_profile(profile, run, {});
    EXPECT_DOUBLE_EQ(1.25e9, c.clock);
    ASSERT_EQ(2u, c.kernels.size());
    const compared_kernel& vecadd = c.kernels[0];  // two launches of 4.1 us, the longest in total
    EXPECT_DOUBLE_EQ(4.1e-6, *vecadd.measured);
    EXPECT_DOUBLE_EQ(4.0e-6, *vecadd.simulated);  // 5,000 cycles
    EXPECT_THAT(vecadd.launches, testing::SizeIs(2));
    EXPECT_NEAR(*value_of(c, vecadd, "gpu__time_duration.sum")->error(),
                *value_of(c, vecadd, "gpc__cycles_elapsed.max")->error(), 1e-9);
    EXPECT_NEAR(15.84e-6, *c.total.simulated, 1e-12);
    EXPECT_NEAR((0.1 / 4.1 + 0.16 / 8) / 2, c.errors().mean, 1e-9);
    profile_comparison_options o;
    o.clock = 2e9;
    o.launch_latency = false;
    const profile_comparison other = compare_profile(profile, run, o);
    EXPECT_DOUBLE_EQ(2.0e-6, *other.kernels[0].simulated);  // 4,000 cycles
}

TEST(ProfileComparison, ConvertsAndDerivesMetrics) {
    const auto run = sample_run();
    const profile_comparison c = compare_profile(sample_profile("compute-raw.csv"), run, {});
    const compared_kernel& gemm = c.kernels[1];
    const auto simulated = [&](const char* metric) {
        const compared_value* v = value_of(c, gemm, metric);
        return v != nullptr && v->simulated ? *v->simulated : -1;
    };
    EXPECT_EQ(16384 / 8 * 32, simulated("dram__bytes_read.sum"));
    EXPECT_EQ(16384, simulated("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
    EXPECT_EQ(16384 / 2 / 4, simulated("lts__t_sectors.avg"));
    EXPECT_EQ(50, simulated("l1tex__t_sector_hit_rate.pct"));
    EXPECT_EQ(
        1.5, simulated("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"));
    EXPECT_DOUBLE_EQ(40000.0 / (2 * 8800 * 4),
                     simulated("smsp__inst_executed.avg.per_cycle_active"));
    EXPECT_DOUBLE_EQ(41000 + 2 * 2048, *value_of(c, c.total, "smsp__inst_executed.sum")->measured);
}

TEST(ProfileComparison, ListsWhatIsOnOneSideByName) {
    const auto run = sample_run();
    const profile_comparison c = compare_profile(sample_profile("compute-raw.csv"), run, {});
    ASSERT_EQ(1u, c.only_measured.size());
    EXPECT_EQ("void sort<int>(T1 *, int)", c.only_measured[0].name);
    ASSERT_EQ(1u, c.only_simulated.size());
    EXPECT_EQ("reset()", c.only_simulated[0].name);
    EXPECT_EQ(1u,
              c.metrics_only_measured.count("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
    EXPECT_EQ(1u, c.metrics_only_measured.count("launch__func_cache_config"));
    EXPECT_THAT(c.metrics_only_simulated, Contains("dram__bytes_write"));
    EXPECT_THAT(c.metrics_only_simulated, Not(Contains("lts__t_sectors")));
    EXPECT_TRUE(c.differ());
}

TEST(ProfileComparison, NamesMetricsForWhichTheRunHasNoValue) {
    json document = sample_run().document();
    for (json& k : document["kernels"]) k.erase("instructions");
    const std::string stall =
        "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
    const profile_comparison c =
        compare_profile(sample_profile("compute-raw.csv"), {"run.json", document}, {});
    EXPECT_EQ("the run has no value for it", c.metrics_only_measured.at(stall));
}

TEST(ProfileComparison, MultipliesMeansWhereTheNumberOfLaunchesDiffers) {
    const auto run = sample_run();
    const profile_comparison c = compare_profile(sample_profile("systems-summary.csv"), run, {});
    EXPECT_EQ(100, c.kernels[0].measured_launches);
    EXPECT_EQ(2, c.kernels[0].simulated_launches);
    EXPECT_NEAR(509.8e-6, *c.total.simulated, 1e-12);
    EXPECT_EQ("of the run", c.clock_origin);
}

TEST(ProfileComparison, ObeysTolerancesAndGlobs) {
    const auto run = run_of({"k"});
    profile_comparison_options o;
    o.common.only = {"gpu__time*"};
    o.common.tolerances.add_relative("90%");
    EXPECT_FALSE(compare_profile(profile_of({"k"}), run, o).differ());
    o.common.tolerances.add_relative("1%");
    EXPECT_TRUE(compare_profile(profile_of({"k"}), run, o).differ());
    o.common.only = {"gpu_time*"};
    EXPECT_THROW(compare_profile(profile_of({"k"}), run, o), support::user_error);
}

/// SIMTLM_WRITE_GOLDEN=1 writes the file instead.
TEST(ProfileComparison, PrintsTheGoldenText) {
    const auto run = sample_run();
    const profile_comparison c = compare_profile(sample_profile("compute-raw.csv"), run, {});
    const std::string text = profile_comparison_text(run, c, 8), file = sample("comparison.txt");
    if (std::getenv("SIMTLM_WRITE_GOLDEN") != nullptr) std::ofstream(file) << text;
    EXPECT_EQ(support::read_text_file(file, ""), text);
}

TEST(ProfileComparison, MakesAPageThatContainsNoMarkupOfNames) {
    const auto run = run_of({"k"});
    const std::string page =
        profile_comparison_page(run, compare_profile(profile_of({"k</script>"}), run, {}));
    EXPECT_THAT(page, HasSubstr("Profile and simulation"));
    EXPECT_THAT(page, Not(HasSubstr("k</script>")));
}

TEST(ProfileMetrics, HaveExpressionsThatCanBeReadAndNamesOfTheirOwn) {
    std::set<std::string> names, definitions;
    for (const metric_definition& d : metric_definitions()) {
        EXPECT_NO_THROW(metric_expression{d.simulated}) << d.name;
        EXPECT_TRUE(definitions.insert(d.name).second) << d.name;
    }
    std::size_t rows = 0;
    for (const metric_section& s : metric_sections())
        for (const profile_metric& m : s.metrics) {
            ++rows;
            EXPECT_TRUE(names.insert(m.names).second) << m.names;
            EXPECT_NO_THROW(metric_expression{m.simulated}) << m.names;
        }
    EXPECT_LE(100u, rows);
}

TEST(ProfileMetrics, OfEveryAliasAreInTheTableOrListedAsGaps) {
    for (const metric_alias& a : metric_aliases()) {
        std::map<std::string, std::string> unmatched;
        match_metrics({a.metric, "launch__shared_mem_per_block_static",
                       "launch__shared_mem_per_block_dynamic"},
                      unmatched);
        for (const auto& [name, reason] : unmatched) EXPECT_NE("", reason) << name;
    }
}

TEST(ProfileMetrics, PageIsTheOneThatTheProgramWrites) {
    EXPECT_EQ(support::read_text_file(std::string(SIMTLM_TEST_DOCS_DIR) + "/profiles.md", ""),
              profile_metrics_page())
        << "run simtlm-diff --help-metrics > docs/profiles.md";
}

}  // namespace
}  // namespace simtlm::platform::study

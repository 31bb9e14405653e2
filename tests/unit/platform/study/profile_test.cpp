// SPDX-License-Identifier: Apache-2.0
// Readers of profiles: tables, numbers, units, names of kernels.
#include "modules/support/error.h"
#include "modules/support/text_file.h"
#include "platform/study/profile/comparison_input.h"
#include "platform/study/profile/kernel_name.h"
#include "platform/study/profile/kernel_profile.h"
#include "platform/study/profile/measured_value.h"
#include "platform/study/profile/metric_expression.h"
#include "platform/study/sqlite_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace simtlm::platform::study {
namespace {

using testing::HasSubstr;

kernel_profile profile_of(const std::string& name) {
    const std::string file = std::string(SIMTLM_TEST_PROFILES) + "/" + name;
    return std::get<kernel_profile>(read_comparison_input(file));
}

std::string refusal_of(const std::string& text) {
    try {
        kernel_profile::parse(text, "p.csv");
    } catch (const support::user_error& e) {
        return e.what();
    }
    return "accepted";
}

/// A table of Nsight Compute with a row per metric.
std::string long_table(const std::string& rows) {
    return "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" + rows;
}

TEST(ComputeProfile, HasTheMetricsOfTheRawPageInBaseUnits) {
    const kernel_profile p = profile_of("compute-raw.csv");
    ASSERT_EQ(4u, p.launches.size());
    EXPECT_EQ("void gemm<(int)4, float>(T2 *)", p.launches[1].name);
    EXPECT_EQ("8 x 8 x 1", p.launches[1].grid);
    EXPECT_EQ("16 x 16 x 1", p.launches[1].block);
    EXPECT_DOUBLE_EQ(8e-6, p.value(p.launches[1], "gpu__time_duration.sum"));
    EXPECT_DOUBLE_EQ(1.25e9, p.value(p.launches[1], "gpc__cycles_elapsed.avg.per_second"));
    EXPECT_DOUBLE_EQ(66050, p.value(p.launches[1], "dram__bytes_read.sum"));
    EXPECT_DOUBLE_EQ(41000, p.value(p.launches[1], "smsp__inst_executed.sum"));
    EXPECT_TRUE(std::isnan(p.value(p.launches[3], "l1tex__t_sector_hit_rate.pct")));
    EXPECT_EQ("not a number", p.unread.at("launch__func_cache_config"));
}

TEST(ComputeProfile, OfThePageOfDetailsHasTheNamesOfMetricsInAnyLocale) {
    const kernel_profile p = profile_of("compute-details.csv");
    ASSERT_EQ(1u, p.launches.size());
    const auto value = [&](const char* metric) { return p.value(p.launches[0], metric); };
    EXPECT_DOUBLE_EQ(10000, value("gpc__cycles_elapsed.max"));
    EXPECT_DOUBLE_EQ(1.25e9, value("gpc__cycles_elapsed.avg.per_second"));
    EXPECT_DOUBLE_EQ(35.5,
                     value("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"));
    EXPECT_DOUBLE_EQ(8.26e9, value("dram__bytes.sum.per_second"));
    EXPECT_DOUBLE_EQ(1041000, value("smsp__inst_executed.sum"));
}

TEST(ComputeProfile, OfASummaryHasTheMeanOfTheInvocations) {
    const kernel_profile p = kernel_profile::parse(
        "\"Process ID\",\"Kernel Name\",\"Invocations\",\"Metric Name\",\"Metric Unit\","
        "\"Minimum\",\"Maximum\",\"Average\"\n"
        "\"7\",\"k(int)\",\"3\",\"Duration\",\"nsecond\",\"900\",\"1,100\",\"1,000.00\"\n",
        "p.csv");
    ASSERT_EQ(1u, p.launches.size());
    EXPECT_EQ(3, p.launches[0].launches);
    EXPECT_DOUBLE_EQ(1e-6, p.value(p.launches[0], "gpu__time_duration.sum"));
}

TEST(SystemsProfile, OfATraceIsInTheOrderOfTheStartWithoutCopies) {
    const kernel_profile p = profile_of("systems-trace.csv");
    ASSERT_EQ(3u, p.launches.size());
    EXPECT_EQ(1u, p.other_rows);
    EXPECT_DOUBLE_EQ(4.1e-6, p.value(p.launches[0], "gpu__time_duration.sum"));
    EXPECT_EQ("8 x 8 x 1", p.launches[1].grid);
    EXPECT_DOUBLE_EQ(4.3e-6, p.value(p.launches[2], "gpu__time_duration.sum"));
}

TEST(SystemsProfile, OfASummaryHasTheMeanOfTheInstances) {
    for (const char* file : {"systems-summary.csv", "systems-summary-2020.csv"}) {
        const kernel_profile p = profile_of(file);
        EXPECT_DOUBLE_EQ(4.2e-6, p.value(p.launches[0], "gpu__time_duration.sum")) << file;
        EXPECT_LT(1, p.launches[0].launches) << file;
    }
}

TEST(SystemsProfile, IsReadFromADatabase) {
    const std::string file = testing::TempDir() + "simtlm_systems_profile.sqlite";
    std::remove(file.c_str());
    sqlite3* d = nullptr;
    ASSERT_EQ(SQLITE_OK, sqlite3_open(file.c_str(), &d));
    const auto run = [&](const char* sql) {
        ASSERT_EQ(SQLITE_OK, sqlite3_exec(d, sql, nullptr, nullptr, nullptr)) << sql;
    };
    run("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES (5, 'k(int)'), (6, 'm()');");
    sqlite3_close(d);
    EXPECT_THROW(read_comparison_input(file), support::user_error);  // no kernels
    ASSERT_EQ(SQLITE_OK, sqlite3_open(file.c_str(), &d));
    run("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, demangledName INT, gridX "
        "INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, registersPerThread INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (900, 1400, 6, 1, 1, 1, 32, 1, 1, 8);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 350, 5, 4, 2, 1, 64, 1, 1, 16);");
    sqlite3_close(d);
    const auto p = std::get<kernel_profile>(read_comparison_input(file));
    ASSERT_EQ(2u, p.launches.size());
    EXPECT_EQ("k(int)", p.launches[0].name);
    EXPECT_EQ("4 x 2 x 1", p.launches[0].grid);
    EXPECT_DOUBLE_EQ(250e-9, p.value(p.launches[0], "gpu__time_duration.sum"));
    EXPECT_DOUBLE_EQ(16, p.value(p.launches[0], "launch__registers_per_thread"));
    std::remove(file.c_str());
}

TEST(KernelProfile, TakesSemicolonsTabsAndLineEndsOfWindows) {
    for (const char separator : {';', '\t'}) {
        std::string text =
            long_table("\"0\",\"k\",\"smsp__inst_executed.sum\",\"inst\",\"1,000\"\n");
        std::string changed;
        bool quoted = false;
        for (const char c : text) {
            quoted = c == '"' ? !quoted : quoted;
            if (c == '\n') changed += '\r';
            changed += c == ',' && !quoted ? separator : c;
        }
        const kernel_profile p = kernel_profile::parse(changed, "p.csv");
        EXPECT_EQ(1000, p.value(p.launches[0], "smsp__inst_executed.sum"));
    }
}

TEST(KernelProfile, JoinsTablesAndSkipsMessages) {
    const std::string rows = "\"0\",\"k\",\"Duration\",\"us\",\"2\"\n";
    const kernel_profile p = kernel_profile::parse(
        "\"an unclosed quote of the program\n==PROF== Connected\n" + long_table(rows) +
            "==WARNING== something\n" + long_table("\"1\",\"k\",\"Duration\",\"us\",\"3\"\n") +
            "\n\"2\",\"k\",\"Duration\",\"us\",\"4\"\n\nThe end, at last, of all\n",
        "p.csv");
    ASSERT_EQ(3u, p.launches.size());
    EXPECT_DOUBLE_EQ(3e-6, p.value(p.launches[1], "gpu__time_duration.sum"));
}

TEST(KernelProfile, ReadsOnlyTheReportsOfKernels) {
    const kernel_profile p = kernel_profile::parse(
        "Time (%),Total Time (ns),Num Calls,Name\n100,7,1,cudaMalloc\n\n"
        "Time (%),Total Time (ns),Instances,Name\n100,5,1,k\n\n"
        "Time (%),Total Time (ns),Count,Operation\n100,9,1,[CUDA memset]\n",
        "p.csv");
    ASSERT_EQ(1u, p.launches.size());
    EXPECT_EQ("k", p.launches[0].name);
}

TEST(KernelProfile, RefusesDamagedFilesByLineWithARemedy) {
    EXPECT_THAT(refusal_of(""), HasSubstr("p.csv: is empty"));
    EXPECT_THAT(refusal_of("a,b,c\n1,2,3\n"), HasSubstr("neither a statistics file nor a table"));
    EXPECT_THAT(refusal_of(std::string("NVR\0\1\2", 6)), HasSubstr("is binary"));
    EXPECT_THAT(refusal_of("\xff\xfe\"\0I"), HasSubstr("UTF-16"));
    EXPECT_THAT(refusal_of(long_table("")), HasSubstr("has no kernels"));
    EXPECT_THAT(refusal_of(long_table("\"0\",\"k\",\"Duration\"\n")),
                HasSubstr("p.csv:2: the row has 3 cells instead of 5 (the file is truncated"));
    EXPECT_THAT(refusal_of(long_table("0,k,Duration,us,2\n0,f(int, int),Duration,us,2\n")),
                HasSubstr("p.csv:3: the row has 6 cells instead of 5 (write names"));
    EXPECT_THAT(refusal_of(long_table("\"0\",\"k\",\"Duration\",\"us\",\"2")),
                HasSubstr("p.csv:2: has a quote that is not closed"));
    EXPECT_THAT(refusal_of(long_table("\"0\",\"\",\"Duration\",\"us\",\"2\"\n")),
                HasSubstr("p.csv:2: the name of the kernel is missing"));
    EXPECT_THAT(refusal_of(long_table("0,k,A,%,\"1.234,5\"\n0,k,B,%,12.5\n")),
                HasSubstr("p.csv:3: '12.5' has a decimal point, but line 2 has a decimal comma"));
    const std::string head = "Time (%),Total Time (ns),Instances,Name\n";
    EXPECT_THAT(refusal_of(head + "100,x,2,k\n"), HasSubstr("p.csv:2: 'x' in the column Total"));
    EXPECT_THAT(refusal_of(head + "100,5,0,k\n"), HasSubstr("p.csv:2: the number of instances"));
    EXPECT_THROW(read_comparison_input("/nowhere.csv"), support::user_error);
}

TEST(MeasuredValue, FollowsTheNotationOfTheFile) {
    number_notation unknown, comma;
    EXPECT_EQ(1234, unknown.value("1,234"));
    EXPECT_EQ(1.234, unknown.value("1.234"));
    EXPECT_EQ(1234567.5, unknown.value("1'234'567.5"));
    EXPECT_EQ(1234567, unknown.value("1\xe2\x80\xaf"
                                     "234\xe2\x80\xaf"
                                     "567"));
    EXPECT_EQ(12, unknown.value("12 (5; 7)"));
    EXPECT_EQ(-2.5e-3, unknown.value("-2.5e-3"));
    for (const char* text : {"", "n/a", "nan", "inf", "12abc", "0x10", "-", "."})
        EXPECT_FALSE(unknown.value(text)) << text;
    comma.observe("27.595.520", "f", 1);
    comma.observe("3.000", "f", 2);  // could be either
    EXPECT_EQ(65.77, comma.value("65,77"));
    EXPECT_EQ(3000, comma.value("3.000"));
    EXPECT_THROW(comma.observe("1,234.5", "f", 3), support::user_error);
}

TEST(MeasuredUnit, IsAFactorToABaseUnit) {
    EXPECT_DOUBLE_EQ(1e-6, measured_unit::of("usecond").factor);
    EXPECT_DOUBLE_EQ(1e-9, measured_unit::of("ns").factor);
    EXPECT_DOUBLE_EQ(1e-6, measured_unit::of("\xce\xbcs").factor);
    EXPECT_DOUBLE_EQ(1e9, measured_unit::of("cycle/nsecond").factor);
    EXPECT_EQ("hertz", measured_unit::of("cycle/nsecond").name);
    EXPECT_DOUBLE_EQ(1e9, measured_unit::of("Ghz").factor);
    EXPECT_DOUBLE_EQ(1e9, measured_unit::of("Gbyte/second").factor);
    EXPECT_DOUBLE_EQ(1e9, measured_unit::of("Gbyte/s").factor);
    EXPECT_DOUBLE_EQ(1e3, measured_unit::of("Kbyte/block").factor);
    EXPECT_DOUBLE_EQ(1, measured_unit::of("%").factor);
    EXPECT_DOUBLE_EQ(1, measured_unit::of("").factor);
}

TEST(KernelName, IsTheSameInTheNotationOfEveryTool) {
    const auto full = [](const char* text) { return kernel_name::of(text).full; };
    EXPECT_EQ("a::k<4,float>", full("_ZN1a1kILi4EfEEvPT0_"));
    EXPECT_EQ("a::k<4,float>", full("void a::k<(int)4, float>(T2 *)"));
    EXPECT_EQ("k<1,0,3>", full("void k<(bool)1, (bool)0, (unsigned int)3>(int)"));
    EXPECT_EQ("k<1,0,3>", full("void k<true, false, 3u>(int)"));
    EXPECT_EQ(full("void (anonymous namespace)::k<float>(float*)"),
              full("void <unnamed>::k<float>(T1 *)"));
    EXPECT_EQ("f<g<2>>", full("void f<g<2> >(g<2>)"));
    EXPECT_EQ("vecadd", full("vecadd(float const*, float*, int)"));
    EXPECT_EQ("sgemm_tile", full("sgemm_tile"));
    const kernel_name n = kernel_name::of("void a::b<1>::k<2>(int)");
    EXPECT_EQ("a::b::k", n.qualified);
    EXPECT_EQ("k", n.base);
    for (const char* odd : {"", "<", ">", "((", "operator<", "a<b"}) kernel_name::of(odd);
}

TEST(MetricExpression, HasTheUsualPrecedence) {
    const auto value = [](const char* text) {
        return metric_expression(text).value([](const std::string& name) {
            return name == "a.b" ? std::optional<double>(6) : std::nullopt;
        });
    };
    EXPECT_EQ(7, value("1 + 2 * 3"));
    EXPECT_EQ(1, value("8 - 4 - 3"));
    EXPECT_EQ(4.5, value("(a.b + 3) / 2"));
    EXPECT_EQ(9, value("max(a.b, 4 + 5)"));
    EXPECT_EQ(6, value("none + 1 | a.b"));
    EXPECT_EQ(5, value("5 + (none | 0)"));
    EXPECT_FALSE(value("none"));
    EXPECT_FALSE(value("1 / 0"));
    for (const char* wrong : {"", "1 +", "(1", "1)", "max(1)", "a b", "|"})
        EXPECT_THROW(metric_expression{wrong}, std::invalid_argument) << wrong;
}

}  // namespace
}  // namespace simtlm::platform::study

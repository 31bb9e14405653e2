// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report_writer.h"

#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace simtlm::platform {
namespace {

using testing::HasSubstr;

TEST(ReportWriter, PrintsAValueAndStoresItUnderItsName) {
    report r;
    report_writer out(r);
    out.count("hits", 3, "\t");
    out.real("rate", 0.25);
    out.add("hidden", std::uint64_t{7});
    out.finish();
    EXPECT_EQ(r.text, "\thits = 3\nrate =       0.2500\n");
    EXPECT_EQ(r.value("hits"), 3);
    EXPECT_EQ(r.value("rate"), 0.25);
    EXPECT_EQ(r.value("hidden"), 7);
    EXPECT_EQ(r.value("gpu_tot_ipc"), 0) << "a statistic that is not in the report";
    EXPECT_THAT(refusal([&] { r.value("gpu_tot_ipk"); }), HasSubstr("did you mean gpu_tot_ipc?"));
}

TEST(ReportWriter, AlignsNumbersAsTheirFormatWould) {
    for (const std::uint64_t n :
         {std::uint64_t{0}, std::uint64_t{123456789}, std::uint64_t{1234567890}, ~std::uint64_t{0}})
        for (const unsigned width : {0u, 1u, 9u, 10u, 20u}) {
            report written, formatted;
            report_writer out(written), expected(formatted);
            out.number(n, width);
            out.fixed(static_cast<double>(n) / 7, width);
            expected.print("{:{}}{:{}.6f}", n, width, static_cast<double>(n) / 7, width);
            out.finish();
            expected.finish();
            EXPECT_EQ(written.text, formatted.text);
        }
}

TEST(ReportWriter, RoundsToSixDecimalsAsTheirFormatWould) {
    std::mt19937_64 random(1);
    const auto check = [](double value) {
        report written;
        report_writer out(written);
        out.fixed(value);
        out.finish();
        EXPECT_EQ(written.text, fmt::format("{:.6f}", value)) << fmt::format("{:a}", value);
    };
    for (unsigned i = 0; i < 20000; ++i) {
        check(std::ldexp(static_cast<double>(random() >> 11),
                         static_cast<int>(random() % 130) - 110));
        check(static_cast<double>(random() % 100000) / static_cast<double>(random() % 100000 + 1));
        // Exactly half of the last decimal: 2^-7 has seven decimals, the last of them 5.
        check(static_cast<double>(random() % 1000000) + static_cast<double>(random() % 128) / 128);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double value : {0.0, -0.0, -1.5, 0.9999995, 8796093022207.9, 8796093022208.0, 1e300,
                               5e-324, 5e-7, infinity, -infinity})
        check(value);
}

TEST(ReportWriter, ReplacesWhatTheReportContained) {
    report r;
    report_writer first(r);
    first.text("a first text\n");
    first.add("hits", std::uint64_t{1});
    first.add_row("row", {1, 2});
    first.finish();
    report_writer second(r);
    second.text("a 2nd\n");
    second.finish();
    EXPECT_EQ(r.text, "a 2nd\n");
    EXPECT_TRUE(r.report_values.empty());
    EXPECT_TRUE(r.rows.empty());
}

TEST(ReportWriter, DiscardsTextButKeepsValues) {
    report r;
    report_writer out(r);
    out.print("title {}\n", 1);
    const std::size_t before = out.printed();
    out.count("hits", 3);
    out.unprint(before);
    out.finish();
    EXPECT_EQ(r.text, "title 1\n");
    EXPECT_EQ(r.value("hits"), 3);
}

TEST(HostTime, IsPrintedInTheFormatOfGpgpuSim) {
    report r;
    report_writer out(r);
    out.add("gpu_tot_sim_cycle", std::uint64_t{1000000});
    out.add("gpu_tot_sim_insn", std::uint64_t{8000000});
    const std::string text = host_time_text(r, 4000, 1e9);
    EXPECT_THAT(text,
                HasSubstr("gpgpu_simulation_time = 0 days, 1 hrs, 6 min, 40 sec (4000 sec)\n"));
    EXPECT_THAT(text, HasSubstr("gpgpu_simulation_rate = 2000 (inst/sec)\n"));
    EXPECT_THAT(text, HasSubstr("gpgpu_simulation_rate = 250 (cycle/sec)\n"));
    EXPECT_THAT(text, HasSubstr("gpgpu_silicon_slowdown = 4000000x\n"));
    EXPECT_THAT(text, HasSubstr("gpu_total_sim_rate=2000\n"));
}

TEST(HostTime, OfAnEmptyRunHasNoInfinities) {
    EXPECT_THAT(host_time_text({}, 0, 1e9), HasSubstr("gpgpu_silicon_slowdown = 0x\n"));
}

}  // namespace
}  // namespace simtlm::platform

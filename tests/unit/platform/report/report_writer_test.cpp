// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report_writer.h"

#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::platform {
namespace {

using testing::HasSubstr;

TEST(ReportWriter, PrintsAValueAndStoresItUnderItsName) {
    report_writer out;
    out.count("hits", 3, "\t");
    out.real("rate", 0.25);
    out.add("hidden", std::uint64_t{7});
    const report r = out.take();
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
            report_writer out, expected;
            out.number(n, width);
            out.fixed(static_cast<double>(n) / 7, width);
            expected.print("{:{}}{:{}.6f}", n, width, static_cast<double>(n) / 7, width);
            EXPECT_EQ(out.take().text, expected.take().text);
        }
}

TEST(ReportWriter, DiscardsTextButKeepsValues) {
    report_writer out;
    out.print("title {}\n", 1);
    const std::size_t before = out.printed();
    out.count("hits", 3);
    out.unprint(before);
    const report r = out.take();
    EXPECT_EQ(r.text, "title 1\n");
    EXPECT_EQ(r.value("hits"), 3);
}

TEST(HostTime, IsPrintedInTheFormatOfGpgpuSim) {
    report_writer out;
    out.add("gpu_tot_sim_cycle", std::uint64_t{1000000});
    out.add("gpu_tot_sim_insn", std::uint64_t{8000000});
    const std::string text = host_time_text(out.take(), 4000, 1e9);
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

// SPDX-License-Identifier: Apache-2.0
#include "platform/study/sweep_plan.h"

#include "tests/unit/platform/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::platform::study {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string first_lines = "workloads:\n  - {name: w, trace: /}\npresets: [TINY]\n";

std::string refused_text(const std::string& text) {
    return refusal([&] { parse_sweep(text, "/s.yaml", "/simtlm", {"gpu_tot_ipc"}); });
}

TEST(SweepSpecification, IsAcceptedIfEveryValueHasItsType) {
    EXPECT_EQ("", refused_text(first_lines));
    EXPECT_EQ("", refused_text(first_lines +
                               "measured: {w: 1.5e3}\nstatistics: [gpu_tot_ipc]\ntimeout: 0\n"
                               "axes: {-gpgpu_l2_rop_latency: [20, 30]}\n"));
}

TEST(SweepSpecification, IsRejectedWithTheLineAndTheMemberOfAValueOfAWrongType) {
    const std::pair<const char*, const char*> wrong[] = {
        {"measured: {w: 1e16}", "measured.w '1e16' is not a positive number"},
        {"measured: {w: .inf}", "measured.w '.inf' is not a positive number"},
        {"measured: {w: .nan}", "measured.w '.nan' is not a positive number"},
        {"measured: {w: -1}", "measured.w '-1' is not a positive number"},
        {"measured: {w: [1]}", "measured.w is a list instead of a text"},
        {"measured: 3", "'measured' is a text instead of a map"},
        {"statistics: nope", "'statistics' is a text instead of a list"},
        {"statistics: {a: b}", "'statistics' is a map instead of a list"},
        {"axes: [1]", "'axes' is a list instead of a map"},
        {"axes: {-gpgpu_n_mem: 3}", "has no list of values"},
        {"axes: {-gpgpu_n_mem: [[3]]}", "-gpgpu_n_mem is a list instead of a text"},
        {"paired: {-gpgpu_n_mem: [3]}", "'paired' is a map instead of a list"},
        {"options: [1]", "'options' is a list instead of a map"},
        {"configurations: x", "'configurations' is a text instead of a list"},
        {"configurations: [{name: {a: b}}]", "the name of a configuration is a map"},
        {"timeout: -1", "'timeout' is not a number from 0"},
        {"timeout: 1e99", "'timeout' is not a number from 0"},
        {"output: [a]", "'output' is a list instead of a text"},
        {"baseline: {a: b}", "'baseline' is a map instead of a text"},
        {"slurm: {a: b}", "'slurm' is a map instead of a list"},
        {"{a: b}: c", "s.yaml:4"},
    };
    for (const auto& [line, message] : wrong)
        EXPECT_THAT(refused_text(first_lines + line + "\n"),
                    AllOf(HasSubstr("/s.yaml:4: "), HasSubstr(message)))
            << line;
    EXPECT_THAT(refused_text("workloads: x\n"),
                HasSubstr("'workloads' is a text instead of a list"));
    EXPECT_THAT(refused_text("[" + std::string(5000, '[')), HasSubstr("s.yaml"));
}

TEST(SweepSpecification, IsRejectedIfTwoRunsWouldUseOneFolder) {
    EXPECT_THAT(refused_text(first_lines + "axes: {-gpgpu_l2_rop_latency: [20, 20]}\n"),
                HasSubstr("w TINY -gpgpu_l2_rop_latency 20 comes twice"));
    EXPECT_THAT(refused_text("workloads:\n  - {name: w, trace: /}\npresets: [TINY, TINY]\n"),
                HasSubstr("w TINY comes twice"));
}

TEST(SweepSpecification, IsRejectedIfANameHasControlCharacters) {
    EXPECT_THAT(
        refused_text("workloads:\n  - {name: \"a\\e[31mb\\nc\", trace: /}\npresets: [TINY]\n"),
        AllOf(HasSubstr("contains control characters"), HasSubstr("a\\x1b[31mb\\x0ac")));
}

TEST(SweepSpecification, IsRejectedWithTooManyRuns) {
    std::string values = "[0";
    for (int i = 1; i < 1000; ++i) values += ", " + std::to_string(i);
    values += "]";
    EXPECT_THAT(refused_text(first_lines + "axes: {-gpgpu_l2_rop_latency: " + values +
                             ", -dram_latency: " + values + "}\n"),
                HasSubstr("more than 100000"));
}

}  // namespace
}  // namespace simtlm::platform::study

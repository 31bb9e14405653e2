// SPDX-License-Identifier: Apache-2.0
// simtlm-trace, and runs of converted traces.
#include "tests/system/small_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace simtlm::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class ConvertedTrace : public testing::TestWithParam<std::string> {};

TEST_P(ConvertedTrace, HasTheReportOfTheText) {
    const scratch_folder folder;
    const outcome converted = trace_tool({"convert", sample(GetParam()), folder.path("b")});
    ASSERT_EQ(0, converted.code) << converted.err;
    const outcome text = simulate(on_tiny(sample(GetParam()), {"--stats-csv", folder.path("t")}));
    const outcome binary =
        simulate(on_tiny(folder.path("b") + "/kernelslist.g", {"--stats-csv", folder.path("u")}));
    ASSERT_EQ(0, text.code) << text.err;
    ASSERT_EQ(0, binary.code) << binary.err;
    EXPECT_EQ(text.report(), binary.report());
    EXPECT_EQ(read_file(folder.path("t")), read_file(folder.path("u")));
    EXPECT_THAT(text.values().at("gpu_tot_sim_insn"), testing::Ne("0"));
}

INSTANTIATE_TEST_SUITE_P(Samples, ConvertedTrace, testing::ValuesIn(samples()),
                         [](const auto& one) { return one.param; });

TEST(ConvertedTraces, HaveTheReportOfTheTextWithTheQuirksOfAccelSim) {
    const scratch_folder folder;
    ASSERT_EQ(0, trace_tool({"convert", sample("async_copy"), folder.path("b")}).code);
    const std::vector<std::string> compat = {"--compat", "accel-sim"};
    const outcome text = simulate(on_tiny(sample("async_copy"), compat));
    const outcome binary = simulate(on_tiny(folder.path("b"), compat));
    ASSERT_EQ(0, binary.code) << binary.err;
    EXPECT_EQ(text.report(), binary.report());
}

TEST(TraceTool, ConvertsAListAndKeepsItsOtherLines) {
    const scratch_folder folder;
    small_trace trace;
    trace.write(folder);
    folder.write("kernel-2.traceg", trace.text());
    std::filesystem::create_directory(folder.path("sub"));
    folder.write("sub/kernel-2.traceg", trace.text());
    const std::string list = folder.write(
        "kernelslist.g",
        "# mine\nMemcpyHtoD,0x00007f5800000000,4096\nkernel-1.traceg\n\nkernel-2.traceg\n"
        "kernel-1.traceg\nsub/kernel-2.traceg\ncudaDeviceSynchronize\n");
    const outcome o = trace_tool({"convert", list, folder.path("new/b"), "--jobs", "3"});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_EQ(
        "# mine\nMemcpyHtoD,0x00007f5800000000,4096\nkernel-1.simtlm\n\nkernel-2.simtlm\n"
        "kernel-1.simtlm\nkernel-2-2.simtlm\ncudaDeviceSynchronize\n",
        read_file(folder.path("new/b/kernelslist.g")));
    EXPECT_THAT(o.out, HasSubstr("3 kernel files, 6 thread blocks, 60 warp instructions"));
    std::vector<std::string> names;
    for (const auto& e : std::filesystem::directory_iterator(folder.path("new/b")))
        names.push_back(e.path().filename().string());
    std::sort(names.begin(), names.end());
    EXPECT_THAT(names, ElementsAre("kernel-1.simtlm", "kernel-2-2.simtlm", "kernel-2.simtlm",
                                   "kernelslist.g"));
    const outcome text = simulate(on_tiny(list));
    const outcome binary = simulate(on_tiny(folder.path("new/b")));
    EXPECT_EQ(0, binary.code) << binary.err;
    EXPECT_EQ(text.report(), binary.report());
}

TEST(TraceTool, DoesNotOverwriteItsInput) {
    const scratch_folder folder;
    const std::string list = small_trace().write(folder);
    const std::string before = read_file(list);
    const outcome o = trace_tool({"convert", list, folder.path(".")});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("is the command list too"));
    EXPECT_EQ(before, read_file(list));
    EXPECT_THAT(folder.files(), ElementsAre("kernel-1.traceg", "kernelslist.g"));
}

TEST(TraceTool, WritesNoFileForAMalformedText) {
    const scratch_folder folder;
    small_trace trace;
    const std::string list = trace.write(folder, replaced(trace.text(), "R12 FADD", "X12 FADD"));
    const outcome o = trace_tool({"convert", list, folder.path("b")});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("kernel-1.traceg:24: 'X12' is no register"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path("b")));
}

TEST(TraceTool, DescribesAKernelTrace) {
    const scratch_folder folder;
    ASSERT_EQ(0, trace_tool({"convert", small_trace().write(folder), folder.path("b")}).code);
    for (const char* kernel : {"kernel-1.traceg", "b/kernel-1.simtlm"}) {
        const outcome o = trace_tool({"info", folder.path(kernel), "--top", "2"});
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_THAT(o.out, HasSubstr("kernel               small (id 1, stream 0)"));
        EXPECT_THAT(o.out, HasSubstr("grid, block          (2,1,1), (64,1,1)"));
        EXPECT_THAT(o.out, HasSubstr("thread blocks        2\n"));
        EXPECT_THAT(o.out, HasSubstr("warps                4\n"));
        EXPECT_THAT(o.out, HasSubstr("warp instructions    20\n"));
        EXPECT_THAT(o.out, HasSubstr("thread instructions  640\n"));
        EXPECT_THAT(o.out, HasSubstr("lanes with addresses 128\n"));
        EXPECT_THAT(o.out, HasSubstr("opcodes              5\n"));
        EXPECT_THAT(o.out, HasSubstr("EXIT                                4  20.00 %"));
        EXPECT_EQ(std::string::npos, o.out.find("MOV")) << "more than two opcodes";
    }
}

TEST(TraceTool, PrintsABinaryTraceAsText) {
    const scratch_folder folder;
    ASSERT_EQ(0, trace_tool({"convert", sample("vecadd"), folder.path("b")}).code);
    const outcome o = trace_tool({"text", folder.path("b/kernel-1.simtlm")});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, StartsWith("-kernel name = vecadd\n"));
    folder.write("kernel-1.traceg", o.out);
    const outcome original = simulate(on_tiny(sample("vecadd")));
    const outcome printed =
        simulate(on_tiny(folder.write("kernelslist.g", read_file(sample("vecadd")))));
    ASSERT_EQ(0, printed.code) << printed.err;
    EXPECT_EQ(original.report(), printed.report());
}

TEST(TraceTool, ChecksATraceAndReportsTheLocationOfTheFirstError) {
    const scratch_folder folder;
    small_trace trace;
    const std::string list = trace.write(folder);
    outcome o = trace_tool({"check", list});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out,
                HasSubstr("1 kernel files, 2 thread blocks, 20 warp instructions, no fault"));

    ASSERT_EQ(0, trace_tool({"convert", list, folder.path("b")}).code);
    std::string bytes = read_file(folder.path("b/kernel-1.simtlm"));
    bytes[20] ^= 1;
    folder.write("b/kernel-1.simtlm", bytes);
    o = trace_tool({"check", folder.path("b")});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("kernel-1.simtlm:byte 16: damaged binary trace: the checksum of"));
    EXPECT_EQ(2, simulate(on_tiny(folder.path("b"))).code);

    trace.write(folder, replaced(trace.text(), "insts = 5", "insts = 6"));
    o = trace_tool({"check", list});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err,
                HasSubstr("kernel-1.traceg:27: warp 0 of thread block 0,0,0 has 5 instruct"));
}

TEST(TraceTool, RejectsAnInvalidCommandLine) {
    const std::vector<std::vector<std::string>> wrong = {{},
                                                         {"compress", "a"},
                                                         {"convert", "a"},
                                                         {"info"},
                                                         {"text", "a", "b"},
                                                         {"convert", "a", "b", "--jobs", "0"},
                                                         {"info", "a", "--deep"},
                                                         {"check", "/nonexistent"}};
    for (const auto& arguments : wrong) {
        const outcome o = trace_tool(arguments);
        EXPECT_EQ(2, o.code) << o.out;
        EXPECT_EQ(1U, o.error_lines().size()) << o.err;
        EXPECT_THAT(o.err, StartsWith("simtlm-trace: "));
    }
    EXPECT_THAT(trace_tool({"--help"}).out, HasSubstr("convert LIST FOLDER"));
    EXPECT_THAT(trace_tool({"--version"}).out, HasSubstr("binary form 1"));
}

}  // namespace
}  // namespace simtlm::test

// SPDX-License-Identifier: Apache-2.0
// Faults of the input end in one line on stderr and exit code 2.
#include "tests/system/simulator.h"
#include "tests/system/small_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class Refusal : public testing::Test {
protected:
    /// Expects one line that contains the given parts.
    void expect_refused(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& parts) const {
        std::vector<std::string> all = arguments;
        all.emplace_back("--quiet");
        const outcome o = simulate(all);
        EXPECT_EQ(2, o.code) << o.err;
        EXPECT_THAT(o.error_lines(), SizeIs(1)) << o.err;
        EXPECT_THAT(o.err, StartsWith("simtlm: "));
        for (const std::string& part : parts) EXPECT_THAT(o.err, HasSubstr(part));
    }
    void expect_trace_refused(const std::string& text,
                              const std::vector<std::string>& parts) const {
        expect_refused({"--preset", "TINY", "-trace", trace.write(folder, text)}, parts);
    }

    scratch_folder folder;
    small_trace trace;
};

TEST_F(Refusal, DoesNotConcernAWellFormedTrace) {
    const outcome o = simulate({"--preset", "TINY", "-trace", trace.write(folder), "--quiet"});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ("", o.err);
    EXPECT_THAT(o.out, HasSubstr("gpu_tot_issued_cta = 2\n"));
}

TEST_F(Refusal, OfAFileThatIsCutShort) {
    const std::string text = trace.text();
    expect_trace_refused(text.substr(0, text.rfind("0030")), {"kernel-1.traceg:"});
}
TEST_F(Refusal, OfABlockThatIsMissing) {
    trace.blocks = 1;
    expect_trace_refused(trace.text(), {"kernel-1.traceg"});
}
TEST_F(Refusal, OfABlockWithoutAnEnd) {
    expect_trace_refused(replaced(trace.text(), "#END_TB\n", ""), {"kernel-1.traceg:"});
}
TEST_F(Refusal, OfAWrongInstructionCount) {
    expect_trace_refused(replaced(trace.text(), "insts = 5", "insts = 6"), {"kernel-1.traceg:"});
    expect_trace_refused(replaced(trace.text(), "insts = 5", "insts = 4"), {"kernel-1.traceg:"});
}
TEST_F(Refusal, OfABadMask) {
    expect_trace_refused(replaced(trace.text(), "0010 ffffffff", "0010 fffgffff"),
                         {"kernel-1.traceg:"});
}
TEST_F(Refusal, OfAnUnknownOpcodeNamesItItsPcKernelFileAndLine) {
    expect_trace_refused(
        replaced(trace.text(), "0030 ffffffff 1 R12 FADD", "0030 ffffffff 1 R12 FROB"),
        {"kernel-1.traceg:", "FROB", "30", "small"});
}
TEST_F(Refusal, OfAGridOfSizeZero) {
    trace.header["grid dim"] = "(0,1,1)";
    expect_trace_refused(trace.text(), {"kernel-1.traceg", "grid"});
}
TEST_F(Refusal, OfAWarpOutsideTheBlock) {
    expect_trace_refused(replaced(trace.text(), "warp = 1", "warp = 2"), {"kernel-1.traceg:"});
}
TEST_F(Refusal, OfAMissingKernelFileNamesTheLineOfTheList) {
    const std::string list = folder.write("kernelslist.g",
                                          "MemcpyHtoD,0x7f0000000000,64\n"
                                          "kernel-7.traceg\n");
    expect_refused({"--preset", "TINY", "-trace", list}, {"kernelslist.g:2", "kernel-7.traceg"});
}
TEST_F(Refusal, OfAListThatDoesNotExist) {
    expect_refused({"--preset", "TINY", "-trace", folder.path("nowhere.g")}, {"nowhere.g"});
}
TEST_F(Refusal, OfARunWithoutATrace) {
    expect_refused({"--preset", "TINY"}, {"-trace"});
}
TEST_F(Refusal, OfAnUnknownOptionNamesTheNearestAndTheLine) {
    const std::string list = trace.write(folder);
    expect_refused({"--preset", "TINY", "-trace", list, "-gpgpu_n_cluster", "3"},
                   {"-gpgpu_n_cluster", "-gpgpu_n_clusters"});
    const std::string config = folder.write("my.config", "# mine\n-gpgpu_max_cycles 7\n");
    expect_refused({"--preset", "TINY", "-trace", list, "-config", config},
                   {"my.config:2", "-gpgpu_max_cycle"});
}
TEST_F(Refusal, OfAnImpossibleOptionNamesItsLine) {
    const std::string config = folder.write("my.config", "\n-gpgpu_n_clusters none\n");
    expect_refused({"--preset", "TINY", "-config", config, "-trace", trace.write(folder)},
                   {"my.config:2", "-gpgpu_n_clusters"});
    expect_refused({"--preset", "TINY", "-gpgpu_n_clusters", "0", "-trace", trace.write(folder)},
                   {"-gpgpu_n_clusters"});
}
TEST_F(Refusal, OfAnUnknownPresetNamesTheNearest) {
    expect_refused({"--preset", "QV10"}, {"QV100"});
}
TEST_F(Refusal, OfATraceOfAnotherGenerationNamesThePreset) {
    trace.header["binary version"] = "86";
    expect_trace_refused(trace.text(),
                         {"kernel-1.traceg", "86", "RTX3070", "--any-binary-version"});
}
TEST_F(Refusal, OfTooMuchSharedMemory) {
    trace.header["shmem"] = "1000000";
    expect_trace_refused(trace.text(), {"shared memory", "--override-shmem"});
}
TEST_F(Refusal, OfTooManyRegisters) {
    trace.header["nregs"] = "21955";
    expect_trace_refused(trace.text(), {"registers", "--override-registers"});
}
TEST_F(Refusal, OfTooManyThreads) {
    trace.header["block dim"] = "(2048,1,1)";
    expect_trace_refused(trace.text(), {"kernel-1.traceg", "1024 threads"});
    trace.header["block dim"] = "(1024,1,1)";
    expect_refused({"--preset", "TINY", "-gpgpu_shader_core_pipeline", "512:32", "-trace",
                    trace.write(folder)},
                   {"1024 threads", "512", "-gpgpu_shader_core_pipeline"});
}
TEST_F(Refusal, OfSeveralKernelsNamesEachBeforeAnythingRuns) {
    folder.write("kernel-1.traceg", trace.text());
    trace.header["nregs"] = "21955";
    folder.write("kernel-2.traceg", trace.text());
    trace.header["nregs"] = "16";
    trace.header["shmem"] = "1000000";
    folder.write("kernel-3.traceg", trace.text());
    const std::string list =
        folder.write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\nkernel-3.traceg\n");
    const outcome o = simulate({"--preset", "TINY", "-trace", list});
    EXPECT_EQ(2, o.code);
    EXPECT_EQ("", o.out);
    EXPECT_THAT(o.error_lines(), SizeIs(2));
    EXPECT_THAT(o.err, HasSubstr("kernel-2.traceg"));
    EXPECT_THAT(o.err, HasSubstr("kernel-3.traceg"));
}
TEST_F(Refusal, CanBeOverridden) {
    trace.header["nregs"] = "21955";
    trace.header["shmem"] = "1000000";
    const outcome o = simulate({"--preset", "TINY", "-trace", trace.write(folder),
                                "--override-registers", "32", "--override-shmem", "0"});
    EXPECT_EQ(0, o.code) << o.err;
}
TEST_F(Refusal, OfAFileOfStatisticsThatCannotBeWrittenComesBeforeTheRun) {
    const outcome o = simulate({"--preset", "TINY", "-trace", trace.write(folder), "--stats-json",
                                folder.path("no/such/folder/s.json")});
    EXPECT_EQ(2, o.code);
    EXPECT_EQ("", o.out);
    EXPECT_THAT(o.error_lines(), SizeIs(1));
    EXPECT_THAT(o.err, HasSubstr("s.json"));
}
TEST_F(Refusal, InTheMiddleOfARunKeepsWhatWasCounted) {
    folder.write("kernel-1.traceg", trace.text());
    folder.write("kernel-2.traceg", replaced(trace.text(), "FADD", "FROB"));
    const std::string list = folder.write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
    const outcome o =
        simulate({"--preset", "TINY", "-trace", list, "--stats-json", folder.path("s.json")});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("kernel-2.traceg:"));
    EXPECT_THAT(o.out, HasSubstr("gpu_tot_sim_insn = 640\n"));
    const nlohmann::json statistics = read_json(folder.path("s.json"));
    EXPECT_EQ("failed", statistics["ended"]);
    EXPECT_EQ(640, statistics["total"]["gpu_tot_sim_insn"]);
}

}  // namespace
}  // namespace simtlm::test

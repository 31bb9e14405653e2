// SPDX-License-Identifier: Apache-2.0
// Faulty input ends in one line on stderr and exit code 2.
#include "tests/system/simulator.h"
#include "tests/system/small_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace simtlm::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class Refusal : public testing::Test {
protected:
    /// Expects one line that contains the given texts.
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

TEST_F(Refusal, DoesNotAffectAWellFormedTrace) {
    const outcome o = simulate({"--preset", "TINY", "-trace", trace.write(folder), "--quiet"});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ("", o.err);
    EXPECT_THAT(o.out, HasSubstr("gpu_tot_issued_cta = 2\n"));
}

TEST_F(Refusal, OfPowerWithoutEnergiesOrWithFaultyOnes) {
    const auto expect = [&](const std::vector<std::string>& more,
                            const std::vector<std::string>& parts) {
        std::vector<std::string> all = {
            "--preset", "TINY", "-trace", trace.write(folder), "-power_simulation_enabled", "1"};
        all.insert(all.end(), more.begin(), more.end());
        expect_refused(all, parts);
    };
    const auto table = [&](const std::string& rows) {
        return std::vector<std::string>{"--energy-table", folder.write("e.csv", rows)};
    };
    expect({}, {"-power_simulation_enabled", "--energy-table FILE"});
    expect(table("component,per,value,unit,source\n"), {"e.csv:1: is not an energy table"});
    expect(table("RFP,REG_RD,-1,pJ,x\n"), {"e.csv:1: \"-1\" is not a number"});
    expect(table("RFQ,REG_RD,1,pJ,x\n"), {"e.csv:1: component RFQ is unknown"});
    expect(table("RFP,REGS,1,pJ,x\n"), {"e.csv:1: \"REGS\" is not counted"});
    expect(table("RFP,REG_RD,1,nJ,x\n"), {"e.csv:1: \"nJ\" is not a unit of RFP"});
    expect(table("\nRFP,REG_RD,1,pJ,x\nRFP,REG_RD,2,pJ,x\n"),
           {"e.csv:3: RFP,REG_RD appears twice"});
    expect(table("STATICP,cat9.first_lane,1,W,x\n"),
           {"e.csv:1: static power of \"cat9.first_lane\""});
    expect(table("TABLE,e.csv,1,pJ,x\nRFP,REG_RD,1,pJ,x\n"),
           {"e.csv:1: tables refer to each other"});
    expect(table("TABLE,none.csv,1,pJ,x\n"), {"none.csv"});
    expect(table("TABLE,none.csv,1,V,x\n"), {"e.csv:1: \"V\" is not a unit of TABLE"});
    expect(table("<component><param name=\"x\"/></component>"),
           {"e.csv: is not a file of AccelWattch"});
    expect(table("<component>"), {"e.csv:"});
    expect(table("<component><param name=\"constant_power\" value=\"30\"/></component>"),
           {"describes another GPU than the published files"});
    expect({"-accelwattch_xml_file", folder.path("none.xml")}, {"none.xml"});
    std::vector<std::string> good = table("RFP,REG_RD,1,pJ,x\n");
    const auto also = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = good;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    expect(also({"-power_simulation_mode", "1"}), {"-hw_perf_bench_name NAME"});
    expect(also({"--power-limit", "200"}), {"--power-limit", "has no voltage curve"});
    expect(also({"--power-limit", "board"}), {"--power-limit", "no limit of the board"});
    expect(also({"--temperature", "warm"}), {"--temperature", "\"warm\" is not a number"});
    expect(also({"--cooling", "0.1:2"}), {"--cooling", "RESISTANCE:CAPACITANCE:AMBIENT"});
    const auto curve = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--energy-table",
                                 folder.write("c.csv", "RFP,REG_RD,1,pJ,x\nVOLTAGE,9,1,V,x\n")});
        return more;
    };
    expect(curve({"--power-limit", "0"}), {"--power-limit", "\"0\" is not a number from 1"});
    expect(curve({"--power-limit", "9", "--power-limit-interval", "0"}),
           {"--power-limit-interval"});
    expect(curve({"--power-limit", "9", "--checkpoint", folder.path("c")}),
           {"part of a checkpoint"});
    expect(curve({"--power-limit", "9", "--quirk", "rounded-clocks"}), {"rounded-clocks"});
    expect(also({"-power_simulation_mode", "1", "-hw_perf_bench_name", "x", "-hw_perf_file_name",
                 folder.write("hw.csv", "Benchmark,Kernel\n")}),
           {"hw.csv: has no row of benchmark \"x\""});
    expect(also({"-steady_state_definition", "8"}), {"-steady_state_definition"});
    expect(table("OTHERP,sm.no_counter,1,pJ,x\n"), {"no block counts sm.no_counter"});
}

TEST_F(Refusal, OfATruncatedFile) {
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
TEST_F(Refusal, OfAnInvalidOptionValueNamesItsLine) {
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
TEST_F(Refusal, OfResourceLimitsCanBeOverridden) {
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
TEST_F(Refusal, DuringARunKeepsTheStatisticsCollected) {
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

TEST_F(Refusal, OfAHeaderWithoutRegistersOrSharedMemory) {
    const small_trace good;
    for (const char* value : {"", "-1", "x"}) {
        trace = good;
        if (*value == '\0')
            trace.header.erase("nregs");
        else
            trace.header["nregs"] = value;
        expect_trace_refused(trace.text(), {"kernel-1.traceg", "-nregs", "--override-registers"});
        EXPECT_EQ(0, simulate({"--preset", "TINY", "-trace", trace.write(folder),
                               "--override-registers", "16"})
                         .code);
        trace = good;
        if (*value == '\0')
            trace.header.erase("shmem");
        else
            trace.header["shmem"] = value;
        expect_trace_refused(trace.text(), {"kernel-1.traceg", "-shmem", "--override-shmem"});
    }
}
TEST_F(Refusal, OfADuplicateBlock) {
    const std::string text = trace.text();
    const std::size_t second = text.rfind("thread block = 1,0,0");
    expect_trace_refused(std::string(text).replace(second, 20, "thread block = 0,0,0"),
                         {"kernel-1.traceg:", "0,0,0 twice"});
}
TEST_F(Refusal, OfFewerWarpsThanTheThreadsNeed) {
    trace.header["block dim"] = "(96,1,1)";
    expect_trace_refused(trace.text(), {"kernel-1.traceg:", "no warp 2 of the 3"});
}
TEST_F(Refusal, OfAGridSizeThatContradictsItsBlocks) {
    trace.header["grid dim"] = "(1,2,1)";
    expect_trace_refused(trace.text(), {"kernel-1.traceg:", "outside the grid"});
    trace.header["grid dim"] = "(3,1,1)";
    expect_trace_refused(trace.text(), {"kernel-1.traceg:", "2 of 3 thread blocks"});
    trace.header["grid dim"] = "(1,1,1)";
    expect_trace_refused(trace.text(), {"kernel-1.traceg:", "more thread blocks than the grid"});
}
TEST_F(Refusal, OfAnUnknownTracerVersion) {
    trace.header["accelsim tracer version"] = "7";
    expect_trace_refused(trace.text(), {"kernel-1.traceg:", "tracer version 7", "up to 6"});
}
TEST_F(Refusal, OfTwoHeadersInOneFile) {
    expect_trace_refused("-nregs = 16\n" + trace.text(), {"kernel-1.traceg:", "second 'nregs'"});
}
TEST_F(Refusal, OfAnInvalidAccessWidth) {
    expect_trace_refused(
        replaced(trace.text(), "R4 4 1 0x7f5800000000", "R4 99999 1 0x7f5800000000"),
        {"kernel-1.traceg:", "99999 bytes"});
}
TEST_F(Refusal, OfAnEmptyList) {
    for (const char* text : {"", "\n\n", "# nothing\n"})
        expect_refused({"--preset", "TINY", "-trace", folder.write("kernelslist.g", text)},
                       {"kernelslist.g", "without a command"});
}
TEST_F(Refusal, OfAnEmptyTrace) {
    folder.write("kernel-1.traceg", "");
    expect_refused(
        {"--preset", "TINY", "-trace", folder.write("kernelslist.g", "kernel-1.traceg\n")},
        {"kernel-1.traceg", "no header"});
}
TEST_F(Refusal, OfAnEndlessFile) {
    const std::string list = trace.write(folder);
    for (const char* option : {"-config", "-inter_config_file"})
        expect_refused(
            {"--preset", "TINY", "-network_mode", "1", option, "/dev/zero", "-trace", list},
            {"/dev/zero", "16 MB"});
    expect_refused({"--preset", "TINY", "-trace", "/dev/zero"}, {"/dev/zero"});
    expect_refused({"--preset", "TINY", "--opcode-table", "/dev/zero", "-trace", list},
                   {"/dev/zero"});
}
TEST_F(Refusal, OfACacheLargerThanHostMemory) {
    const std::string list = trace.write(folder);
    expect_refused({"--preset", "TINY", "-trace", list, "-gpgpu_cache:dl2",
                    "S:67108864:128:16,L:B:m:L:P,A:192:4,32:0,32"},
                   {"-gpgpu_cache:dl2", "67108864 sets"});
    expect_refused({"--preset", "TINY", "-trace", list, "-gpgpu_cache:dl1",
                    "S:4:128:64,L:T:m:L:L,A:2000000000:8,16:0,32"},
                   {"-gpgpu_cache:dl1", "MSHR"});
}
TEST_F(Refusal, OfEveryNumberThatIsTooLarge) {
    const std::string list = trace.write(folder);
    for (const char* option :
         {"-gpgpu_n_clusters", "-gpgpu_n_cores_per_cluster", "-gpgpu_n_mem",
          "-gpgpu_num_sched_per_core", "-gpgpu_frfcfs_dram_sched_queue_size", "-gpgpu_shmem_size",
          "-gpgpu_shader_registers", "-gpgpu_shader_cta", "-gpgpu_num_reg_banks",
          "-gpgpu_operand_collector_num_units_gen", "-gpgpu_l1_latency", "-gpgpu_smem_latency",
          "-dram_latency", "-gpgpu_l2_rop_latency", "--trace-lookahead"}) {
        const outcome o = simulate_from_shell(
            "ulimit -v 4000000;",
            {"--preset", "TINY", "--quiet", "-trace", list, option, "4611686018427387904"}, "");
        EXPECT_EQ(2, o.code) << option << ": " << o.err;
        EXPECT_THAT(o.err, testing::Not(HasSubstr("at least 0"))) << option;
    }
    const outcome queue = simulate(
        {"--preset", "TINY", "-trace", list, "-gpgpu_dram_partition_queues", "2000000000:8:8:8"});
    EXPECT_EQ(2, queue.code);
    EXPECT_THAT(queue.err, HasSubstr("2000000000 entries"));
    EXPECT_THAT(queue.err, testing::Not(HasSubstr("at least one")));
}
TEST_F(Refusal, OfNoArgumentsNamesTheMissingOption) {
    expect_refused({}, {"-trace", "--preset", "--help"});
    expect_refused({"-trace", trace.write(folder)}, {"no GPU", "--preset"});
}
TEST_F(Refusal, OfV100AdvisesQV100) {
    expect_refused({"--preset", "V100"}, {"QV100"});
}
TEST_F(Refusal, OfATraceFromAPipe) {
    ASSERT_EQ(0, mkfifo(folder.path("kernel-1.traceg").c_str(), 0600));
    expect_refused(
        {"--preset", "TINY", "-trace", folder.write("kernelslist.g", "kernel-1.traceg\n")},
        {"kernel-1.traceg", "no regular file"});
}
TEST_F(Refusal, OfAnUnknownOpcodeNamesTheOptionsThatAcceptIt) {
    expect_trace_refused(replaced(trace.text(), "R12 FADD", "R12 FROB"),
                         {"FROB", "--opcode-table", "--unknown-opcode warn"});
}
TEST_F(Refusal, OfOneWrongPresetIsOneLineForAllKernels) {
    trace.header["binary version"] = "86";
    std::string list;
    for (unsigned k = 1; k <= 12; ++k) {
        trace.header["kernel name"] = "k" + std::to_string(k);
        const std::string name = "kernel-" + std::to_string(k) + ".traceg";
        folder.write(name, trace.text());
        list += name + "\n";
    }
    expect_refused({"--preset", "TINY", "-trace", folder.write("kernelslist.g", list)},
                   {"kernel-1.traceg", "RTX3070", "11 more kernels"});
}
TEST_F(Refusal, InTheFirstKernelPrintsNoSummary) {
    const outcome o = simulate({"--preset", "TINY", "-trace",
                                trace.write(folder, replaced(trace.text(), "FADD", "FROB"))});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.error_lines(), SizeIs(1)) << o.err;
}

/// Records that no GPU can have produced.
class ImpossibleTrace : public Refusal {
protected:
    /// Expects the small trace, with one text replaced by another, to be rejected with file and
    /// line, and to run with --no-validate.
    void expect_impossible(const std::string& what, const std::string& with,
                           const std::vector<std::string>& parts) {
        const std::string list = trace.write(folder, replaced(trace.text(), what, with));
        std::vector<std::string> all = parts;
        all.emplace_back("kernel-1.traceg:");
        all.emplace_back("--no-validate");
        expect_refused({"--preset", "TINY", "-trace", list}, all);
        const outcome o =
            simulate({"--preset", "TINY", "-trace", list, "--no-validate", "--quiet"});
        EXPECT_EQ(0, o.code) << o.err;
    }
};

TEST_F(ImpossibleTrace, UsesARegisterThatTheKernelDoesNotHave) {
    expect_impossible("R12 FADD 2 R12 R1", "R12 FADD 2 R12 R40", {"R40", "-nregs"});
    expect_impossible("1 R1 MOV", "1 R200 MOV", {"R200", "16 registers"});
}
TEST_F(ImpossibleTrace, AccessesThreeBytesOrNone) {
    expect_impossible("R4 4 1 0x7f5800000000", "R4 3 1 0x7f5800000000", {"3 bytes"});
    expect_impossible("R4 4 1 0x7f5800000000 4 0", "R4 0", {"LDG.E.SYS", "width of 0"});
}
TEST_F(ImpossibleTrace, HasAStrideThatWraps) {
    expect_impossible("0x7f5800000000 4", "0xfffffffffffffff0 4", {"wrap", "stride of 4"});
    expect_impossible("0x7f5800000000 4", "0x10 -4", {"wrap", "stride of -4"});
}
TEST_F(ImpossibleTrace, HasAMisalignedAddress) {
    expect_impossible("0x7f5800000000", "0x7f5800000002", {"misaligned", "4 bytes"});
    expect_impossible("0x7f5800000000 4", "0x7f5800000000 6", {"misaligned"});
}
TEST_F(ImpossibleTrace, HasAnOddProgramCounter) {
    expect_impossible("0030 ffffffff", "0031 ffffffff", {"program counter 0x31"});
}
TEST_F(ImpossibleTrace, HasTwoInstructionsAtOneProgramCounter) {
    expect_impossible("0030 ffffffff 1 R12 FADD", "0010 ffffffff 1 R12 FADD",
                      {"IMAD.WIDE and FADD", "0x10"});
}
TEST_F(ImpossibleTrace, MayRepeatProgramCountersWhereFunctionsAreCalled) {
    std::string text = replaced(trace.text(), "0010 ffffffff 1 R4 IMAD.WIDE 2 R0 R9 0 0",
                                "0010 ffffffff 0 CALL.REL.NOINC 0 0 0");
    text = replaced(text, "0030 ffffffff 1 R12 FADD", "0000 ffffffff 1 R12 FADD");
    const outcome o =
        simulate({"--preset", "TINY", "-trace", trace.write(folder, text), "--quiet"});
    EXPECT_EQ(0, o.code) << o.err;
}
TEST_F(ImpossibleTrace, HasActiveLanesBeyondTheBlock) {
    trace.header["block dim"] = "(40,1,1)";
    for (std::string& line : trace.warps[1]) line = replaced(line, "ffffffff", "000000ff");
    expect_impossible("0030 000000ff", "0030 000001ff", {"warp 1", "0x1ff", "8 threads"});
}
TEST_F(ImpossibleTrace, HasAWarpWithoutExit) {
    expect_impossible("0040 ffffffff 0 EXIT", "0040 ffffffff 0 NOP", {"warp 0", "NOP", "EXIT"});
}
TEST_F(ImpossibleTrace, HasANegativeKernelIdOrStream) {
    trace.header["kernel id"] = "-1";
    expect_impossible("", "", {"negative 'kernel id'"});
    trace.header["kernel id"] = "1";
    trace.header["cuda stream id"] = "-7";
    expect_impossible("", "", {"negative 'cuda stream id'"});
}
TEST_F(ImpossibleTrace, IsRejectedInBinaryForm) {
    const std::string list =
        trace.write(folder, replaced(trace.text(), "0040 ffffffff 0 EXIT", "0040 ffffffff 0 NOP"));
    ASSERT_EQ(0, trace_tool({"convert", list, folder.path("binary")}).code);
    const outcome o =
        simulate({"--preset", "TINY", "--quiet", "-trace", folder.path("binary/kernelslist.g")});
    EXPECT_EQ(2, o.code) << o.err;
    EXPECT_THAT(o.err, HasSubstr("warp 0 ends with NOP"));
}
TEST_F(Refusal, OfACopyThatWrapsTheAddressSpace) {
    trace.write(folder);
    expect_refused(
        {"--preset", "TINY", "-trace",
         folder.write("kernelslist.g", "MemcpyHtoD,0xffffffffffffff00,512\nkernel-1.traceg\n")},
        {"kernelslist.g:1", "wraps"});
}
TEST_F(Refusal, OfAPlainFileWithTheExtensionOfAnArchive) {
    folder.write("kernel-1.traceg.xz", trace.text());
    expect_refused(
        {"--preset", "TINY", "-trace", folder.write("kernelslist.g", "kernel-1.traceg.xz\n")},
        {"kernel-1.traceg.xz", "name of an archive"});
}

TEST_F(Refusal, ShowsEscapeSequencesOfAFileEscaped) {
    trace.header["kernel name"] = "k\x1b[31mred\x07";
    const outcome o = simulate({"--preset", "TINY", "-trace", trace.write(folder)});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("kernel_name = k\\x1b[31mred\\x07"));
    EXPECT_EQ(std::string::npos, o.out.find('\x1b'));
    expect_trace_refused(replaced(trace.text(), "R12 FADD", "R12 F\x1b]0;title\x07"),
                         {"F\\x1b]0;title\\x07"});
}
TEST_F(Refusal, ByABlockNamesTheFileAndLineOfTheOption) {
    for (const std::string option :
         {"-icnt_in_buffer_limit 1", "-icnt_out_buffer_limit 1", "-gpgpu_scheduler best",
          "--vcd-scope nothing", "--interval-counters nothing"})
        expect_refused(
            {"--preset", "TINY", "-config", folder.write("a.config", "\n" + option + "\n"), "--vcd",
             folder.path("w.vcd"), "--interval-csv", folder.path("i.csv"), "-trace",
             trace.write(folder)},
            {"a.config:2: " + option + ": "});
}
TEST_F(Refusal, OfANetworkNamesTheLineOfItsDescription) {
    const std::string network =
        folder.write("net.icnt", "topology = fly;\nrouting_function = dest_tag;\nk = 1;\n");
    expect_refused({"--preset", "TINY", "-network_mode", "1", "-inter_config_file", network,
                    "-trace", trace.write(folder)},
                   {"net.icnt:3: k: "});
}
TEST_F(Refusal, OfAPerfectNetworkNamesTheModeToUse) {
    const std::string network = folder.write("net.icnt", "perfect_icnt = 1;\n");
    expect_refused({"--preset", "TINY", "-network_mode", "1", "-inter_config_file", network,
                    "-trace", trace.write(folder)},
                   {"perfect_icnt", "-network_mode 3"});
}
TEST_F(Refusal, OfCyclicSymbolicLinks) {
    ASSERT_EQ(0, symlink("y", folder.path("x").c_str()));
    ASSERT_EQ(0, symlink("x", folder.path("y").c_str()));
    const std::string loop = folder.path("x"), list = trace.write(folder);
    const char* const reason = "ymbolic links";
    expect_refused({"--preset", "TINY", "-trace", loop}, {loop, reason});
    expect_refused({"--preset", "TINY", "--ptx", loop, "--launch", loop}, {loop, reason});
    expect_refused({"--preset", "TINY", "-config", loop, "-trace", list}, {loop, reason});
    expect_refused({"--preset", "TINY", "-trace", list, "--stats-json", loop}, {loop, "links"});
}
TEST_F(Refusal, OfFileNamesThatAreTooLong) {
    const std::string name = folder.path(std::string(300, 'n')), list = trace.write(folder);
    const char* const reason = "File name too long";
    expect_refused({"--preset", "TINY", "-trace", name}, {name, reason});
    expect_refused({"--preset", "TINY", "--ptx", name, "--launch", name}, {name, reason});
    expect_refused({"--preset", "TINY", "-config", name, "-trace", list}, {name, reason});
    expect_refused({"--preset", "TINY", "-trace", list, "--stats-json", name}, {name, reason});
}
TEST_F(Refusal, OfAStackThatIsTooSmall) {
    const outcome o = simulate_from_shell(
        "ulimit -s 64;", {"--preset", "TINY", "--quiet", "-trace", trace.write(folder)}, "");
    EXPECT_EQ(2, o.code) << o.err;
    EXPECT_EQ("simtlm: the stack limit is too small (ulimit -s 8192)\n", o.err);
}
TEST_F(Refusal, OfRawTracesNamesTheMissingProcessingStep) {
    folder.write("kernel-1.trace", "raw");
    expect_refused({"--preset", "TINY", "-trace", folder.write("kernelslist", "kernel-1.trace\n")},
                   {"kernelslist:1", "raw traces", "post-traces-processing"});
}

TEST_F(Refusal, OfALaunchBeyondTheBoundsOfItsKernel) {
    const std::string program = folder.write(
        "bounds.ptx",
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry bounded() .maxntid 64, 1, 1 { ret; }\n"
        ".visible .entry shaped() .reqntid 32, 2, 1 { ret; }\n"
        ".visible .entry narrow() .maxclusterrank 4 { ret; }\n"
        ".visible .entry clusters() .blocksareclusters .reqntid 32, 2, 1 .reqnctapercluster 2, 1, 1"
        " { ret; }\n");
    const auto with = [&](const std::string& launch) {
        return std::vector<std::string>{"--preset",
                                        "H100_PCIE",
                                        "-gpgpu_n_clusters",
                                        "8",
                                        "--ptx",
                                        program,
                                        "--launch",
                                        folder.write("bounds.launch", "launch " + launch + "\n")};
    };
    const auto untimed = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"-gpgpu_ptx_sim_mode", "1"});
        return arguments;
    };
    const std::pair<const char*, const char*> refusals[] = {
        {"bounded grid 1 block 128", "the kernel allows 64 (.maxntid"},
        {"bounded grid 1 block 8,9", "the kernel allows 64 (.maxntid"},
        {"shaped grid 1 block 64", "the kernel demands 32x2x1 (.reqntid"},
        {"narrow grid 8 block 32 cluster 8", "the kernel allows 4 (.maxclusterrank"},
        {"clusters grid 8 block 64", "the kernel demands 32x2x1"}};
    for (const auto& [launch, why] : refusals) {
        expect_refused(with(launch), {"bounds.launch:1", why});
        expect_refused(untimed(with(launch)), {"bounds.launch:1", why});
    }
    for (const char* launch : {"bounded grid 1 block 8,8", "shaped grid 1 block 32,2",
                               "narrow grid 8 block 32 cluster 4"})
        EXPECT_EQ(0, simulate(untimed(with(launch))).code) << launch;
    const outcome o = simulate(untimed(with("clusters grid 3 block 1")));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("6 thread blocks in")) << "a grid of three clusters of two";
}

TEST_F(Refusal, OfAnInvalidGpuIsTheSameInFunctionalMode) {
    const std::string program =
        folder.write("empty.ptx", ".version 7.0\n.target sm_70\n.visible .entry k() { ret; }\n");
    const std::string launch = folder.write("k.launch", "launch k grid 1 block 32\n");
    const auto with = [&](const std::string& option, const std::string& value) {
        return std::vector<std::string>{
            "-gpgpu_ptx_sim_mode", "1", "--ptx", program, "--launch", launch, option, value};
    };
    expect_refused(with("-gpgpu_n_clusters", "0"), {"command line", "-gpgpu_n_clusters"});
    expect_refused(with("--quirk", "nonsense"), {"unknown quirk 'nonsense'"});
    expect_refused(with("-gpgpu_simd_model", "2"), {"-gpgpu_simd_model 2"});
    expect_refused(with("-gpgpu_max_insn", "10"), {"no effect in functional mode"});
    expect_refused(with("-gpgpu_max_cta", "1"), {"no effect in functional mode"});
    EXPECT_EQ(0, simulate(with("-gpgpu_n_clusters", "3")).code);
}

TEST_F(Refusal, OfAnOptionOfAnEarlierVersionNamesItsSuccessor) {
    expect_refused({"--preset", "TINY", "-gpgpu_n_shader", "8"},
                   {"unknown option -gpgpu_n_shader (use -gpgpu_n_clusters"});
    expect_refused({"--preset", "TINY", "-gpgpu_dwf_hw", "1"}, {"omit it"});
}

class ByteOrderMark : public Refusal {};

TEST_F(ByteOrderMark, IsSkipped) {
    const std::string mark = "\xef\xbb\xbf";
    folder.write("kernel-1.traceg", mark + trace.text());
    const std::string list = folder.write("kernelslist.g", mark + "kernel-1.traceg\n");
    const std::string config = folder.write("my.config", mark + "-gpgpu_max_cycle 0\n");
    const outcome o = simulate({"--preset", "TINY", "-trace", list, "-config", config, "--quiet"});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ("", o.err);
}

class KernelSelection : public Refusal {
protected:
    /// Names of the kernels that ran.
    std::string ran(const std::vector<std::string>& more, const std::string& first_line = {}) {
        std::string list = first_line;
        for (const char* name : {"gemm", "reduce", "scan", "gemm2"}) {
            trace.header["kernel name"] = name;
            trace.header["kernel id"] = std::to_string(list.size());
            const std::string file = std::string(name) + ".traceg";
            folder.write(file, trace.text());
            list += file + "\n";
        }
        std::vector<std::string> all = {"--preset", "TINY", "--quiet", "-trace",
                                        folder.write("kernelslist.g", list)};
        all.insert(all.end(), more.begin(), more.end());
        const outcome o = simulate(all);
        EXPECT_EQ(0, o.code) << o.err;
        std::string names;
        const std::string key = "kernel_name = ";
        for (std::size_t at = 0; (at = o.out.find(key, at)) != std::string::npos;) {
            at += key.size();
            names += o.out.substr(at, o.out.find_first_of(" \n", at) - at) + ' ';
        }
        ctas = o.values()["gpu_tot_issued_cta"];
        return names;
    }
    std::string ctas;
};

TEST_F(KernelSelection, AcceptsKernelsOfTheCommandLine) {
    EXPECT_EQ("gemm reduce scan gemm2 ", ran({}));
    EXPECT_EQ("reduce gemm2 ", ran({"--kernels", "2,4"}));
    EXPECT_EQ("gemm gemm2 ", ran({"--kernel-names", "^gemm"}));
    EXPECT_EQ("scan ", ran({"--skip-kernels", "2", "--max-kernels", "1"}));
}
TEST_F(KernelSelection, AcceptsKernelsOfTheList) {
    EXPECT_EQ("reduce scan ", ran({}, "--kernels 2-3\n"));
    EXPECT_EQ("gemm ", ran({"--kernels", "1"}, "--kernels 2-3\n"));
}
TEST_F(KernelSelection, AcceptsThreadBlocks) {
    EXPECT_EQ("gemm reduce scan gemm2 ", ran({"--ctas", "1"}));
    EXPECT_EQ("4", ctas) << "one of two, four times";
    ran({}, "--ctas 0-0\n");
    EXPECT_EQ("4", ctas);
}
TEST_F(KernelSelection, RejectsAnEmptySelection) {
    const std::string list = trace.write(folder);
    expect_refused({"--preset", "TINY", "-trace", list, "--kernels", "7"}, {"none", "--kernels"});
    expect_refused({"--preset", "TINY", "-trace", list, "--ctas", "9-"}, {"--ctas"});
    expect_refused({"--preset", "TINY", "-trace", list, "--kernels", "x"}, {"--kernels"});
}

}  // namespace
}  // namespace simtlm::test

// SPDX-License-Identifier: Apache-2.0
// The interactive debugger, driven by command files, and trace streams.
#include "tests/system/simulator.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace simtlm::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Debugger : public testing::Test {
protected:
    outcome debug(std::vector<std::string> arguments, const std::string& commands) const {
        arguments.insert(arguments.end(),
                         {"--debug", "--debug-commands", folder_.write("commands", commands)});
        return simulate(arguments);
    }
    /// A trace of 8 CTAs on two SMs.
    outcome on_trace(const std::string& commands) const {
        return debug(on_tiny(sample("vecadd")), commands);
    }
    static std::vector<std::string> saxpy(std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"--ptx", SIMTLM_PROGRAMS "/saxpy.ptx", "--launch",
                                   SIMTLM_PROGRAMS "/saxpy.launch"});
        return more;
    }
    outcome on_program(const std::string& commands) const {
        return debug(saxpy({"--preset", "TINY"}), commands);
    }
    outcome without_time(const std::string& commands) const {
        return debug(saxpy({"-gpgpu_ptx_sim_mode", "1"}), commands);
    }
    static std::ptrdiff_t count(const std::string& text, const std::string& part) {
        std::ptrdiff_t n = 0;
        for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
        return n;
    }
    scratch_folder folder_;
};

TEST_F(Debugger, ChangesNoResult) {
    const std::string plain = folder_.path("plain.json"), debugged = folder_.path("debugged.json");
    const auto counts = [](const std::string& file) {
        nlohmann::json s = read_json(file);
        for (const char* const own : {"provenance", "origins", "config"}) s.erase(own);
        return s;
    };
    for (const bool program : {false, true}) {
        auto arguments = program ? saxpy({"--preset", "TINY"}) : on_tiny(sample("vecadd"));
        arguments.insert(arguments.end(), {"--stats-json", plain});
        ASSERT_EQ(0, simulate(arguments).code);
        arguments.back() = debugged;
        const outcome o = debug(
            arguments,
            "b op ld\nb op LDG\nc\ni w\nl\ndp 0\ndm p 0\ni wait\ns 50\nd\nb if cycle % 1000 == 0\n"
            "c\np gpu.cluster0.sm0:warps_launched\nd\nw 0x7f5820000000 rw\nc\n");
        ASSERT_EQ(0, o.code) << o.err;
        EXPECT_EQ(counts(plain), counts(debugged));
    }
}

TEST_F(Debugger, ContinuesForANumberOfCyclesAndToACycle) {
    const outcome o = on_trace("s\ns 10\nu 40\nu 30\np cycle\nc\n");
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("(simtlm) s\ncore cycle 1\n(simtlm) s 10\ncore cycle 11\n"
                                 "(simtlm) u 40\ncore cycle 40\n(simtlm) u 30\n"
                                 "core cycle 30 lies behind\n(simtlm) p cycle\n40\n(simtlm) c\n"));
    EXPECT_THAT(o.out, HasSubstr(": the run has ended\n"));
}

TEST_F(Debugger, StopsATraceAtProgramCountersOpcodesWarpsAndThreadBlocks) {
    const outcome o = on_trace(
        "b cta 5\nc\nb pc 0x90\nc\nl 2\nd 2\ni b\nd\ntb op FADD if warp == 3\nc\nb warp 1:0\nc\n"
        "d\nc\n");
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, ContainsRegex("core cycle [0-9]+: breakpoint 2, SM [01] warp [0-9]+, kernel "
                                     "1 \\(vecadd\\) CTA \\([0-9],0,0\\): 0x0090 LDG.E.SYS R12, "
                                     "\\[R4\\]"));
    EXPECT_THAT(o.out, HasSubstr("   0x0080  IMAD.WIDE R10, R0, R9"));
    EXPECT_THAT(o.out, HasSubstr("=> 0x0090  LDG.E.SYS R12, [R4]"));
    EXPECT_THAT(o.out, HasSubstr("   0x00a0  LDG.E.SYS R16, [R6]"));
    EXPECT_THAT(o.out, ContainsRegex("breakpoint 3, SM [01] warp 3, .*0x00b0 FADD R12, R12, R16"));
    EXPECT_THAT(o.out,
                ContainsRegex("breakpoint 1, CTA \\(5,0,0\\) of kernel 1 \\(vecadd\\) begins "
                              "on SM [01]"));
    EXPECT_THAT(o.out, HasSubstr("  1 cta 5, hit 1 time\n"));
    EXPECT_THAT(o.out, Not(HasSubstr("op FADD if warp == 3 (once), hit")));
    EXPECT_THAT(o.out, ContainsRegex("breakpoint 4, SM 1 warp 0, "));
}

TEST_F(Debugger, WatchesAddressesAndRegistersOfATrace) {
    const outcome o =
        on_trace("w 0x7f5820000080:4\nc\ndm 0x7f5820000080\ni r\nd\nw 0x7f5800000000 r\nc\nc\n");
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, ContainsRegex("watchpoint 1, .*CTA \\(0,0,0\\): 0x00c0 STG.E.SYS"));
    EXPECT_THAT(o.out, Not(HasSubstr("watchpoint 2,")));  // it had been read before
    EXPECT_THAT(o.out, HasSubstr("memory at 0x7f5820000080 cannot be read"));
    const outcome early = on_trace("w 0x7f5800000000 r\nw R12 0:1\nc\nc\nd\nc\n");
    EXPECT_THAT(early.out, ContainsRegex("watchpoint 1, .*0x0090 LDG.E.SYS R12"));
    EXPECT_THAT(early.out, ContainsRegex("watchpoint 2, SM 0 warp 1, .*0x0090 LDG.E.SYS R12"));
}

TEST_F(Debugger, StopsAtKernelsAndConditions) {
    const outcome o = debug(on_tiny(sample("streams")),
                            "b kernel 2\nc\ni k\nb end 1\nc\nb if kernels_done == 3\nc\nd\nc\n");
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, ContainsRegex("breakpoint 1, kernel 2 \\(.*\\) is launched: grid "));
    EXPECT_THAT(o.out, ContainsRegex("kernel 2 \\(.*\\): grid .* done"));
    EXPECT_THAT(o.out, ContainsRegex("breakpoint 2, kernel 1 \\(.*\\) has ended"));
    EXPECT_THAT(o.out, HasSubstr(": breakpoint 3, kernels_done == 3\n"));
}

TEST_F(Debugger, ShowsValuesOfAProgram) {
    // Line 40 of saxpy.ptx computes 3 x + y; x is i / 2 and y is i + 1.
    const outcome o = on_program(
        "b saxpy.ptx:40 33\nc\nf 0:1:0\nl 3\np %f4\np %f4 * 2\np [%rd7]\np y\ni r\ndm y 16\n"
        "d\nw y:4\nc\nc\nq\n");
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("CTA (0,0,0): "));
    EXPECT_THAT(o.out, ContainsRegex("=> 0x[0-9a-f]+  fma.rn.f32 %f4, %f2, %f1, %f3 .*"
                                     "saxpy.ptx:40"));
    EXPECT_THAT(o.out, HasSubstr("(simtlm) p %f4\n0x42a20000 (81)\n"));  // 3 * 16 + 33
    EXPECT_THAT(o.out, HasSubstr("(simtlm) p %f4 * 2\n162\n"));
    EXPECT_THAT(o.out, HasSubstr("(simtlm) p [%rd7]\n1107558400 (0x42040000)\n"));  // 33
    EXPECT_THAT(o.out, ContainsRegex("\\(simtlm\\) p y\n0x[0-9a-f]+, 40000 bytes\n"));
    EXPECT_THAT(o.out, HasSubstr("registers of SM 0 warp 1 lane 0\n"));
    EXPECT_THAT(o.out, ContainsRegex("0x[0-9a-f]+: 3f800000 40000000 40400000 40800000\n"));
    // The store itself, and the value that it stores: 1 for i = 0, then 1 + 0 again.
    EXPECT_THAT(o.out, ContainsRegex("watchpoint 2, SM 0 warp 0, .*st.global.f32"));
    EXPECT_THAT(o.out, HasSubstr("simtlm: *** incomplete run: quit ***"));
}

TEST_F(Debugger, ReportsAChangedValue) {
    const outcome o = on_program("w y if cycle > 0\nd\nw x\nb kernel 1\nc\np y\nc\n");
    ASSERT_EQ(0, o.code) << o.err;
    const outcome changed = debug({"--preset", "TINY", "--ptx", SIMTLM_PROGRAMS "/histogram.ptx",
                                   "--launch", SIMTLM_PROGRAMS "/histogram.launch"},
                                  "w counts\nc\nc\nc\nc\nc\nc\nc\nc\nc\nc\nc\nc\nc\nc\nc\nd\nc\n");
    ASSERT_EQ(0, changed.code) << changed.err << changed.out;
    EXPECT_THAT(changed.out, ContainsRegex("watchpoint 1, counts: 0x[0-9a-f]+ .* -> 0x"));
}

TEST_F(Debugger, StepsFunctionalProgramsByInstructions) {
    const outcome o = without_time(
        "s\ns\nb saxpy.ptx:41\nc\np %f4\nl 1\ni w\nd\nb cta 3\nc\nu 700\ndp\nb end\nc\nd\nc\n");
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("instruction 0: SM 0 warp 0, kernel 1 (saxpy) CTA (0,0,0): "));
    EXPECT_THAT(o.out, HasSubstr("mov.u32 %r3, %ctaid.x"));
    EXPECT_THAT(o.out, ContainsRegex("breakpoint 1, .*st.global.f32 \\[%rd7\\], %f4"));
    EXPECT_THAT(o.out, HasSubstr("(simtlm) p %f4\n0x3f800000 (1)\n"));
    EXPECT_THAT(o.out, HasSubstr("CTA (3,0,0) of kernel 1 (saxpy) begins"));
    EXPECT_THAT(o.out, HasSubstr("instruction 700: "));
    EXPECT_THAT(o.out, HasSubstr("there is no pipeline in functional mode"));
    EXPECT_THAT(o.out, HasSubstr("kernel 1 (saxpy) has ended"));
    EXPECT_THAT(o.out, HasSubstr("results are as expected"));
}

TEST_F(Debugger, RunsMachineCode) {
    const std::string kernels = SIMTLM_MACHINE_CODE "/kernels";
    const outcome o =
        debug({"-gpgpu_ptx_sim_mode", "1", "--cubin", kernels + ".sm_75.cubin", "--launch",
               folder_.write("run.launch",
                             "buffer a u32 1024 random 7\nbuffer o u32 1024 zero\n"
                             "launch ctl grid 4 block 256 args a o s32:1024\n")},
              "b op IMAD\nc\nl 2\np R0\np %R0\np %P0\ni r\nd\nw o\nc\nd\nc\n");
    ASSERT_EQ(0, o.code) << o.err << o.out;
    EXPECT_THAT(o.out, ContainsRegex("breakpoint 1, .* IMAD"));
    EXPECT_THAT(o.out, ContainsRegex("=> 0x[0-9a-f]+  .*IMAD.*ctl"));
    EXPECT_THAT(o.out, ContainsRegex("p R0\n0x[0-9a-f]+"));
    EXPECT_THAT(o.out, ContainsRegex("p %R0\n0x[0-9a-f]+"));
    EXPECT_THAT(o.out, ContainsRegex("p %P0\n(true|false)"));
    EXPECT_THAT(o.out, ContainsRegex("watchpoint 2, o: 0x[0-9a-f]+ .* -> 0x"));
}

TEST_F(Debugger, WritesPartialStatisticsOnQuit) {
    const std::string json = folder_.path("s.json");
    auto arguments = on_tiny(sample("vecadd"), {"--stats-json", json});
    const outcome o = debug(arguments, "s 200\nq\n");
    EXPECT_EQ(0, o.code);
    EXPECT_THAT(o.out, HasSubstr("simtlm: *** incomplete run: quit ***"));
    EXPECT_EQ("quit", read_json(json)["ended"]);
    EXPECT_THAT(without_time("s 20\nq\n").out, HasSubstr("*** incomplete run: quit ***"));
}

TEST_F(Debugger, ReportsUnknownCommands) {
    const outcome o = on_trace(
        "brake\nb nowhere\nb\nb pc zz\nb warp 9:0\nb warp 0\nb if\nb if cycle >\nd 7\nw\n"
        "w 0x10:100\nw 0x10 x\nu\nl\ndp 99\ndm p 99\ni\ni r\nf 0\np\np nobody\ni w 98\n"
        "i w 4294967296\nf 0:4294967297\ndm p 4294967298\ndm 0x10 0\n# a comment\n\nh\nc\n");
    ASSERT_EQ(0, o.code) << o.err;
    for (const char* const said :
         {"there is no command brake (did you mean break?); h prints them",
          "\"nowhere\" is not a location", "\"zz\" is not a valid program counter",
          "there is no SM 9: there are 2", "a value is missing at the end",
          "there is no breakpoint 7", "at most 64 bytes can be watched",
          "\"x\" is not one of r, w, rw", "u N: which core cycle to continue to?",
          "there is no warp at SM 0 warp 0", "there is no SM 99", "there is no partition 99",
          "\"nobody\" has no value here", "there is no SM 98", "\"4294967296\" is not a valid SM",
          "\"4294967297\" is not a valid warp", "\"4294967298\" is not a valid partition",
          "1 to 4096 bytes at once"})
        EXPECT_THAT(o.out, HasSubstr(said));
    EXPECT_THAT(o.out, HasSubstr("u CYCLE   or until\n        continues to a core cycle"));
}

TEST_F(Debugger, IsEnabledByTheEnvironment) {
    const outcome o = simulate_from_shell("printf 's\\np cycle\\nc\\n' | GPGPUSIM_DEBUG=1",
                                          on_tiny(sample("vecadd")), "");
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("(simtlm) p cycle\n1\n"));
    const outcome off =
        simulate_from_shell("GPGPUSIM_DEBUG=0", on_tiny(sample("vecadd")), "</dev/null");
    EXPECT_THAT(off.out, Not(HasSubstr("(simtlm)")));
    EXPECT_EQ(2, simulate(on_tiny(sample("vecadd"), {"--debug-commands", "x"})).code);
    EXPECT_EQ(2,
              simulate(on_tiny(sample("vecadd"), {"--debug", "--debug-commands", "/none"})).code);
}

TEST_F(Debugger, IsRejectedTogetherWithRecordingsThatUseTheSameObserver) {
    for (const std::vector<std::string>& other :
         {std::vector<std::string>{"--timeline", folder_.path("t.json")},
          {"-enable_ptx_file_line_stats", "1", "--stats-json", folder_.path("s.json")},
          {"-trace_enabled", "1", "-trace_components", "LIVENESS"}}) {
        const outcome o = debug(on_tiny(sample("vecadd"), other), "c\n");
        EXPECT_EQ(2, o.code);
        EXPECT_THAT(o.err, HasSubstr("cannot be combined with the debugger"));
    }
}

TEST(TraceStreams, ReportEventsOfComponents) {
    const auto run = [](const std::string& components, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"-trace_enabled", "1", "-trace_components", components});
        return simulate(on_tiny(sample("vecadd"), more));
    };
    const outcome scheduler = run("WARP_SCHEDULER");
    ASSERT_EQ(0, scheduler.code) << scheduler.err;
    EXPECT_THAT(
        scheduler.out,
        ContainsRegex("GPGPU-Sim Cycle [0-9]+: WARP_SCHEDULER - Core 0 - scheduler [0-9]+ "
                      "issues warp [0-9]+: 0x0090 LDG.E.SYS R12, \\[R4\\], mask ffffffff\n"));
    EXPECT_THAT(scheduler.out, Not(HasSubstr("- Core 1 -")));
    EXPECT_THAT(run("WARP_SCHEDULER", {"-trace_sampling_core", "-1"}).out, HasSubstr("- Core 1 -"));
    const std::string scores = run("SCOREBOARD").out;
    EXPECT_THAT(scores, HasSubstr("SCOREBOARD - Core 0 - warp 0 register 12 is reserved\n"));
    EXPECT_THAT(scores, HasSubstr("SCOREBOARD - Core 0 - warp 0 register 12 is released\n"));
    const std::string memory =
        run("MEMORY_PARTITION_UNIT,MEMORY_SUBPARTITION_UNIT,INTERCONNECT").out;
    EXPECT_THAT(memory, ContainsRegex("MEMORY_PARTITION_UNIT - 0 - DRAM cycle [0-9]+: activate"));
    EXPECT_THAT(memory,
                ContainsRegex("MEMORY_SUBPARTITION_UNIT - [0-9]+ - L2 access GLOBAL_ACC_R"));
    EXPECT_THAT(memory, ContainsRegex("INTERCONNECT - Core 0 - reply GLOBAL_ACC_R 0x"));
    const std::string life = run("LIVENESS").out;
    EXPECT_THAT(life, HasSubstr("LIVENESS - GPU - kernel 1 is launched\n"));
    EXPECT_THAT(life, HasSubstr("LIVENESS - GPU - kernel 1 has ended\n"));
    EXPECT_THAT(life, ContainsRegex("CTA \\(7,0,0\\) of kernel 1 begins in slot"));
}

TEST(TraceStreams, ChangeNoStatistic) {
    const outcome plain = simulate(on_tiny(sample("reduction")));
    const outcome output =
        simulate(on_tiny(sample("reduction"), {"-trace_enabled", "1", "-trace_components",
                                               "WARP_SCHEDULER,SCOREBOARD,MEMORY_PARTITION_UNIT,"
                                               "MEMORY_SUBPARTITION_UNIT,INTERCONNECT,LIVENESS"}));
    ASSERT_EQ(0, output.code) << output.err;
    std::istringstream in(output.report());
    std::string rest;
    for (std::string line; std::getline(in, line);)
        if (line.rfind("GPGPU-Sim Cycle ", 0) != 0) rest += line + "\n";
    EXPECT_EQ("", first_difference(plain.report(), rest));
}

TEST(TraceStreams, RejectUnknownComponentsAndOutputs) {
    const auto refused = [](std::vector<std::string> options) {
        const outcome o = simulate(on_tiny(sample("vecadd"), std::move(options)));
        EXPECT_EQ(2, o.code);
        return o.err;
    };
    EXPECT_THAT(refused({"-trace_enabled", "1", "-trace_components", "WARPS"}),
                HasSubstr("WARP_SCHEDULER, SCOREBOARD"));
    EXPECT_THAT(refused({"-trace_enabled", "1"}), HasSubstr("contains no component"));
    EXPECT_THAT(refused({"-trace_enabled", "1", "-trace_components", "LIVENESS",
                         "-trace_sampling_core", "7"}),
                HasSubstr("the GPU has 2"));
}

/// With a process that could write commands, and without one.
TEST_F(Debugger, EndsOnASignalWhileItWaitsForACommand) {
    const std::string fifo = folder_.path("fifo"), json = folder_.path("s.json");
    ASSERT_EQ(0, mkfifo(fifo.c_str(), 0600));
    const std::vector<std::string> commands = {"--debug", "--debug-commands", fifo};
    auto timed = commands, functional = commands;
    timed.insert(timed.end(), {"--preset", "TINY", "--stats-json", json});
    functional.insert(functional.end(), {"-gpgpu_ptx_sim_mode", "1"});
    for (const int signal : {SIGTERM, SIGINT}) {
        const outcome without = simulate(saxpy(functional), signal, 3);
        EXPECT_EQ(128 + signal, without.code) << without.err;
        EXPECT_THAT(without.out, HasSubstr("incomplete run: interrupted"));
        const int writer = ::open(fifo.c_str(), O_RDWR);
        const outcome with = simulate(saxpy(timed), signal, 3);
        ::close(writer);
        EXPECT_EQ(128 + signal, with.code) << with.err;
        EXPECT_EQ("interrupted", read_json(json)["ended"]);
    }
}

/// The sessions of docs/debugger.md: the commands shown after the prompt produce the output shown
/// below them.
TEST_F(Debugger, ReproducesTheSessionsOfItsPage) {
    std::istringstream page(read_file(SIMTLM_DOCS "/debugger.md"));
    unsigned sessions = 0;
    for (std::string line; std::getline(page, line);) {
        if (line.rfind("$ simtlm ", 0) != 0) continue;
        std::istringstream words(line.substr(9));
        std::vector<std::string> arguments;
        for (std::string w; words >> w;) {
            for (const char* const folder : {"traces/", "programs/"})
                if (w.rfind(folder, 0) == 0)
                    w = std::filesystem::path(SIMTLM_TRACES).parent_path().string() + "/" + w;
            arguments.push_back(w);
        }
        std::string text, commands;
        for (; std::getline(page, line) && line != "```";) {
            text += line + "\n";
            if (line.rfind("(simtlm) ", 0) == 0) commands += line.substr(9) + "\n";
        }
        arguments.insert(arguments.end(),
                         {"--debug-commands", folder_.write("commands", commands)});
        std::string said = simulate(arguments).out;
        const std::string root = std::filesystem::path(SIMTLM_TRACES).parent_path().string() + "/";
        for (auto at = said.find(root); at != std::string::npos; at = said.find(root))
            said.erase(at, root.size());
        said.erase(0, said.find("(simtlm) "));
        said.resize(std::min(said.size(), text.size()));
        EXPECT_EQ(text, said);
        ++sessions;
    }
    EXPECT_EQ(3u, sessions);
}

}  // namespace
}  // namespace simtlm::test

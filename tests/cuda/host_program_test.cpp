// SPDX-License-Identifier: Apache-2.0
// Results of CUDA program runs, observed from outside.
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

namespace simtlm::test {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string spin = SIMTLM_SPIN;

class HostProgram : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("LD_PRELOAD") == nullptr && std::string(SIMTLM_SANITIZER).empty()) return;
        GTEST_SKIP() << "a sanitizer's runtime has to come first in programs";
    }

    /// simtlm run OPTIONS --stats-file ... -- spin ARGUMENTS
    outcome run(std::vector<std::string> options, const std::vector<std::string>& arguments) const {
        std::vector<std::string> words = {"run", "--preset", "TINY", "--stats-file",
                                          folder.path("reports")};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", spin});
        words.insert(words.end(), arguments.begin(), arguments.end());
        return simulate(words);
    }

    scratch_folder folder;
};

TEST_F(HostProgram, WritesStatisticsFilesWithTheirOrigin) {
    const std::string json = folder.path("s.json"), csv = folder.path("s.csv");
    const std::string cells = folder.path("cells.csv");
    const outcome o =
        run({"--stats-json", json, "--stats-csv", csv, "--stats-csv-long", cells}, {"20"});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_EQ("spin: passed\n", o.out);
    const nlohmann::json s = read_json(json);
    EXPECT_EQ("finished", s["ended"]);
    ASSERT_EQ(2u, s["kernels"].size());
    EXPECT_EQ("spin", s["kernels"][0]["name"]);
    EXPECT_EQ(s["kernels"][0]["gpu_sim_insn"], s["kernels"][1]["gpu_sim_insn"]);
    EXPECT_EQ(2 * s["kernels"][0]["gpu_sim_insn"].get<int>(), s["total"]["gpu_tot_sim_insn"]);
    const nlohmann::json& from = s["provenance"];
    EXPECT_THAT(from["command_line"], Contains(json));
    EXPECT_EQ("20", from["command_line"].back());
    const nlohmann::json& program = from["inputs"].back();
    EXPECT_EQ("program", program["role"]);
    EXPECT_EQ(std::filesystem::canonical(spin).string(), program["path"]);
    EXPECT_EQ(32u, program["xxh128"].get<std::string>().size());
    EXPECT_THAT(read_file(csv), HasSubstr("\n\"spin\",2,"));
    EXPECT_THAT(read_file(cells), ::testing::ContainsRegex("\n2,\"spin\",[0-9]+,[0-9]+,sm,"));
}

TEST_F(HostProgram, HasTheSameStatisticsWithOneSystemCThreadPerBlock) {
    const auto statistics_with = [this](const char* processes) {
        const std::string json = folder.path(std::string(processes) + ".json");
        const outcome o = run({"--processes", processes, "--stats-json", json}, {"20"});
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_EQ("spin: passed\n", o.out);
        nlohmann::json s = read_json(json);
        return std::make_pair(s["kernels"], s["total"]);
    };
    const auto methods = statistics_with("module"), threads = statistics_with("block");
    EXPECT_GT(methods.second["gpu_tot_sim_cycle"].get<int>(), 1000);
    nlohmann::json a = methods.first, b = threads.first, ta = methods.second, tb = threads.second;
    for (nlohmann::json* all : {&a, &b, &ta, &tb})
        for (nlohmann::json& one : all->is_array() ? *all : (*all = nlohmann::json::array({*all})))
            for (const char* of_the_host : {"gpgpu_simulation_time", "gpgpu_simulation_rate",
                                            "gpgpu_silicon_slowdown", "gpu_total_sim_rate"})
                one.erase(of_the_host);
    EXPECT_EQ(a, b);
    EXPECT_EQ(ta, tb);
}

TEST_F(HostProgram, MeasuresSimulatedTimeByEventsOrOneNanosecondPerLaunchInFunctionalMode) {
    const auto nanoseconds = [this](std::vector<std::string> options, const std::string& loops) {
        const outcome o = run(std::move(options), {loops, "0", "events"});
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_THAT(o.out, EndsWith(" ns\nspin: passed\n"));
        return std::atof(o.out.c_str());
    };
    // Each of the two launches takes one nanosecond, whatever it executes.
    EXPECT_EQ(2, nanoseconds({"-gpgpu_ptx_sim_mode", "1"}, "5000"));
    const std::string json = folder.path("s.json");
    const double some = nanoseconds(
        {"--stats-json", json, "-gpgpu_clock_domains", "1000.0:1000.0:1000.0:1000.0"}, "500");
    // Cycles of 1 ns; only kernels take time.
    const double cycles = read_json(json)["total"]["gpu_tot_sim_cycle"].get<double>();
    EXPECT_GT(cycles, 1000);
    EXPECT_NEAR(some, cycles, cycles / 100);
    EXPECT_EQ(some, nanoseconds({"-gpgpu_clock_domains", "1000.0:1000.0:1000.0:1000.0"}, "500"));
}

TEST_F(HostProgram, WritesAWaveformAndATimeline) {
    const std::string vcd = folder.path("w.vcd"), timeline = folder.path("t.json");
    const outcome o = run({"--vcd", vcd, "--timeline", timeline}, {});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(read_file(vcd), HasSubstr("$enddefinitions"));
    EXPECT_THAT(read_json(timeline).dump(), HasSubstr("spin"));
}

TEST_F(HostProgram, ShowsCopiesEventsAndCallsOnTheTimelineInSimulatedTime) {
    const std::string timeline = folder.path("t.json");
    ASSERT_EQ(0, run({"--timeline", timeline, "--pcie-bandwidth", "12"}, {}).code);
    const nlohmann::json events = read_json(timeline);
    std::map<std::string, nlohmann::json> commands, calls, kernels;
    std::set<std::string> rows;
    for (const auto& e : events) {
        const std::string category = e.value("cat", "");
        if (category == "command") commands[e["name"]] = e;
        if (category == "call") calls[e["name"]] = e;
        if (category == "kernel") kernels[e["name"]] = e;
        if (e["name"] == "thread_name") rows.insert(e["args"]["name"].get<std::string>());
    }
    ASSERT_EQ(1u, commands.count("copy device to host")) << events.dump();
    const nlohmann::json& back = commands["copy device to host"];
    EXPECT_GT(back["args"]["bytes"].get<std::uint64_t>(), 0u);
    EXPECT_GT(back["dur"].get<double>(), 0);
    ASSERT_EQ(1u, calls.count("cuMemcpyHtoD")) << events.dump();
    // The call that waits for the copy returns at its end.
    ASSERT_EQ(1u, calls.count("cuMemcpyDtoH")) << events.dump();
    EXPECT_NEAR(
        back["ts"].get<double>() + back["dur"].get<double>(),
        calls["cuMemcpyDtoH"]["ts"].get<double>() + calls["cuMemcpyDtoH"]["dur"].get<double>(),
        1e-3);
    ASSERT_FALSE(kernels.empty());
    EXPECT_LE(kernels.begin()->second["ts"].get<double>(), back["ts"].get<double>());
    EXPECT_EQ(1u, rows.count("stream 0"));
    EXPECT_EQ(1u, rows.count("thread 0"));
}

TEST_F(HostProgram, NumbersTheFilesOfSeveralGpus) {
    const outcome o = run({"--gpus", "2", "--stats-json", folder.path("s.json")}, {});
    ASSERT_EQ(0, o.code) << o.err;
    for (const char* const file : {"s.gpu0.json", "s.gpu1.json"})
        EXPECT_EQ(2u, read_json(folder.path(file))["kernels"].size()) << file;
}

TEST_F(HostProgram, RecordsKernelsThatReplayInTheSameCycles) {
    for (const char* const form : {"binary", "text"}) {
        const std::string traces = folder.path(form), json = folder.path("s.json");
        ASSERT_EQ(
            0, run({"--record-trace", traces, "--record-form", form, "--stats-json", json}, {"30"})
                   .code);
        const std::string again = folder.path("again.json");
        const outcome o = simulate(
            {"--preset", "TINY", "-trace", traces + "/kernelslist.g", "--stats-json", again});
        ASSERT_EQ(0, o.code) << o.err;
        for (unsigned i = 0; i < 2; ++i)
            EXPECT_EQ(read_json(json)["kernels"][i]["gpu_sim_cycle"],
                      read_json(again)["kernels"][i]["gpu_sim_cycle"])
                << form << i;
    }
}

TEST_F(HostProgram, AccessesTexturesAndSurfacesExecutedAsPtxOrMachineCodeAndReplayed) {
    for (const std::string core : {"classic", "modern"})
        for (const std::string code : {"references.ptx", "references.sm_70.cubin"}) {
            SCOPED_TRACE(core + " " + code);
            const std::string traces = folder.path(core + code);
            outcome executed =
                simulate({"run", "--preset", "QV100/accel-sim", "--core", core, "--code", "auto",
                          "--stats-file", folder.path("reports"), "--record-trace", traces, "--",
                          SIMTLM_REFERENCES, std::string(SIMTLM_REFERENCES_CODE) + "/" + code});
            ASSERT_EQ(0, executed.code) << executed.err;
            executed.out = read_file(folder.path("reports"));
            EXPECT_EQ("32", executed.values()["gpgpu_n_tex_insn"]);
            // A warp reads 128 bytes: one line of the texture cache, four sectors of the surface,
            // and writes four sectors of the surface and of the result.
            EXPECT_EQ("1", executed.values()["L1T_total_cache_accesses"]);
            EXPECT_EQ("12", executed.values()["L1D_total_cache_accesses"]);
            const outcome replayed = simulate({"--preset", "QV100/accel-sim", "--core", core,
                                               "-trace", traces + "/kernelslist.g"});
            ASSERT_EQ(0, replayed.code) << replayed.err;
            for (const char* const name :
                 {"gpu_sim_cycle", "L1T_total_cache_accesses", "L1D_total_cache_accesses"})
                EXPECT_EQ(executed.values()[name], replayed.values()[name]) << name;
        }
}

TEST_F(HostProgram, AccessesAllTexelsOfAFilterExecutedAsPtxOrMachineCodeAndReplayed) {
    for (const std::string core : {"classic", "modern"})
        for (const std::string code : {"textures.ptx", "textures.sm_75.cubin"})
            for (const bool quirk : {false, true}) {
                SCOPED_TRACE(core + " " + code);
                const std::string traces = folder.path(core + code + (quirk ? "1" : "0"));
                std::vector<std::string> gpu = {"--preset", "RTX2060/accel-sim", "--core", core};
                if (quirk) gpu.insert(gpu.end(), {"--quirk", "fetch-reads-one-texel"});
                std::vector<std::string> words = {"run"};
                words.insert(words.end(), gpu.begin(), gpu.end());
                words.insert(words.end(), {"--code", "auto", "--stats-file", folder.path("reports"),
                                           "--record-trace", traces, "--record-form",
                                           quirk ? "binary" : "text", "--", SIMTLM_TEXTURES,
                                           std::string(SIMTLM_TEXTURES_CODE) + "/" + code});
                outcome executed = simulate(words);
                ASSERT_EQ(0, executed.code) << executed.err;
                executed.out = read_file(folder.path("reports"));
                // Lines of 33 rows: every lane reads two of them.
                EXPECT_EQ(quirk ? "32" : "33", executed.values()["L1T_total_cache_accesses"]);
                words = gpu;
                words.insert(words.end(), {"-trace", traces + "/kernelslist.g"});
                const outcome replayed = simulate(words);
                ASSERT_EQ(0, replayed.code) << replayed.err;
                for (const char* const name : {"gpu_sim_cycle", "L1T_total_cache_accesses"})
                    EXPECT_EQ(executed.values()[name], replayed.values()[name]) << name;
            }
}

/// Runs the program that loads references.ptx, with a script as its ptxas.
class HostProgramWithPtxas : public HostProgram {
protected:
    /// @param compile  what the script does with $2, the PTX, and $4, the file for the machine code
    std::string script(const std::string& compile) const {
        const std::string file = folder.write(
            "ptxas",
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'release 1.2, V1.2.3'; exit; fi\n"
            "echo \"$1\" >>" +
                folder.path("calls") + "\n" + compile + "\n");
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return file;
    }
    /// @return the beginning of the report; the complete one is in the folder
    std::string report_of(const std::string& ptxas, const std::string& code, bool is_timed,
                          const std::string& preset = "QV100") const {
        std::vector<std::string> words = {
            "run", "--preset", preset, "--ptxas", ptxas, "--stats-file", folder.path("reports")};
        if (is_timed)
            words.insert(words.end(), {"--stats-json", folder.path("s.json")});
        else
            words.insert(words.end(), {"-gpgpu_ptx_sim_mode", "1"});
        words.insert(words.end(),
                     {"--", SIMTLM_REFERENCES, std::string(SIMTLM_REFERENCES_CODE) + "/" + code});
        const outcome o = simulate_from_shell("CUDA_CACHE_PATH=" + folder.path("cache"), words, "");
        EXPECT_EQ(0, o.code) << o.err;
        return read_file(folder.path("reports")).substr(0, 1000);
    }
    std::string cycles() const {
        outcome o;
        o.out = read_file(folder.path("reports"));
        return o.values()["gpu_tot_sim_cycle"];
    }

    const std::string machine_code =
        std::string(SIMTLM_REFERENCES_CODE) + "/references.sm_70.cubin";
};

TEST_F(HostProgramWithPtxas, ExecutesTheMachineCodeOfPtxThatIsCompiledOnce) {
    report_of("off", "references.sm_70.cubin", true);
    const std::string expected = cycles(), ptxas = script("cat " + machine_code + " >$4");
    for (int time = 0; time < 2; ++time) {
        EXPECT_THAT(
            report_of(ptxas, "references.ptx", true),
            HasSubstr("PTX is compiled for sm_70 by " + ptxas + " (1.2.3), as by a driver"));
        EXPECT_EQ(expected, cycles());
        EXPECT_EQ("-arch=sm_70\n", read_file(folder.path("calls")));
        EXPECT_EQ(ptxas, read_json(folder.path("s.json"))["provenance"]["inputs"].back()["path"]);
    }
    EXPECT_THAT(report_of("off", "references.ptx", true), Not(HasSubstr("PTX is compiled")));
    EXPECT_NE(expected, cycles());
}

TEST_F(HostProgramWithPtxas, CompilesPtxOfANewerVersionAsOneThatTheCompilerHas) {
    const std::string ptxas = script("if grep -q '^.version 7.7' $2; then cat " + machine_code +
                                     " >$4; else echo \"Unsupported .version 7.8; current version "
                                     "is '7.7'\" >&2; exit 1; fi");
    EXPECT_THAT(report_of(ptxas, "references.ptx", false), HasSubstr("PTX is compiled for sm_70"));
}

TEST_F(HostProgramWithPtxas, ExecutesPtxThatCannotBeCompiledAndSaysWhy) {
    const std::string ptxas = script("echo 'ptxas fatal   : no such luck' >&2; exit 1");
    EXPECT_THAT(report_of(ptxas, "references.ptx", false),
                HasSubstr("is executed as it is, because ptxas cannot compile it: " + ptxas +
                          ": fatal   : no such luck\n"));
}

TEST_F(HostProgramWithPtxas, ComputesTheSameInCodeOfTheToolkitsCompiler) {
    ::unsetenv("SIMTLM_PTXAS");
    if (report_of("auto", "references.ptx", false, "RTX2060").find("PTX is compiled") ==
        std::string::npos)
        GTEST_SKIP() << "there is no ptxas for this GPU";
}

TEST_F(HostProgramWithPtxas, RefusesAFileThatCannotBeExecuted) {
    const outcome o = run({"--ptxas", "/nowhere/ptxas"}, {});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("--ptxas: /nowhere/ptxas is no file that can be executed"));
}

TEST_F(HostProgram, WritesStatisticsWhenASignalEndsIt) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const std::string json = folder.path("s.json");
        const outcome o = run({"--stats-json", json}, {"100000000", std::to_string(signal)});
        EXPECT_EQ(-signal, o.code) << o.err;
        const std::string name = std::string("SIG") + sigabbrev_np(signal);
        EXPECT_THAT(read_file(folder.path("reports")),
                    EndsWith("simtlm: *** incomplete run: interrupted by " + name + " ***\n"));
        const nlohmann::json s = read_json(json);
        EXPECT_EQ("interrupted", s["ended"]);
        ASSERT_EQ(1u, s["kernels"].size());
        EXPECT_FALSE(s["kernels"][0]["finished"].get<bool>());
        EXPECT_GT(s["kernels"][0]["gpu_sim_cycle"], 1000);
    }
}

TEST_F(HostProgram, WritesStatisticsToStdoutAsGpgpuSimWhenASignalEndsIt) {
    folder.write("gpgpusim.config",
                 "-config " + std::string(SIMTLM_CONFIGS) + "/TINY/gpgpusim.config\n");
    const outcome o =
        simulate_from_shell("cd '" + folder.path("") + "'; export LD_LIBRARY_PATH='" +
                                SIMTLM_LIBRARIES + "'; exec '" + spin + "' 100000000 2; ",
                            {}, "");
    EXPECT_EQ(-SIGINT, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("gpu_sim_cycle = "));
    EXPECT_THAT(o.out, EndsWith("simtlm: *** incomplete run: interrupted by SIGINT ***\n"));
    EXPECT_THAT(o.out, Not(HasSubstr("exit detected")));
}

TEST_F(HostProgram, TreatsTwoSignalsInQuickSuccessionAsOne) {
    const std::string json = folder.path("s.json");
    const outcome o = run({"--stats-json", json}, {"100000000", "15", "twice"});
    EXPECT_EQ(-SIGTERM, o.code) << o.err;
    EXPECT_EQ("interrupted", read_json(json)["ended"]);
    EXPECT_THAT(o.err, HasSubstr("interrupted by SIGTERM"));
}

TEST_F(HostProgram, ReportsAnAbortedKernelByItsExitCode) {
    const outcome o = run({"-gpgpu_max_cycle", "1000"}, {"100000", "0", "careless"});
    EXPECT_EQ(6, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("spin: passed")) << "which the program cannot know better";
    EXPECT_THAT(o.err, HasSubstr("--keep-exit-code"));
    EXPECT_EQ(
        0, run({"-gpgpu_max_cycle", "1000", "--keep-exit-code"}, {"100000", "0", "careless"}).code);
    EXPECT_EQ(1, run({"-gpgpu_max_cycle", "1000"}, {"100000"}).code) << "the program's own";
}

TEST_F(HostProgram, ReportsLostResultsByItsExitCode) {
    if (std::filesystem::exists("/dev/full")) {
        EXPECT_EQ(1, run({"--stats-json", "/dev/full"}, {}).code);
    }
    const outcome o =
        simulate_from_shell("ulimit -f 8;",
                            {"run", "--preset", "TINY", "--stats-file", folder.path("reports"),
                             "--stats-json", folder.path("s.json"), "--", spin},
                            "");
    EXPECT_EQ(1, o.code) << o.err;
    EXPECT_EQ("spin: passed\n", o.out) << "the program is not ended by SIGXFSZ";
    EXPECT_THAT(o.err, HasSubstr("s.json"));
}

TEST_F(HostProgram, PrintsNoReportWithoutAKernel) {
    const outcome o = run({}, {"10", "0", "idle"});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_THAT(read_file(folder.path("reports")), Not(HasSubstr("exit detected")));
}

TEST_F(HostProgram, PrintsNothingOnStderrWithoutAnError) {
    EXPECT_EQ("", run({"-gpgpu_ptx_use_cuobjdump", "1"}, {}).err);
    EXPECT_THAT(read_file(folder.path("reports")), HasSubstr("simtlm: note: "));
    EXPECT_THAT(run({"--summary"}, {}).err, HasSubstr("2 kernels"));
}

TEST_F(HostProgram, DoesNotInterceptSignalsThatTheProgramHandles) {
    const outcome o = simulate_from_shell(
        "", {"run", "--preset", "TINY", "--", "/bin/sh", "-c", "kill -PIPE $$"}, "");
    EXPECT_EQ(-SIGPIPE, o.code) << o.err;
}

TEST_F(HostProgram, DoesNotSearchTheCurrentFolderForLibraries) {
    for (const char* before : {"", "/nowhere::/elsewhere:"}) {
        const outcome o = simulate_from_shell(
            "export LD_LIBRARY_PATH='" + std::string(before) + "';",
            {"run", "--preset", "TINY", "--", "/usr/bin/printenv", "LD_LIBRARY_PATH"}, "");
        EXPECT_EQ(0, o.code) << o.err;
        EXPECT_THAT(":" + o.out.substr(0, o.out.find('\n')) + ":", Not(HasSubstr("::")));
    }
}

TEST_F(HostProgram, PassesEveryOptionValueUnchanged) {
    const std::string odd = folder.path("a\n--gpus\n2\\n.json");
    const outcome o = run({"--stats-json", odd}, {});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_EQ("finished", read_json(odd)["ended"]);
}

TEST_F(HostProgram, CannotBeALinkToItselfOrANameThatIsTooLong) {
    ASSERT_EQ(0, symlink("y", folder.path("x").c_str()));
    ASSERT_EQ(0, symlink("x", folder.path("y").c_str()));
    for (const std::string& program : {folder.path("x"), std::string(300, 'n')}) {
        const outcome o = simulate({"run", "--preset", "TINY", "--", program});
        EXPECT_EQ(2, o.code) << o.err;
        EXPECT_THAT(o.error_lines(), ::testing::SizeIs(1)) << o.err;
        EXPECT_THAT(o.err, HasSubstr(program + ": cannot be started"));
    }
}

TEST_F(HostProgram, FailsWhereTheLibraryRejectsAnOption) {
    // A library of a different build gets an option that it does not know.
    const outcome o =
        simulate({"run", "--preset", "TINY", "--stats-file", folder.path("reports"), "--", "env",
                  "SIMTLM_OPTIONS=--no-such-option\n", "SIMTLM_BUILD=another", spin});
    EXPECT_EQ(2, o.code);
    EXPECT_EQ("", o.out);
    EXPECT_THAT(o.err, HasSubstr("--no-such-option"));
    EXPECT_THAT(o.err, HasSubstr("simtlm is of build another"));
    EXPECT_EQ(1, std::count(o.err.begin(), o.err.end(), '\n')) << o.err;
}

TEST_F(HostProgram, RunsFromAFolderWithABlankInItsName) {
    const std::filesystem::path installed = folder.path("with blank");
    std::filesystem::create_directories(installed / "bin");
    std::filesystem::create_directory_symlink(
        std::filesystem::path(SIMTLM_EXECUTABLE).parent_path().parent_path() / "lib",
        installed / "lib");
    std::filesystem::copy_file(SIMTLM_EXECUTABLE, installed / "bin" / "simtlm");
    const outcome o = simulate_from_shell("exec '" + (installed / "bin" / "simtlm").string() +
                                              "' run --preset TINY --stats-file '" +
                                              folder.path("reports") + "' -- '" + spin + "'; ",
                                          {}, "");
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ("spin: passed\n", o.out);
    EXPECT_EQ("", o.err);
    EXPECT_THAT(read_file(folder.path("reports")), HasSubstr("kernel_name = spin"));
}

TEST_F(HostProgram, SimulatesTheSelectedKernelsAndExecutesTheOthersFunctionally) {
    const std::string json = folder.path("s.json");
    const outcome o = run({"--kernels", "2", "--stats-json", json}, {"20"});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_EQ("spin: passed\n", o.out) << "the first has done its work, too";
    const nlohmann::json s = read_json(json);
    ASSERT_EQ(1u, s["kernels"].size());
    EXPECT_EQ(2, s["kernels"][0]["list_number"]);
}

TEST_F(HostProgram, ProjectsItsCyclesFromAFewOfItsLaunches) {
    const std::vector<std::string> program = {"60", "0", "repeat"};
    const std::string whole = folder.path("whole.json"), p = folder.path("p.json");
    ASSERT_EQ(0, run({"--stats-json", whole}, program).code);
    const outcome o = run({"--sample", "--sample-json", p, "--summary"}, program);
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_EQ("spin: passed\n", o.out) << "all launches have been executed";
    const double cycles = read_json(whole)["total"]["gpu_tot_sim_cycle"];
    const nlohmann::json j = read_json(p);
    ASSERT_EQ(40u, j["kernels"].size());
    // 1, 2, 5, 10 and 21; every other launch has twice the instructions.
    EXPECT_EQ(5, j["sampled_kernels"].get<int>());
    const double projected = j["projected_tot_sim_cycle"];
    EXPECT_NEAR(cycles, projected, 0.03 * cycles);
    EXPECT_NEAR(cycles, projected, j["projected_error_bound"].get<double>() + 0.001 * cycles);
    const double one = j["kernels"][6]["cycles"], other = j["kernels"][5]["cycles"];
    EXPECT_NEAR(read_json(whole)["kernels"][6]["gpu_sim_cycle"].get<double>(), one, 0.03 * one);
    EXPECT_NEAR(read_json(whole)["kernels"][5]["gpu_sim_cycle"].get<double>(), other, 0.03 * other);
    EXPECT_THAT(o.err, HasSubstr("5 of 40 kernels were simulated; projected: "));
    EXPECT_THAT(read_file(folder.path("reports")), HasSubstr("projected_tot_sim_cycle = "));
}

TEST_F(HostProgram, ExecutesThreadBlocksThatAreNotSimulated) {
    const std::vector<std::string> program = {"60", "0", "many"};
    const std::string whole = folder.path("whole.json"), p = folder.path("p.json");
    ASSERT_EQ(0, run({"--stats-json", whole}, program).code);
    const outcome o = run({"--sample-stable", "--sample-json", p}, program);
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_EQ("spin: passed\n", o.out);
    const double cycles = read_json(whole)["total"]["gpu_tot_sim_cycle"];
    const nlohmann::json j = read_json(p);
    EXPECT_EQ(2, j["sampled_kernels_stopped"].get<int>());
    EXPECT_LT(j["sampled_sim_cycle"].get<double>(), 0.5 * cycles);
    EXPECT_NEAR(cycles, j["projected_tot_sim_cycle"].get<double>(), 0.03 * cycles);
}

TEST_F(HostProgram, DoesNotExecuteLargeLaunchesThatRepeatEarlierOnesIfAskedNotTo) {
    const std::vector<std::string> program = {"60", "0", "repeat"};
    const std::string whole = folder.path("whole.json"), p = folder.path("p.json");
    ASSERT_EQ(0, run({"--stats-json", whole}, program).code);
    // A launch of 60 loops executes about 1,500 warp instructions, one of 120 twice as many.
    const auto projection = [&](const char* least) {
        const outcome o =
            run({"--sample", "--sample-first", "2", "--sample-skip", least, "--sample-json", p},
                program);
        EXPECT_EQ(o.code, std::string(least) == "1000000" ? 0 : 1) << "the program checks its sums";
        return read_json(p);
    };
    const double cycles = read_json(whole)["total"]["gpu_tot_sim_cycle"];
    const nlohmann::json all = projection("1");
    EXPECT_EQ(2, all["sampled_kernels"].get<int>()) << "one for each number of loops";
    EXPECT_NEAR(cycles, all["projected_tot_sim_cycle"].get<double>(), 0.08 * cycles)
        << "the first launches find cold caches";
    EXPECT_THAT(read_file(folder.path("reports")), HasSubstr("skipped_kernels = 38\n"));
    run({"--sample", "--sample-skip", "1", "--sample-from", "21", "--sample-json", p}, program);
    const nlohmann::json half = read_json(p);
    EXPECT_EQ("omitted", half["kernels"][19]["how"]);
    EXPECT_EQ("simulated", half["kernels"][20]["how"]);
    EXPECT_NEAR(0.5 * cycles, half["projected_tot_sim_cycle"].get<double>(), 0.08 * cycles);
    const nlohmann::json none = projection("1000000");
    EXPECT_EQ(4, none["sampled_kernels"].get<int>());
    EXPECT_THAT(read_file(folder.path("reports")), Not(HasSubstr("skipped_kernels")));
}

TEST_F(HostProgram, DoesNotExecuteThreadBlocksThatAreNotSimulatedIfAskedNotTo) {
    const std::vector<std::string> program = {"60", "0", "many"};
    const std::string whole = folder.path("whole.json"), p = folder.path("p.json");
    ASSERT_EQ(0, run({"--stats-json", whole}, program).code);
    const outcome o =
        run({"--sample", "--sample-stable", "--sample-skip", "1000", "--sample-json", p}, program);
    EXPECT_EQ(1, o.code) << "the program checks its sums";
    const double cycles = read_json(whole)["total"]["gpu_tot_sim_cycle"];
    EXPECT_NEAR(cycles, read_json(p)["projected_tot_sim_cycle"].get<double>(), 0.03 * cycles);
}

TEST_F(HostProgram, EndsAKernelWithinItsThreadBlocksIfItsValuesAreNotNeeded) {
    const std::vector<std::string> program = {"10000", "0", "careless"};  // two thread blocks
    const std::string whole = folder.path("whole.json"), p = folder.path("p.json");
    ASSERT_EQ(0, run({"--stats-json", whole}, program).code);
    const outcome o =
        run({"--sample", "--sample-stable", "--sample-skip", "1000", "--sample-json", p}, program);
    EXPECT_EQ(0, o.code) << o.err;
    const double cycles = read_json(whole)["total"]["gpu_tot_sim_cycle"];
    const nlohmann::json projection = read_json(p);
    EXPECT_EQ(2, projection["sampled_kernels_stopped"].get<int>()) << "the first two launches";
    EXPECT_LT(projection["sampled_sim_cycle"].get<double>(), 0.3 * cycles);
    EXPECT_NEAR(cycles, projection["projected_tot_sim_cycle"].get<double>(), 0.02 * cycles);
}

TEST_F(HostProgram, RejectsSamplingThatNeedsFutureLaunches) {
    const std::vector<std::vector<std::string>> refused = {
        {"--sample-stable", "--kernels", "1"}, {"--sample-stable", "-gpgpu_ptx_sim_mode", "1"},
        {"--sample", "--kernels", "1"},        {"--sample", "--sample-budget", "0.5"},
        {"--sample", "--gpus", "2"},           {"--sample", "-gpgpu_ptx_sim_mode", "1"}};
    for (const auto& options : refused) {
        const outcome o = run(options, {});
        EXPECT_EQ(2, o.code) << options.back();
        EXPECT_EQ(1u, o.error_lines().size()) << o.err;
    }
}

TEST_F(HostProgram, IsSplitIntoShardsByASweep) {
    const std::string spec =
        folder.write("s.yaml", "workloads: [{cuda: " + spin +
                                   ", arguments: [20]}]\npresets: [TINY]\nshards: 2\n");
    const outcome o = tool("simtlm-sweep", {spec});
    ASSERT_EQ(0, o.code) << o.err;
    std::filesystem::path of_run;
    for (const auto& e : std::filesystem::directory_iterator(folder.path("s.results/runs")))
        of_run = e.path();
    const nlohmann::json m = read_json(of_run / "statistics.json");
    ASSERT_EQ(2u, m["kernels"].size());
    EXPECT_EQ(2u, m["merged"]["runs"].size());
    EXPECT_EQ(m["kernels"][0]["gpu_sim_insn"], m["kernels"][1]["gpu_sim_insn"]);
    EXPECT_TRUE(std::filesystem::exists(of_run / "kernels-2-2" / "reports"));
}

// ---- the debugger ----------------------------------------------------------------------------

class DebuggedProgram : public HostProgram {
protected:
    void SetUp() override {
        HostProgram::SetUp();
        // As generated by nvcc -lineinfo: lines of a CUDA file.
        setenv("SPIN_PTX",
               folder
                   .write("spin.ptx", R"(.version 6.3
.target sm_70
.address_size 64
.file 1 "/home/somebody/spin.cu"
.global .align 4 .u32 seen = 77;
.visible .entry spin(.param .u64 sums, .param .u32 loops, .param .u64 progress) {
    .reg .u32 %r<9>;
    .reg .u64 %d<5>;
    .reg .pred %p;
    .loc 1 4 0
    ld.param.u64 %d1, [sums];
    ld.param.u32 %r1, [loops];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ctaid.x;
    mad.lo.u32 %r2, %r3, %r4, %r2;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d3, %d1, %d2;
    .loc 1 5 0
    ld.global.u32 %r5, [%d3];
    mov.u32 %r6, 0;
AGAIN:
    .loc 1 7 0
    add.u32 %r5, %r5, %r6;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p, %r6, %r1;
    @%p bra AGAIN;
    .loc 1 9 0
    st.global.u32 [%d3], %r5;
    ret;
}
)")
                   .c_str(),
               1);
    }
    void TearDown() override { unsetenv("SPIN_PTX"); }

    outcome debug(const std::string& commands, std::vector<std::string> more = {}) const {
        more.insert(more.end(),
                    {"--debug", "--debug-commands", folder.write("commands", commands)});
        return run(more, {"10"});
    }
};

TEST_F(DebuggedProgram, StopsAtKernelsLinesOfCudaWarpsAndAccesses) {
    const outcome o = debug(
        "tb kernel spin\nc\ni k\n"
        "tb spin.cu:7 if %r6 == 3\nc\np %r6\nl 1\ndm seen 4\n"
        "tb warp 0:1\nc\ns\ndp 0\n"
        "tb op st.global\nc\np %r5\n");
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_EQ("spin: passed\n", o.out) << "the debugger keeps out of the program's output";
    EXPECT_THAT(o.err, HasSubstr("kernel 1 (spin): grid (2,1,1), block (64,1,1)"));
    EXPECT_THAT(o.err, HasSubstr("spin.cu:7)"));
    EXPECT_THAT(o.err, HasSubstr("(simtlm) p %r6\n0x00000003"));
    EXPECT_THAT(o.err, HasSubstr("=> "));
    EXPECT_THAT(o.err, HasSubstr("(simtlm) dm seen 4\n0x"));
    EXPECT_THAT(o.err, HasSubstr(": 0000004d\n"));
    EXPECT_THAT(o.err, HasSubstr("SM 0 warp 1, kernel 1 (spin)"));
    EXPECT_THAT(o.err, HasSubstr("sm0: "));
    EXPECT_THAT(o.err, HasSubstr("st.global.u32 [%d3], %r5"));
}

TEST_F(DebuggedProgram, HasTheStatisticsOfARunWithoutTheDebugger) {
    const std::string plain = folder.path("plain.json"), debugged = folder.path("debugged.json");
    ASSERT_EQ(0, run({"--stats-json", plain}, {"10"}).code);
    ASSERT_EQ(0, debug("w %r5 0:0\nc\nd\ns 100\nc\n", {"--stats-json", debugged}).code);
    EXPECT_EQ(read_json(plain)["kernels"], read_json(debugged)["kernels"]);
}

TEST_F(DebuggedProgram, IsSteppedInFunctionalMode) {
    const outcome o = debug("b spin.cu:9\nc\np %r5\ns\ni k\nd\nc\n", {"-gpgpu_ptx_sim_mode", "1"});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_EQ("spin: passed\n", o.out);
    EXPECT_THAT(o.err, HasSubstr("spin.cu:9)"));
    EXPECT_THAT(o.err, HasSubstr("(simtlm) p %r5\n0x0000002d"));
    EXPECT_THAT(o.err, HasSubstr("kernel 1 (spin)"));
}

TEST_F(DebuggedProgram, WritesPartialStatisticsWhenTheUserQuits) {
    const std::string json = folder.path("s.json");
    const outcome o = debug("b kernel 2\nc\nq\n", {"--stats-json", json});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ("", o.out) << "the program has not come to its end";
    EXPECT_EQ("interrupted", read_json(json)["ended"]);
    EXPECT_GE(read_json(json)["kernels"].size(), 1u);
}

TEST_F(DebuggedProgram, IsEnabledByTheEnvironmentAndDebugsOneGpu) {
    setenv("GPGPUSIM_DEBUG", "1", 1);
    const outcome o = run({"--debug-commands", folder.write("commands", "b kernel spin\nc\n")}, {});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.err, HasSubstr("breakpoint 1, kernel 1 (spin)"));
    const outcome two = run({"--debug-commands", folder.path("commands"), "--gpus", "2"}, {});
    unsetenv("GPGPUSIM_DEBUG");
    EXPECT_EQ(2, two.code);
    EXPECT_THAT(two.err, HasSubstr("supports only one GPU"));
    const outcome none = run({"--debug", "--debug-commands", folder.path("none")}, {});
    EXPECT_EQ(2, none.code);
    EXPECT_EQ(1u, none.error_lines().size()) << none.err;
}

TEST_F(DebuggedProgram, PrintsTraceStreamsOnStdout) {
    const outcome o =
        run({"-trace_enabled", "1", "-trace_components", "WARP_SCHEDULER,LIVENESS"}, {});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("WARP_SCHEDULER - Core 0 - "));
    EXPECT_THAT(o.out, HasSubstr("spin: passed"));
}

TEST_F(HostProgram, CountsInstructionsByClassInFunctionalMode) {
    ASSERT_EQ(
        0, run({"-gpgpu_ptx_sim_mode", "1", "-gpgpu_ptx_instruction_classification", "1"}, {"20"})
               .code);
    EXPECT_THAT(read_file(folder.path("reports")), HasSubstr("integer"));
    EXPECT_EQ(2, run({"-gpgpu_ptx_instruction_classification", "1"}, {"20"}).code)
        << "refused where it has no effect";
}

TEST_F(HostProgram, NeverOverwritesAnInputOrAReadOnlyFileWithItsReports) {
    const auto with = [&](const std::string& file, std::vector<std::string> more = {}) {
        std::vector<std::string> words = {"run", "--preset", "TINY", "--stats-file", file};
        words.insert(words.end(), more.begin(), more.end());
        words.insert(words.end(), {"--", spin});
        const outcome o = simulate(words);
        EXPECT_EQ("", o.out);
        return o.code;
    };
    const std::string kept = folder.write("kept", "precious");
    std::filesystem::permissions(kept, std::filesystem::perms::owner_read);
    std::filesystem::create_symlink(spin, folder.path("link"));
    EXPECT_EQ(2, with(kept));
    EXPECT_EQ(2, with(spin));
    EXPECT_EQ(2, with(folder.path("link")));
    EXPECT_EQ(2, with(""));
    EXPECT_EQ(2, with(folder.path("same"), {"--stats-json", folder.path("same")}));
    folder.write("s.gpu1.json", "precious");
    std::filesystem::permissions(folder.path("s.gpu1.json"), std::filesystem::perms::owner_read);
    EXPECT_EQ(2, with(folder.path("r"), {"--gpus", "2", "--stats-json", folder.path("s.json")}));
    EXPECT_EQ("precious", read_file(kept));
}

TEST_F(HostProgram, RejectsFilesThatItCannotWriteBeforeTheRun) {
    const outcome o = run({"--stats-json", folder.path("none/s.json")}, {});
    EXPECT_EQ(2, o.code);
    EXPECT_EQ("", o.out);
    EXPECT_THAT(o.err, HasSubstr("none"));
    EXPECT_EQ(2, run({"--stats-json", spin}, {}).code);
    EXPECT_EQ(2, run({"--stats-json", folder.path("s"), "-gpgpu_ptx_sim_mode", "1"}, {}).code);
}

/// The kernel of spin, with a race at a line of its source.
const char* const racing = R"(.version 7.0
.target sm_70
.address_size 64
.file 1 "race.cu"
.visible .entry spin(.param .u64 sums, .param .u32 loops) {
    .shared .align 4 .b8 tile[512];
    .reg .u32 %r<9>;
    .reg .u64 %d<4>;
    .reg .pred %p;
    mov.u32 %r1, %tid.x;
    shl.b32 %r1, %r1, 2;
    mov.u32 %r2, tile;
    add.u32 %r3, %r2, %r1;
    .loc 1 4 0
    st.shared.u32 [%r3], %r1;
    xor.b32 %r1, %r1, 128;
    add.u32 %r3, %r2, %r1;
    .loc 1 5 0
    ld.shared.u32 %r4, [%r3];
    .loc 1 7 0
    ld.param.u64 %d1, [sums];
    ld.param.u32 %r1, [loops];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ctaid.x;
    mad.lo.u32 %r2, %r3, %r4, %r2;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r5, [%d3];
    sub.u32 %r6, %r1, 1;
    mad.lo.u32 %r7, %r1, %r6, 0;
    shr.u32 %r7, %r7, 1;
    add.u32 %r5, %r5, %r7;
    st.global.u32 [%d3], %r5;
    ret;
}
)";

TEST_F(HostProgram, IsCheckedInTimingAndFunctionalMode) {
    const std::string code = folder.write("race.ptx", racing);
    for (const char* const mode : {"0", "1"}) {
        const std::vector<std::string> how = {"-gpgpu_ptx_sim_mode", mode};
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), how.begin(), how.end());
            return more;
        };
        ::setenv("SPIN_PTX", code.c_str(), 1);
        const outcome racy = run(with({"--check", "all"}), {"20"});
        EXPECT_EQ(5, racy.code) << racy.err;
        EXPECT_THAT(racy.err, HasSubstr("simtlm: check: "));
        EXPECT_THAT(racy.err, HasSubstr("race.cu:5"));
        EXPECT_EQ(0, run(with({"--check", "all", "--keep-exit-code"}), {"20"}).code);
        ::unsetenv("SPIN_PTX");
        const outcome clean = run(with({"--check", "all"}), {"20"});
        EXPECT_EQ(0, clean.code) << clean.err;
        EXPECT_THAT(clean.err, HasSubstr("checks have no findings"));
    }
    EXPECT_EQ(2, run({"--check", "leaks"}, {"20"}).code);
}

TEST_F(HostProgram, EndsOnADeadlockOfAKernel) {
    const std::string code = folder.write("polls.ptx", R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 sums, .param .u32 loops, .param .u64 progress) {
    .reg .u32 %r1;
    .reg .u64 %d1;
    .reg .pred %p;
    ld.param.u64 %d1, [progress];
AGAIN:
    ld.volatile.global.u32 %r1, [%d1];
    setp.eq.u32 %p, %r1, 0;
    @%p bra AGAIN;
    ret;
}
)");
    ::setenv("SPIN_PTX", code.c_str(), 1);
    const outcome o = run({}, {"20", "0", "careless"});
    ::unsetenv("SPIN_PTX");
    EXPECT_EQ(6, o.code) << o.err;
    EXPECT_THAT(o.err, HasSubstr("10: kernel spin, block (0,0,0), thread (0,0,0): waits for ever"));
}

TEST_F(HostProgram, ReportsTheOriginOfAnOptionThatABlockRejects) {
    const std::string file = folder.write("a.config", "\n-icnt_in_buffer_limit 1\n");
    const outcome o = run({"-config", file}, {"20"});
    EXPECT_NE(0, o.code);
    EXPECT_THAT(o.err, HasSubstr("a.config:2: -icnt_in_buffer_limit 1: cannot hold"));
}

TEST_F(HostProgram, PrintsItsInstructionsAtTheDocumentedLevel) {
    const std::string log = folder.path("instructions");
    ASSERT_EQ(0, run({"-gpgpu_ptx_inst_debug_to_file", "1", "-gpgpu_ptx_inst_debug_file", log,
                      "-gpgpu_ptx_inst_debug_thread_uid", "1"},
                     {"3"})
                     .code);
    EXPECT_THAT(read_file(log), HasSubstr("setp.lt.u32"));
    ::setenv("PTX_SIM_DEBUG", "3", 1);
    const outcome levels = run({}, {"3"});
    ::unsetenv("PTX_SIM_DEBUG");
    EXPECT_EQ(0, levels.code);
    EXPECT_THAT(levels.out, HasSubstr("copy of 512 bytes to 0x"));
    EXPECT_EQ(
        2,
        run({"-gpgpu_ptx_inst_debug_to_file", "1", "-gpgpu_ptx_inst_debug_file", spin}, {"3"}).code)
        << "it is an input";
}

}  // namespace
}  // namespace simtlm::test

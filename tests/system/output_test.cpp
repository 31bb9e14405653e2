// SPDX-License-Identifier: Apache-2.0
// Outputs do not overwrite inputs or each other, and a write error is reported and has an exit
// code.
#include "tests/system/simulator.h"
#include "tests/system/small_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <future>

namespace simtlm::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Output : public testing::Test {
protected:
    /// Every option that names an output file, preceded by the option that enables it.
    static std::vector<std::vector<std::string>> every_option(const std::string& file) {
        return {{"--stats-json", file},
                {"--stats-csv", file},
                {"--stats-csv-long", file},
                {"--vcd", file},
                {"--timeline", file},
                {"--interval-csv", file},
                {"--checkpoint-at", "1", "--checkpoint", file},
                {"-visualizer_enabled", "1", "-visualizer_outputfile", file},
                {"-enable_ptx_file_line_stats", "1", "-ptx_line_stats_filename", file}};
    }
    std::vector<std::string> small(std::vector<std::string> more) {
        // Two launches, so that a checkpoint can be written between them.
        const std::string list = trace.write(folder);
        folder.write("kernelslist.g", "kernel-1.traceg\nkernel-1.traceg\n");
        std::vector<std::string> all = {"--preset", "TINY",   "-gpgpu_kernel_launch_latency",
                                        "5000",     "-trace", list};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    /// Expects the run to be rejected before it starts, with one line.
    void expect_refused(const std::vector<std::string>& more,
                        const std::vector<std::string>& parts) {
        const outcome o = simulate(small(more));
        EXPECT_EQ(2, o.code) << o.err;
        EXPECT_EQ("", o.out) << "nothing was simulated";
        EXPECT_THAT(o.error_lines(), SizeIs(1)) << o.err;
        for (const std::string& part : parts) EXPECT_THAT(o.err, HasSubstr(part));
    }
    /// Expects a write error to be reported in one line (and a summary).
    static void expect_unwritten(const outcome& o, const std::string& name) {
        EXPECT_EQ(1, o.code) << o.err;
        const std::string what = name + ": cannot be written";
        const std::size_t at = o.err.find(what);
        ASSERT_NE(std::string::npos, at) << o.err;
        EXPECT_EQ(std::string::npos, o.err.find(what, at + 1)) << "said twice: " << o.err;
    }
    unsigned mode(const std::string& file) const {
        struct stat status {};
        EXPECT_EQ(0, lstat(folder.path(file).c_str(), &status)) << file;
        return status.st_mode;
    }

    scratch_folder folder;
    small_trace trace;
};

TEST_F(Output, ToADeviceDoesNotReplaceTheDevice) {
    const std::string device = folder.path("null");
    if (mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0)
        GTEST_SKIP() << "device nodes need root";
    for (const auto& option : every_option(device)) {
        const outcome o = simulate(small(option));
        EXPECT_EQ(0, o.code) << option.front() << o.err;
        EXPECT_TRUE(S_ISCHR(mode("null"))) << option.front();
    }
    EXPECT_THAT(folder.files(), ElementsAre("kernel-1.traceg", "kernelslist.g", "null"));
}

TEST_F(Output, ToAFifoReachesItsReader) {
    const std::string fifo = folder.path("fifo");
    ASSERT_EQ(0, mkfifo(fifo.c_str(), 0600));
    auto reader = std::async(std::launch::async, [&] { return read_file(fifo); });
    const outcome o = simulate(small({"--stats-json", fifo}));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ("finished", nlohmann::json::parse(reader.get())["ended"]);
    EXPECT_TRUE(S_ISFIFO(mode("fifo")));
}

TEST_F(Output, FollowsSymbolicLinks) {
    folder.write("real.json", "old");
    ASSERT_EQ(0, symlink("real.json", folder.path("link.json").c_str()));
    ASSERT_EQ(0, symlink("not-yet.csv", folder.path("link.csv").c_str()));
    const outcome o = simulate(
        small({"--stats-json", folder.path("link.json"), "--stats-csv", folder.path("link.csv")}));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_TRUE(S_ISLNK(mode("link.json")));
    EXPECT_EQ("finished", read_json(folder.path("real.json"))["ended"]);
    EXPECT_TRUE(S_ISLNK(mode("link.csv")));
    EXPECT_TRUE(S_ISREG(mode("not-yet.csv")));
}

TEST_F(Output, KeepsThePermissionsOfAReplacedFile) {
    folder.write("s.json", "old");
    ASSERT_EQ(0, chmod(folder.path("s.json").c_str(), 0640));
    EXPECT_EQ(0, simulate(small({"--stats-json", folder.path("s.json")})).code);
    EXPECT_EQ(0640u, mode("s.json") & 0777u);
}

TEST_F(Output, RejectsAReadOnlyFile) {
    folder.write("s.json", "precious");
    ASSERT_EQ(0, chmod(folder.path("s.json").c_str(), 0444));
    expect_refused({"--stats-json", folder.path("s.json")}, {"s.json", "read-only"});
    EXPECT_EQ("precious", read_file(folder.path("s.json")));
}

TEST_F(Output, IsCheckedBeforeTheRun) {
    ASSERT_EQ(0, mkdir(folder.path("d").c_str(), 0777));
    for (const auto& option : every_option(folder.path("d")))
        expect_refused(option, {"/d", "folder"});
    for (const auto& option : every_option(folder.path("none/x")))
        expect_refused(option, {"none/x"});
    ASSERT_EQ(0, mkdir(folder.path("w.vcd.gtkw").c_str(), 0777));
    expect_refused({"--vcd", folder.path("w.vcd")}, {"w.vcd.gtkw", "folder"});
    EXPECT_THAT(folder.files(), ElementsAre("d", "kernel-1.traceg", "kernelslist.g", "w.vcd.gtkw"));
}

TEST_F(Output, ThatIsAnInputIsRejected) {
    const std::string config = folder.write("my.config", "-gpgpu_max_cycle 0\n");
    for (const char* input : {"kernelslist.g", "kernel-1.traceg", "my.config"}) {
        const std::string file = folder.path(input);
        small({});
        const std::string before = read_file(file);
        expect_refused({"-config", config, "--stats-json", file}, {"--stats-json", input});
        EXPECT_EQ(before, read_file(file));
    }
    ASSERT_EQ(0, symlink("kernelslist.g", folder.path("other").c_str()));
    expect_refused({"--stats-csv", folder.path("other")}, {"--stats-csv", "command list"});
}

TEST_F(Output, OfEveryOptionIsRejectedIfItIsAnInput) {
    const std::string saved = folder.path("saved");
    ASSERT_EQ(0, simulate(small({"--checkpoint", saved, "--checkpoint-at", "1"})).code);
    const std::string before = read_file(saved);
    for (const char* input : {"kernelslist.g", "kernel-1.traceg"})
        for (const auto& option : every_option(folder.path(input)))
            expect_refused(option, {option[option.size() - 2], input});
    expect_refused({"--resume", saved, "--stats-json", saved}, {"--resume", "saved"});
    expect_refused({"--resume", saved, "--checkpoint-at", "1", "--checkpoint", saved},
                   {"--checkpoint", "saved"});
    EXPECT_EQ(before, read_file(saved));
    expect_refused({"--checkpoint", folder.path("a"), "--checkpoint-at", "1", "--stats-json",
                    folder.path("a")},
                   {"--checkpoint"});
    expect_refused({"--timeline", folder.path("a"), "--stats-csv", folder.path("a.part")},
                   {"a.part", "--stats-csv"});
}

TEST_F(Output, OfTwoOptionsInOneFileIsRejected) {
    const std::string file = folder.path("x");
    expect_refused({"--stats-json", file, "--stats-csv", file}, {"--stats-csv", "--stats-json"});
    folder.write("x", "old");
    ASSERT_EQ(0, symlink("x", folder.path("y").c_str()));
    expect_refused({"--stats-json", file, "--timeline", folder.path("y")}, {"--timeline"});
    EXPECT_EQ("old", read_file(file));
    expect_refused({"--vcd", folder.path("w"), "--stats-csv", folder.path("w.gtkw")}, {"--vcd"});
    expect_refused({"--vcd", folder.path("w"), "--stats-csv", folder.path("w.opcode.translate")},
                   {"--vcd", "--stats-csv"});
    const outcome both = simulate(small({"--stats-json", "/dev/null", "--stats-csv", "/dev/null"}));
    EXPECT_EQ(0, both.code) << both.err;
}

TEST_F(Output, ToTheFileOfStdoutIsRejected) {
    const outcome o = simulate_from_shell({}, small({"--stats-json", folder.path("out")}),
                                          ">'" + folder.path("out") + "'");
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("standard output"));
}

TEST_F(Output, ToDevStdoutIsWrittenAfterTheReport) {
    const outcome o = simulate_from_shell({}, small({"--stats-json", "/dev/stdout"}), "");
    EXPECT_EQ(0, o.code) << o.err;
    const std::size_t end = o.out.find("*** exit detected ***\n{");
    ASSERT_NE(std::string::npos, end) << "the report, and then the statistics";
    EXPECT_EQ("finished", nlohmann::json::parse(o.out.substr(o.out.find('{', end)))["ended"]);
}

TEST_F(Output, ToAFullDeviceIsAnErrorForEveryOption) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
    for (const auto& option : every_option("/dev/full"))
        expect_unwritten(simulate(small(option)), "/dev/full");
    const outcome o =
        simulate(small({"--stats-json", "/dev/full", "--stats-csv", folder.path("s.csv")}));
    expect_unwritten(o, "/dev/full");
    EXPECT_THAT(read_file(folder.path("s.csv")), HasSubstr("total,"))
        << "one failure takes no other output with it";
}

TEST_F(Output, FailuresAreReportedAndOtherOutputsAreWritten) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
    std::vector<std::string> all;
    for (const char* option :
         {"--stats-json", "--stats-csv", "--vcd", "--timeline", "--interval-csv", "--checkpoint"}) {
        all.insert(all.end(), {option, folder.path(option)});
    }
    all.insert(all.end(), {"--checkpoint-at", "1"});
    for (std::size_t failing = 0; failing < 12; failing += 2) {
        std::vector<std::string> options = all;
        options[failing + 1] = "/dev/full";
        for (std::size_t i = 0; i < 12; i += 2) std::remove(folder.path(all[i]).c_str());
        const outcome o = simulate(small(options));
        expect_unwritten(o, "/dev/full");
        for (std::size_t i = 0; i < 12; i += 2)
            EXPECT_EQ(i != failing, access(folder.path(all[i]).c_str(), F_OK) == 0)
                << all[i] << " with a failing " << all[failing];
    }
    const outcome o =
        simulate_from_shell("ulimit -f 4;",
                            small({"--stats-json", folder.path("s.json"), "--stats-csv",
                                   folder.path("s.csv"), "--interval-db", folder.path("i.db")}),
                            ">/dev/null");
    for (const char* file : {"s.json", "s.csv", "i.db"}) expect_unwritten(o, folder.path(file));
}

TEST_F(Output, OnAFullStdoutIsAnError) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
    for (const char* question : {"--help", "--version", "--list-configs", "--help-markdown",
                                 "--help-statistics", "--dump-config"})
        expect_unwritten(simulate_from_shell({}, {question}, ">/dev/full"), "standard output");
    const outcome o =
        simulate_from_shell({}, small({"--stats-json", folder.path("s.json")}), ">/dev/full");
    expect_unwritten(o, "standard output");
    EXPECT_EQ("finished", read_json(folder.path("s.json"))["ended"]) << "other outputs are whole";
    const outcome both =
        simulate_from_shell({}, small({"--stats-json", "/dev/full"}), ">/dev/full");
    expect_unwritten(both, "standard output");
    expect_unwritten(both, "/dev/full");
    expect_unwritten(trace_tool_from_shell({"--help"}, ">/dev/full"), "standard output");
    expect_unwritten(trace_tool_from_shell({"text", folder.path("kernel-1.traceg")}, ">/dev/full"),
                     "standard output");
}

TEST_F(Output, OnAClosedStreamIsAnError) {
    expect_unwritten(simulate_from_shell({}, {"--help"}, ">&-"), "standard output");
    const outcome o =
        simulate_from_shell({}, small({"--stats-json", folder.path("s.json")}), ">&- <&-");
    expect_unwritten(o, "standard output");
    EXPECT_NO_THROW(read_json(folder.path("s.json"))) << "no report goes into the file";
    const outcome unheard = simulate_from_shell(
        {}, small({"--stats-json", folder.path("s.json"), "--summary"}), "2>&-");
    EXPECT_EQ(1, unheard.code) << "the summary could not be said";
    EXPECT_NO_THROW(read_json(folder.path("s.json")));
    EXPECT_EQ(0, simulate_from_shell({}, small({"--quiet"}), "2>&-").code) << "nothing to say";
}

TEST_F(Output, ToAPipeWithoutReaderIsAnError) {
    constexpr int out = 9;
    int ends[2];
    ASSERT_EQ(0, pipe(ends));
    ASSERT_EQ(out, dup2(ends[1], out));
    close(ends[0]);
    close(ends[1]);
    const outcome o =
        simulate_from_shell({}, small({"--stats-json", folder.path("s.json")}), ">&9");
    close(out);
    expect_unwritten(o, "standard output");
    EXPECT_EQ("finished", read_json(folder.path("s.json"))["ended"]);
    ASSERT_EQ(0, pipe(ends));
    ASSERT_EQ(out, dup2(ends[1], out));
    close(ends[0]);
    close(ends[1]);
    const outcome alone = simulate_from_shell({}, small({}), ">&9");
    close(out);
    expect_unwritten(alone, "standard output");
}

TEST_F(Output, ThatDoesNotFitKeepsTheExistingFile) {
    folder.write("s.json", "old");
    const outcome o = simulate_from_shell(
        "ulimit -f 8;", small({"--stats-json", folder.path("s.json")}), ">/dev/null");
    expect_unwritten(o, folder.path("s.json"));
    EXPECT_EQ("old", read_file(folder.path("s.json")));
    EXPECT_THAT(folder.files(), ElementsAre("kernel-1.traceg", "kernelslist.g", "s.json"))
        << "no draft is left";
}

TEST_F(Output, KeepsAFileWithTheNameOfATemporaryFile) {
    folder.write("s.json.part", "precious");
    EXPECT_EQ(0, simulate(small({"--stats-json", folder.path("s.json")})).code);
    EXPECT_EQ("precious", read_file(folder.path("s.json.part")));
    EXPECT_EQ("finished", read_json(folder.path("s.json"))["ended"]);
}

TEST_F(Output, WithAnEmptyNameIsRejected) {
    for (const auto& option : every_option("")) expect_refused(option, {"an empty name"});
}

TEST_F(Output, ToAReadOnlyDatabaseOrADeviceIsRejected) {
    folder.write("i.db", "precious");
    ASSERT_EQ(0, chmod(folder.path("i.db").c_str(), 0444));
    expect_refused({"--interval-db", folder.path("i.db")}, {"i.db", "read-only"});
    EXPECT_EQ("precious", read_file(folder.path("i.db")));
    expect_refused({"--interval-db", "/dev/null"}, {"regular file"});
}

/// For programs, in timing and functional mode.
class ProgramOutput : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ptx = folder.write("copy.ptx", R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry copy(.param .u64 to, .param .u64 from) {
    .reg .u32 %r<3>;
    .reg .u64 %d<6>;
    ld.param.u64 %d1, [to];
    ld.param.u64 %d2, [from];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d3, %r1, 4;
    add.u64 %d4, %d1, %d3;
    add.u64 %d5, %d2, %d3;
    ld.global.u32 %r2, [%d5];
    st.global.u32 [%d4], %r2;
    ret;
}
)");
        folder.write("in.bin", std::string(128, '\x05'));
    }
    outcome run(const std::string& result, const std::vector<std::string>& more = {}) {
        const std::string launch =
            folder.write("copy.launch",
                         "buffer a u32 32 file in.bin\nbuffer b u32 32 zero\n"
                         "launch copy grid 1 block 32 args b a\n" +
                             result);
        std::vector<std::string> all = {
            "--preset", "TINY", "--ptx", ptx, "--launch", launch, "-gpgpu_ptx_sim_mode",
            GetParam()};
        all.insert(all.end(), more.begin(), more.end());
        return simulate(all);
    }
    scratch_folder folder;
    std::string ptx;
};

TEST_P(ProgramOutput, OfALaunchFileNeverOverwritesAnInputOrAReadOnlyFile) {
    EXPECT_EQ(0, run("output b out.bin\n").code);
    EXPECT_EQ(std::string(128, '\x05'), read_file(folder.path("out.bin")));
    ASSERT_EQ(0, symlink("in.bin", folder.path("link.bin").c_str()));
    folder.write("kept.bin", "precious");
    ASSERT_EQ(0, chmod(folder.path("kept.bin").c_str(), 0444));
    folder.write("want.bin", std::string(128, '\x05'));
    for (const char* result :
         {"output b in.bin\n", "output b link.bin\n", "output b copy.ptx\n",
          "output b copy.launch\n", "output b kept.bin\n", "output b none/out.bin\n",
          "expect b file want.bin\noutput b want.bin\n",
          "output b twice.bin\noutput a twice.bin\n"}) {
        const outcome o = run(result);
        EXPECT_EQ(2, o.code) << result << o.err;
        EXPECT_EQ("", o.out) << "refused before anything ran: " << result;
        EXPECT_THAT(o.error_lines(), SizeIs(1)) << o.err;
    }
    EXPECT_EQ(std::string(128, '\x05'), read_file(folder.path("in.bin")));
    EXPECT_EQ("precious", read_file(folder.path("kept.bin")));
}

TEST_P(ProgramOutput, OfExecutedInstructionsNeverOverwritesAnInput) {
    for (const char* file : {"in.bin", "copy.ptx", "copy.launch"}) {
        const outcome o = run("", {"-gpgpu_ptx_inst_debug_to_file", "1",
                                   "-gpgpu_ptx_inst_debug_file", folder.path(file)});
        EXPECT_EQ(2, o.code) << o.err;
        EXPECT_THAT(o.err, HasSubstr(file));
    }
    const outcome o = run("output b same\n", {"-gpgpu_ptx_inst_debug_to_file", "1",
                                              "-gpgpu_ptx_inst_debug_file", folder.path("same")});
    EXPECT_EQ(2, o.code) << o.err;
}

TEST_P(ProgramOutput, ToAnInvalidFileIsReportedWithItsLine) {
    for (const char* shape : {"grid 0 block 32", "grid 1 block 2048"}) {
        const outcome o = run(std::string("launch copy ") + shape + " args b a\n");
        EXPECT_EQ(2, o.code);
        EXPECT_THAT(o.err, HasSubstr("copy.launch:4: ")) << shape;
    }
}

TEST_P(ProgramOutput, OnAFullDeviceIsAnError) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
    const outcome o = run("output b /dev/full\noutput a second\n");
    EXPECT_EQ(1, o.code) << o.err;
    EXPECT_THAT(o.err, HasSubstr("/dev/full"));
    EXPECT_EQ(std::string(128, '\x05'), read_file(folder.path("second")));
    folder.write("other.bin", std::string(128, '\x06'));
    const outcome different = run("output b /dev/full\nexpect b file other.bin\n");
    EXPECT_EQ(4, different.code) << different.err;
    EXPECT_THAT(different.err, HasSubstr("/dev/full"));
    const std::string launch = run("output b third\n").code == 0 ? folder.path("copy.launch") : "";
    std::remove(folder.path("third").c_str());
    const outcome full = simulate_from_shell(
        {},
        {"--preset", "TINY", "--ptx", ptx, "--launch", launch, "-gpgpu_ptx_sim_mode", GetParam()},
        ">/dev/full");
    EXPECT_EQ(1, full.code);
    EXPECT_THAT(full.err, HasSubstr("standard output"));
    EXPECT_EQ(std::string(128, '\x05'), read_file(folder.path("third")));
}

TEST_P(ProgramOutput, MustDifferFromInputsAndOtherOutputs) {
    const std::string before = read_file(ptx);
    const auto refused = [&](const std::string& result, const std::vector<std::string>& more) {
        const outcome o = run(result, more);
        EXPECT_EQ(2, o.code) << more.front() << o.err;
        EXPECT_THAT(o.error_lines(), SizeIs(1)) << o.err;
    };
    const std::vector<std::string> log = {"-gpgpu_ptx_inst_debug_to_file", "1",
                                          "-gpgpu_ptx_inst_debug_file"};
    const auto log_to = [&](const std::string& file) {
        std::vector<std::string> more = log;
        more.push_back(file);
        return more;
    };
    refused("", log_to(ptx));
    refused("", log_to(folder.path("in.bin")));
    refused("output b x\n", log_to(folder.path("x")));
    EXPECT_EQ(before, read_file(ptx));
    EXPECT_EQ(std::string(128, '\x05'), read_file(folder.path("in.bin")));
    EXPECT_THAT(folder.files(), ElementsAre("copy.launch", "copy.ptx", "in.bin"));
    if (std::string(GetParam()) == "1") return;
    refused("", {"--checkpoint", ptx, "--checkpoint-at", "1"});
    refused("", {"--checkpoint", folder.path("in.bin"), "--checkpoint-at", "1"});
    refused("output b x\n", {"--checkpoint", folder.path("x"), "--checkpoint-at", "1"});
    refused("", {"--record-trace", folder.path(".")});
    std::filesystem::create_directory(folder.path("rt"));
    refused("",
            {"--record-trace", folder.path("rt"), "--stats-json", folder.path("rt/kernelslist.g")});
    refused("output b rt/x\n", {"--record-trace", folder.path("rt")});
    EXPECT_EQ(before, read_file(ptx));
    const outcome o =
        run("", {"--timeline", "/dev/full", "--record-trace", folder.path("recorded")});
    EXPECT_EQ(1, o.code) << o.err;
    EXPECT_THAT(o.err, HasSubstr("/dev/full: cannot be written"));
    EXPECT_TRUE(std::filesystem::exists(folder.path("recorded/kernelslist.g")));
}

TEST_P(ProgramOutput, OfAnInterruptedRunListsOnlyRecordedKernels) {
    if (std::string(GetParam()) == "1") return;
    const std::string recorded = folder.path("recorded");
    const outcome o = run("launch copy grid 64 block 32 args b a\n",
                          {"--record-trace", recorded, "-gpgpu_max_cta", "3"});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("recorded kernels had not ended"));
    const std::string list = read_file(recorded + "/kernelslist.g");
    EXPECT_THAT(list, HasSubstr("kernel-1"));
    EXPECT_THAT(list, testing::Not(HasSubstr("kernel-2")));
    EXPECT_EQ(0, simulate({"--preset", "TINY", "-trace", recorded}).code);
}

TEST_P(ProgramOutput, ReportsExpectedResultsOnlyIfTheFileHasSome) {
    EXPECT_THAT(run("output b out.bin\n").out, testing::Not(HasSubstr("as expected")));
    EXPECT_THAT(run("expect b buffer a\n").out, HasSubstr("results are as expected"));
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutTime, ProgramOutput, testing::Values("0", "1"),
                         [](const auto& mode) {
                             return std::string(mode.param) == "0" ? "Timed" : "Functional";
                         });

TEST_F(Output, OfAQuietRunIsTheReportAlone) {
    trace.header["nregs"] = "21955";  // causes a warning
    const outcome o = simulate(small({"--quiet", "--override-registers", "16", "--progress", "on",
                                      "-power_simulation_enabled", "0"}));
    EXPECT_EQ(0, o.code);
    EXPECT_EQ("", o.err);
}

}  // namespace
}  // namespace simtlm::test

// SPDX-License-Identifier: Apache-2.0
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace simtlm::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(CommandLine, PrintsListsAndHelpWithoutARun) {
    for (const char* question : {"--help", "--version", "--list-configs", "--help-markdown",
                                 "--help-statistics", "--dump-config"}) {
        const outcome o = simulate({question});
        EXPECT_EQ(0, o.code) << question;
        EXPECT_NE("", o.out) << question;
        EXPECT_EQ("", o.err) << question;
        EXPECT_THAT(o.out, Not(HasSubstr("gpu_sim_cycle = "))) << question;
    }
    EXPECT_THAT(simulate({"--version"}).out, HasSubstr("simtlm "));
    EXPECT_THAT(simulate({"--help"}).out, HasSubstr("-gpgpu_num_sched_per_core"));
    EXPECT_THAT(simulate({"--list-configs"}).out, HasSubstr("QV100"));
}

TEST(CommandLine, DumpsAConfigurationThatReproducesTheRun) {
    const outcome dump = simulate({"--preset", "TINY", "--dump-config"});
    const scratch_folder folder;
    const std::string config = folder.write("dumped.config", dump.out);
    const outcome from_preset = simulate({"--preset", "TINY", "-trace", sample("vecadd")});
    const outcome from_dump = simulate({"-config", config, "-trace", sample("vecadd")});
    EXPECT_EQ(0, from_dump.code) << from_dump.err;
    EXPECT_EQ(from_preset.report(), from_dump.report());
}

TEST(CommandLine, AcceptsTheFolderOfATrace) {
    const outcome o =
        simulate({"--preset", "TINY", "-trace", std::string(SIMTLM_TRACES) + "/vecadd"});
    EXPECT_EQ(0, o.code) << o.err;
}

/// Output of a run to a terminal of a given width connected to stderr.
std::string on_terminal(const std::vector<std::string>& arguments, unsigned short columns) {
    struct winsize size {};
    size.ws_row = 24;
    size.ws_col = columns;
    int ours = -1, theirs = -1;
    EXPECT_EQ(0, openpty(&ours, &theirs, nullptr, nullptr, &size));
    const outcome o = simulate_from_shell({}, arguments, "2>&" + std::to_string(theirs));
    EXPECT_EQ(0, o.code);
    close(theirs);
    std::string text;
    char part[4096];
    for (ssize_t n = 0; (n = read(ours, part, sizeof part)) > 0;)
        text.append(part, static_cast<std::size_t>(n));
    close(ours);
    return text;
}

TEST(CommandLine, ReportsIneffectiveOptionsOnce) {
    const std::vector<std::string> more = {"-gpgpu_clock_gated_reg_file", "0",
                                           "-visualizer_enabled",         "0",
                                           "-gpgpu_clock_gated_reg_file", "1"};
    const outcome o = simulate(on_tiny(sample("vecadd"), more));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ("", o.err) << "scripts take what is there for a failure";
    const std::size_t first = o.out.find("simtlm: note: ");
    ASSERT_NE(std::string::npos, first);
    const std::size_t named = o.out.find("-gpgpu_clock_gated_reg_file");
    ASSERT_NE(std::string::npos, named);
    EXPECT_EQ(std::string::npos, o.out.find("-gpgpu_clock_gated_reg_file", named + 1));
    std::vector<std::string> quiet = more;
    quiet.emplace_back("--quiet");
    EXPECT_THAT(simulate(on_tiny(sample("vecadd"), quiet)).out, Not(HasSubstr("note:")));
    EXPECT_THAT(on_terminal(on_tiny(sample("vecadd"), more), 80), HasSubstr("simtlm: note: "));
}

TEST(CommandLine, PrintsASummaryOnATerminalOrOnRequest) {
    EXPECT_EQ("", simulate(on_tiny(sample("vecadd"))).err);
    EXPECT_THAT(on_terminal(on_tiny(sample("vecadd")), 80), HasSubstr("1 kernel, "));
    const outcome o = simulate(on_tiny(sample("sample"), {"--summary"}));
    EXPECT_THAT(o.err, HasSubstr("4 kernels"));
    EXPECT_THAT(o.err, HasSubstr("IPC"));
    EXPECT_THAT(o.err, HasSubstr("hit rate"));
    EXPECT_THAT(o.err, HasSubstr("warp instructions/s"));
}

/// Prints progress independently of the speed of the host: once in every 1,024 core cycles.
std::vector<std::string> with_progress(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"-liveness_message_freq", "0"});
    return more;
}

TEST(CommandLine, ShowsProgressOnRequest) {
    const outcome o = simulate(on_tiny(sample("sample"), with_progress({"--progress", "on"})));
    EXPECT_THAT(o.err, HasSubstr("kernel "));
    EXPECT_THAT(o.err, HasSubstr(" of 4, "));
    EXPECT_THAT(o.err, HasSubstr(", CTA "));
    EXPECT_THAT(simulate(on_tiny(sample("vecadd"))).err, Not(HasSubstr("CTA ")));
}

TEST(CommandLine, NamesConcurrentKernelsInTheProgressLine) {
    // Two streams; the kernels of each round start together.
    const scratch_folder folder;
    std::string list;
    for (int round = 0; round < 4; ++round)
        for (const char* kernel : {"1", "2", "3", "4"})
            list += std::string(SIMTLM_TRACES) + "/streams/kernel-" + kernel + ".traceg.xz\n";
    folder.write("kernelslist.g", list);
    const outcome o =
        simulate(on_tiny(folder.path("kernelslist.g"),
                         with_progress({"--progress", "on", "-gpgpu_concurrent_kernel_sm", "1"})));
    EXPECT_THAT(o.err, ContainsRegex("kernel [0-9]+ of 16, .*[a-z] [|] [a-z]")) << o.err;
}

TEST(CommandLine, KeepsProgressOnALineOfTheTerminal) {
    const std::string text = on_terminal(on_tiny(sample("sample"), with_progress()), 30);
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = text.find("\r\033[K", at)) != std::string::npos; ++lines) {
        at += 4;
        const std::string line = text.substr(at, text.find_first_of("\r\n", at) - at);
        if (line.rfind("kernel ", 0) == 0) {
            EXPECT_LT(line.size(), 30u) << line;
        }
    }
    EXPECT_GT(lines, 0u);
    EXPECT_THAT(text, HasSubstr("kernel "));
}

TEST(CommandLine, ReportsTheBuildThatAccelSimsScriptsFindInTheExecutable) {
    const std::string program = read_file(SIMTLM_EXECUTABLE);
    const std::size_t at = program.find("accelsim-commit-");
    ASSERT_NE(std::string::npos, at);
    EXPECT_EQ(std::string::npos, program.find("accelsim-commit-", at + 1)) << "one line of strings";
    const std::string build = program.c_str() + at;
    EXPECT_EQ(std::string::npos, build.find_first_of(" .'+")) << "a folder and a job are named so";
    EXPECT_THAT(simulate(on_tiny(sample("vecadd"))).out,
                testing::StartsWith("Accel-Sim [build " + build + "]\n"));
}

TEST(CommandLine, NamesTheNearestCalibratedPreset) {
    EXPECT_THAT(simulate(on_tiny(sample("vecadd"), {"--preset", "RTX3080"})).out,
                HasSubstr("RTX3080 is not calibrated; the nearest that is: RTX4090"));
    EXPECT_THAT(
        simulate(on_tiny(sample("vecadd"), {"--preset", "RTX2060", "--compat", "accel-sim"})).out,
        Not(HasSubstr("is not calibrated")))
        << "its parameters are those of Accel-Sim";
    EXPECT_THAT(simulate(on_tiny(sample("vecadd"))).out, Not(HasSubstr("calibrated")));
    EXPECT_THAT(simulate({"--list-configs"}).out, HasSubstr("calibrated"));
}

TEST(CommandLine, EndsWithoutAnErrorWhenTheReaderClosesThePipe) {
    for (const char* question : {"--help", "--help-markdown", "--help-statistics"}) {
        const outcome o = simulate_from_shell("", {question}, "| head -n 1");
        EXPECT_EQ("", o.err) << question;
        EXPECT_NE("", o.out) << question;
    }
}

TEST(CommandLine, RejectsOptionsWithoutEffectOnTracesOrPrograms) {
    for (const std::vector<std::string>& more :
         std::vector<std::vector<std::string>>{{"--check", "all"},
                                               {"--launch", "x"},
                                               {"--record-trace", "x"},
                                               {"--stats-file", "x"},
                                               {"--keep-exit-code"},
                                               {"--gpus", "2"}}) {
        const outcome o = simulate(on_tiny(sample("vecadd"), more));
        EXPECT_EQ(2, o.code) << more.front();
        EXPECT_THAT(o.err, HasSubstr(more.front() + " has no effect"));
    }
}

TEST(CommandLine, ProfilesTheSimulationKernel) {
    const outcome o = simulate(on_tiny(sample("vecadd"), {"--profile-kernel", "--quiet"}));
    EXPECT_THAT(o.err, HasSubstr("deltas"));
    EXPECT_THAT(o.err, HasSubstr("front_end"));
}

}  // namespace
}  // namespace simtlm::test

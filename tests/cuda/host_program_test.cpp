// SPDX-License-Identifier: Apache-2.0
// What runs of CUDA programs leave behind, seen from outside.
#include "tests/system/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

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

TEST_F(HostProgram, LeavesFilesOfStatisticsWithTheirOrigin) {
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
    EXPECT_THAT(read_file(cells), HasSubstr("2,\"spin\",sm,"));
}

TEST_F(HostProgram, LeavesAWaveformAndATimeline) {
    const std::string vcd = folder.path("w.vcd"), timeline = folder.path("t.json");
    const outcome o = run({"--vcd", vcd, "--timeline", timeline}, {});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(read_file(vcd), HasSubstr("$enddefinitions"));
    EXPECT_THAT(read_json(timeline).dump(), HasSubstr("spin"));
}

TEST_F(HostProgram, NumbersTheFilesOfSeveralGpus) {
    const outcome o = run({"--gpus", "2", "--stats-json", folder.path("s.json")}, {});
    ASSERT_EQ(0, o.code) << o.err;
    for (const char* const file : {"s.gpu0.json", "s.gpu1.json"})
        EXPECT_EQ(2u, read_json(folder.path(file))["kernels"].size()) << file;
}

TEST_F(HostProgram, RecordsKernelsThatTakeTheSameCyclesAgain) {
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

TEST_F(HostProgram, SignalsThatEndItLeaveStatistics) {
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

TEST_F(HostProgram, SignalsLeaveStatisticsOnStdoutInTheWayOfGpgpuSim) {
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

TEST_F(HostProgram, RefusesFilesThatItCannotWriteBeforeItBegins) {
    const outcome o = run({"--stats-json", folder.path("none/s.json")}, {});
    EXPECT_EQ(2, o.code);
    EXPECT_EQ("", o.out);
    EXPECT_THAT(o.err, HasSubstr("none"));
    EXPECT_EQ(2, run({"--stats-json", spin}, {}).code);
    EXPECT_EQ(2, run({"--stats-json", folder.path("s"), "-gpgpu_ptx_sim_mode", "1"}, {}).code);
    EXPECT_EQ(2, run({"--check", "all"}, {}).code);
}

}  // namespace
}  // namespace simtlm::test

// SPDX-License-Identifier: Apache-2.0
#include "tests/system/simulator.h"
#include "tests/system/small_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>

namespace simtlm::test {
namespace {

using testing::HasSubstr;
using testing::Not;

double printed(const outcome& o, const std::string& name) {
    const auto values = o.values();
    return values.count(name) != 0 ? std::stod(values.at(name)) : -1;
}

class RunControl : public testing::Test {
protected:
    /// A run that takes hours: two warps with repeated memory stalls.
    std::string endless() {
        trace.header["grid dim"] = "(100000,1,1)";
        trace.blocks = 100000;
        for (auto& warp : trace.warps) {
            const std::string load = warp[2];
            warp.insert(warp.begin() + 2, 20, load);
        }
        return trace.write(folder);
    }
    scratch_folder folder;
    small_trace trace;
};

TEST_F(RunControl, CtrlCPrintsPartialStatisticsAndExitsWith130) {
    const outcome o =
        simulate({"--preset", "QV100", "-trace", endless(), "--stats-json", folder.path("s.json")},
                 SIGINT, 2);
    EXPECT_EQ(130, o.code) << o.err;
    EXPECT_GT(printed(o, "gpu_tot_sim_cycle"), 1000);
    EXPECT_THAT(o.out, HasSubstr("kernel_name = small"));
    EXPECT_THAT(o.out, Not(HasSubstr("exit detected"))) << "scripts take that for a whole run";
    EXPECT_THAT(o.out, HasSubstr("incomplete run: interrupted"));
    EXPECT_THAT(o.err, HasSubstr("interrupted by SIGINT"));
    const nlohmann::json statistics = read_json(folder.path("s.json"));
    EXPECT_EQ("interrupted", statistics["ended"]);
    EXPECT_EQ(false, statistics["kernels"][0]["finished"]);
    const auto& total = statistics["total"];
    EXPECT_EQ(total["scheduler_cycles"].get<double>(),
              total["scheduler_cycles[issue]"].get<double>() +
                  total["scheduler_cycles[idle]"].get<double>() +
                  total["scheduler_cycles[scoreboard]"].get<double>() +
                  total["scheduler_cycles[stall]"].get<double>())
        << "the statistics of an interrupted run are whole";
}

TEST_F(RunControl, EverySignalThatEndsARunKeepsItsStatistics) {
    const std::string list = endless();
    const std::map<int, std::string> signals = {{SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};
    for (const auto& [signal, name] : signals) {
        const std::string json = folder.path(name + ".json"), csv = folder.path(name + ".csv");
        const outcome o =
            simulate({"--preset", "TINY", "-trace", list, "--stats-json", json, "--stats-csv", csv},
                     signal, 2);
        EXPECT_EQ(128 + signal, o.code) << o.err;
        EXPECT_GT(printed(o, "gpu_tot_sim_cycle"), 1000);
        EXPECT_THAT(o.out, Not(HasSubstr("exit detected")));
        EXPECT_THAT(o.err, HasSubstr("interrupted by " + name));
        EXPECT_EQ("interrupted", read_json(json)["ended"]);
        EXPECT_THAT(read_file(csv), HasSubstr("\ntotal,"));
    }
}

TEST_F(RunControl, TwoSignalsInQuickSuccessionCountAsOne) {
    const std::string json = folder.path("s.json");
    const outcome o =
        simulate_from_shell("(sleep 2; kill -TERM $$; kill -TERM $$; sleep 0.1; kill -TERM $$) &",
                            {"--preset", "TINY", "-trace", endless(), "--stats-json", json}, "");
    EXPECT_EQ("interrupted", read_json(json)["ended"]) << o.err;
    EXPECT_THAT(o.err, HasSubstr("interrupted by SIGTERM"));
}

TEST_F(RunControl, AnInterruptedFunctionalProgramReportsTheInterruption) {
    const std::string ptx = folder.write("spin.ptx", R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry spin() {
    .reg .u32 %r<2>;
    .reg .pred %p;
    mov.u32 %r1, 0;
AGAIN:
    add.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 4000000000;
    @%p bra AGAIN;
    ret;
}
)");
    const std::string launch = folder.write("spin.launch",
                                            "buffer b u32 1 zero\nlaunch spin grid 9 block 32\n"
                                            "expect b values 0\n");
    const outcome o =
        simulate({"-gpgpu_ptx_sim_mode", "1", "--ptx", ptx, "--launch", launch}, SIGINT, 1);
    EXPECT_EQ(130, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("incomplete run: interrupted"));
    EXPECT_THAT(o.out, Not(HasSubstr("as expected")));
    EXPECT_THAT(o.err, HasSubstr("interrupted by SIGINT"));
}

TEST_F(RunControl, ASignalThatTheCallerIgnoresStaysIgnored) {
    const outcome o = simulate_from_shell("trap '' HUP; (sleep 0.2; kill -HUP $$) &",
                                          on_tiny(sample("vecadd")), "");
    EXPECT_EQ(0, o.code) << o.err;
}

TEST_F(RunControl, ASignalDuringHostCopiesEndsTheRunWithStatistics) {
    std::string list;
    for (unsigned i = 0; i < 200000; ++i) list += "MemcpyHtoD,0x7f0000000000,10000000000\n";
    const outcome o = simulate({"--preset", "QV100", "-trace", folder.write("kernelslist.g", list),
                                "--stats-json", folder.path("s.json")},
                               SIGTERM, 2);
    EXPECT_EQ(128 + SIGTERM, o.code) << o.err;
    EXPECT_EQ("interrupted", read_json(folder.path("s.json"))["ended"]);
}

TEST_F(RunControl, MaxCycleEndsTheRunAtThatCycle) {
    const outcome o = simulate(on_tiny(sample("sample"), {"-gpgpu_max_cycle", "5000"}));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_NEAR(5000, printed(o, "gpu_tot_sim_cycle"), 1);
    EXPECT_THAT(o.out, HasSubstr("was ended by -gpgpu_max_cycle"));
}

TEST_F(RunControl, MaxInsnEndsTheRunShortlyAfterThatInstruction) {
    const outcome o = simulate(on_tiny(sample("sample"), {"-gpgpu_max_insn", "100000"}));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_GE(printed(o, "gpu_tot_sim_insn"), 100000);
    EXPECT_LT(printed(o, "gpu_tot_sim_insn"), 101000);
    EXPECT_THAT(o.out, HasSubstr("was ended by -gpgpu_max_insn"));
}

TEST_F(RunControl, MaxCtaCompletesThePlacedCtas) {
    const outcome o = simulate(on_tiny(sample("vecadd"), {"-gpgpu_max_cta", "3"}));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_EQ(3, printed(o, "gpu_tot_issued_cta"));
    EXPECT_EQ(3, printed(o, "ctas_completed"));
    EXPECT_THAT(o.out, HasSubstr("was ended by -gpgpu_max_cta"));
}

TEST_F(RunControl, MaxCompletedCtaEndsTheRun) {
    const outcome o = simulate(on_tiny(sample("vecadd"), {"-gpgpu_max_completed_cta", "2"}));
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_GE(printed(o, "ctas_completed"), 2);
    EXPECT_LT(printed(o, "ctas_completed"), 8);
}

TEST_F(RunControl, DeadlockIsReportedWithTheReasonOfEachWait) {
    // Each warp waits for the other one at a different barrier.
    trace.warps[0].insert(trace.warps[0].begin() + 1, "0008 ffffffff 0 BAR.SYNC 0 0 1");
    trace.warps[1].insert(trace.warps[1].begin() + 1, "0008 ffffffff 0 BAR.SYNC 0 0 2");
    const outcome o = simulate(
        {"--preset", "TINY", "-trace", trace.write(folder), "--stats-json", folder.path("s.json")});
    EXPECT_EQ(3, o.code) << o.err;
    EXPECT_THAT(o.err, HasSubstr("deadlock detected"))
        << "as Accel-Sim's job_status.py looks for it";
    EXPECT_THAT(o.err, HasSubstr("barrier"));
    EXPECT_THAT(o.err, HasSubstr("warp"));
    EXPECT_THAT(o.out, Not(HasSubstr("exit detected")));
    EXPECT_GT(printed(o, "gpu_tot_sim_cycle"), 0);
    EXPECT_EQ("deadlock", read_json(folder.path("s.json"))["ended"]);
}

TEST_F(RunControl, LongKernelLaunchLatencyIsNoDeadlock) {
    const outcome o = simulate({"--preset", "TINY", "-trace", trace.write(folder),
                                "-gpgpu_kernel_launch_latency", "200000"});
    EXPECT_EQ(0, o.code) << o.err;
    EXPECT_GT(printed(o, "gpu_tot_sim_cycle"), 200000);
}

TEST_F(RunControl, AnEmptyListIsAnEmptyRun) {
    const outcome o = simulate({"--preset", "TINY", "-trace",
                                folder.write("kernelslist.g", "MemcpyHtoD,0x7f0000000000,64\n")});
    EXPECT_EQ(0, o.code) << o.err;
}

TEST_F(RunControl, TheCtaTurnaroundTimeIsIndependentOfTheCoreClock) {
    // One block after the other: half the core cycles at half the core clock.
    trace.header["grid dim"] = "(21,1,1)";
    trace.blocks = 21;
    const std::string list = trace.write(folder);
    const auto added = [&](const std::string& core_clock) {
        double cycles[2];
        for (const unsigned more : {0u, 1u})
            cycles[more] =
                printed(simulate({"--preset", "TINY", "--core", "modern", "--any-binary-version",
                                  "-trace", list, "-gpgpu_n_clusters", "1",
                                  "-gpgpu_n_cores_per_cluster", "1", "-gpgpu_shader_cta", "1",
                                  "-gpgpu_clock_domains", core_clock + ":1000:1000:850",
                                  "-modern_cta_turnaround", more != 0 ? "1000" : "0"}),
                        "gpu_tot_sim_cycle");
        EXPECT_GT(cycles[0], 0);
        return cycles[1] - cycles[0];
    };
    EXPECT_NEAR(20000, added("1000"), 2000);
    EXPECT_NEAR(10000, added("500"), 1000);
}

}  // namespace
}  // namespace simtlm::test

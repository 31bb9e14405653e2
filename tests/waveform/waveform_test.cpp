// SPDX-License-Identifier: Apache-2.0
#include "platform/waveform/waveform.h"

#include "modules/memory/dram_timing_checker.h"
#include "modules/support/error.h"
#include "platform/waveform/timeline.h"
#include "tests/waveform/gpu_run.h"
#include "tests/waveform/vcd_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

namespace simtlm::test {
namespace {

using platform::attach_timeline;
using platform::attach_waveforms;

std::string text_of(const std::string& file) {
    std::ifstream in(file);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
}

/// Runs a function in a process of its own: one simulation per process.
void in_child(const std::function<void()>& f) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        f();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
}

/// Names of an enumeration's values, as shown by GTKWave.
std::map<std::uint64_t, std::string> translation(const std::string& file) {
    std::ifstream in(file);
    std::map<std::uint64_t, std::string> names;
    std::uint64_t value = 0;
    std::string name;
    while (in >> value && std::getline(in >> std::ws, name))
        names[value] = name.substr(name.rfind('?') + 1);
    return names;
}

TEST(Waveform, ShowsAsManyIssuePulsesAsInstructionsWereIssued) {
    const scratch_folder scratch;
    const std::string file = scratch.file("issue.vcd");
    gpu_run run("reduction", {"--vcd", file, "--vcd-scope", "gpu.cluster*"});
    auto waves = attach_waveforms(run.device(), run.how());
    run.run();
    waves->finish();

    vcd_reader vcd(file);
    const auto states = translation(file + ".issue.translate");
    const auto opcodes = translation(file + ".opcode.translate");
    struct seen {
        std::uint64_t issued = 0, pulses = 0, without_opcode = 0;
        std::map<std::string, std::uint64_t> states;
    };
    std::map<std::string, seen> by_sm;
    const auto schedulers = vcd.matching("gpu.cluster", ".issued");
    ASSERT_EQ(schedulers.size(), run.sms().size() * run.sms()[0]->schedulers());
    vcd.replay([&](std::uint64_t) {
        if (!vcd.rose("gpu.clocks.core")) return;
        for (const std::string& name : schedulers) {
            const std::string scheduler = name.substr(0, name.rfind('.'));
            seen& s = by_sm[scheduler.substr(0, scheduler.rfind('.'))];
            const std::uint64_t n = vcd.value(name);
            s.issued += n;
            s.pulses += n != 0 ? 1 : 0;
            s.without_opcode += n != 0 && opcodes.count(vcd.value(scheduler + ".opcode")) == 0;
            s.without_opcode += n != 0 && vcd.value(scheduler + ".pc") == vcd_reader::undriven;
            ++s.states[states.at(vcd.value(scheduler + ".state"))];
        }
    });
    for (core::simt_pipeline::simt_sm* sm : run.sms()) {
        const core::core_statistics& counted = sm->statistics();
        const seen& s = by_sm[sm->name()];
        EXPECT_EQ(s.issued, run.issued(*sm));
        EXPECT_EQ(s.pulses, counted.issue_cycles);
        EXPECT_EQ(s.states.at("issued"), counted.issue_cycles);
        EXPECT_EQ(s.without_opcode, 0u);
        const auto cycles = [&](const char* state) {
            return s.states.count(state) != 0 ? s.states.at(state) : 0;
        };
        EXPECT_EQ(cycles("idle") + cycles("scoreboard") + cycles("stall") + cycles("issued"),
                  counted.cycles * sm->schedulers());
        // For an SM that empties and fills again in one cycle, only the idle cycle is recorded.
        EXPECT_NEAR(static_cast<double>(cycles("idle")), static_cast<double>(counted.idle), 16);
        EXPECT_NEAR(static_cast<double>(cycles("stall")), static_cast<double>(counted.stall), 16);
        EXPECT_NEAR(static_cast<double>(cycles("scoreboard")),
                    static_cast<double>(counted.scoreboard), 16);
    }
}

/// Reads back the DRAM commands of a run, compares their number and checks their timing.
void check_dram_commands(const std::string& preset) {
    const scratch_folder scratch;
    const std::string file = scratch.file("dram.vcd");
    gpu_run run("vecadd", {"--preset", preset, "--vcd", file, "--vcd-scope", "*.dram"});
    auto waves = attach_waveforms(run.device(), run.how());
    run.run();
    waves->finish();

    vcd_reader vcd(file);
    const auto rows = translation(file + ".row_command.translate");
    const auto columns = translation(file + ".column_command.translate");
    std::uint64_t all = 0;
    for (unsigned p = 0; p < run.device().channels().size(); ++p) {
        const std::string base = fmt::format("gpu.partition{}.dram.", p);
        memory::dram_timing_checker checker("wave", run.device().config().memory.partition.dram,
                                            false);
        std::map<std::string, std::uint64_t> seen;
        std::uint64_t cycle = 0;
        vcd.replay([&](std::uint64_t) {
            if (!vcd.rose("gpu.clocks.dram")) return;
            ++cycle;
            if (const std::uint64_t r = vcd.value(base + "row_command");
                r != vcd_reader::undriven) {
                const std::string& what = rows.at(r);
                ++seen[what];
                checker.command(cycle,
                                what == "activate"    ? memory::dram_command::activate
                                : what == "precharge" ? memory::dram_command::precharge
                                                      : memory::dram_command::refresh,
                                static_cast<unsigned>(vcd.value(base + "row_bank")),
                                static_cast<std::uint32_t>(vcd.value(base + "row")), 0);
            }
            if (const std::uint64_t c = vcd.value(base + "column_command");
                c != vcd_reader::undriven) {
                const std::string& what = columns.at(c);
                ++seen[what];
                checker.command(
                    cycle,
                    what == "read" ? memory::dram_command::read : memory::dram_command::write,
                    static_cast<unsigned>(vcd.value(base + "column_bank")),
                    static_cast<std::uint32_t>(vcd.value(base + "column_row")),
                    static_cast<std::uint32_t>(vcd.value(base + "column")));
            }
        });
        const memory::dram_statistics& s = run.device().channels()[p]->statistics();
        EXPECT_EQ(seen["activate"], s.activates);
        EXPECT_EQ(seen["precharge"], s.precharges);
        EXPECT_EQ(seen["refresh"], s.refreshes);
        EXPECT_EQ(seen["read"], s.reads + s.allocate_reads);
        EXPECT_EQ(seen["write"], s.writes + s.write_backs);
        EXPECT_THAT(checker.violations(), testing::IsEmpty());
        all += checker.commands();
    }
    EXPECT_GT(all, 100u);
}

TEST(Waveform, ShowsTheDramCommandsThatWereCountedAndTheyAreLegal) {
    check_dram_commands("TINY");
}

TEST(Waveform, ShowsTheDramCommandsOfSeparateRowAndColumnBuses) {
    check_dram_commands("QV100");
}

TEST(Waveform, ShowsTheAccessesOfTheCachesAndThePacketsOfTheNetworkPorts) {
    const scratch_folder scratch;
    const std::string file = scratch.file("memory.vcd");
    gpu_run run("vecadd", {"--vcd", file});
    auto waves = attach_waveforms(run.device(), run.how());
    run.run();
    waves->finish();

    vcd_reader vcd(file);
    std::map<std::string, std::uint64_t> sum;
    const auto add_up = [&](const std::string& clock, const std::string& name) {
        if (vcd.rose(clock)) sum[name] += vcd.value(name);
    };
    vcd.replay([&](std::uint64_t) {
        for (core::simt_pipeline::simt_sm* sm : run.sms())
            for (const char* what : {".l1d.access", ".l1d.miss", ".l1i.access", ".l1c.access"})
                add_up("gpu.clocks.core", std::string(sm->name()) + what);
        for (unsigned m = 0; m < 2; ++m) {
            add_up("gpu.clocks.l2", fmt::format("gpu.partition{}.bank0.access", m));
            add_up("gpu.clocks.l2", fmt::format("gpu.partition{}.bank0.miss", m));
            add_up("gpu.clocks.core", fmt::format("gpu.network.cluster{}.request_in", m));
            add_up("gpu.clocks.core", fmt::format("gpu.network.cluster{}.reply_out", m));
            add_up("gpu.clocks.l2", fmt::format("gpu.network.memory{}.request_out", m));
            add_up("gpu.clocks.icnt", fmt::format("gpu.network.memory{}.reply_in", m));
        }
    });
    for (core::simt_pipeline::simt_sm* sm : run.sms()) {
        const std::string name = sm->name();
        EXPECT_EQ(sum[name + ".l1d.access"], sm->caches().data.statistics().accesses);
        EXPECT_EQ(sum[name + ".l1d.miss"], sm->caches().data.statistics().misses);
        EXPECT_EQ(sum[name + ".l1i.access"], sm->caches().instruction.statistics().accesses);
        EXPECT_EQ(sum[name + ".l1c.access"], sm->caches().constant.statistics().accesses);
    }
    std::uint64_t requests_in = 0, requests_out = 0, replies_in = 0, replies_out = 0;
    for (unsigned m = 0; m < 2; ++m) {
        auto& bank = run.device().partitions()[m]->sub_partition(0);
        const std::string base = fmt::format("gpu.partition{}.bank0", m);
        EXPECT_EQ(sum[base + ".access"], bank.cache_statistics()->accesses);
        EXPECT_EQ(sum[base + ".miss"], bank.cache_statistics()->misses);
        EXPECT_EQ(sum[fmt::format("gpu.network.memory{}.request_out", m)],
                  bank.statistics().requests);
        requests_in += sum[fmt::format("gpu.network.cluster{}.request_in", m)];
        requests_out += sum[fmt::format("gpu.network.memory{}.request_out", m)];
        replies_in += sum[fmt::format("gpu.network.memory{}.reply_in", m)];
        replies_out += sum[fmt::format("gpu.network.cluster{}.reply_out", m)];
    }
    EXPECT_EQ(requests_in, run.device().network().packets_injected(interconnect::requests));
    EXPECT_EQ(replies_in, run.device().network().packets_injected(interconnect::replies));
    EXPECT_EQ(requests_in, requests_out);
    EXPECT_EQ(replies_in, replies_out);
}

TEST(Waveform, ShowsFourClocksWithTheirPeriods) {
    const scratch_folder scratch;
    const std::string file = scratch.file("clocks.vcd");
    gpu_run run("vecadd", {"-gpgpu_clock_domains", "1132:900:1500:850", "--vcd", file,
                           "--vcd-scope", "gpu.network.requests_inside"});
    auto waves = attach_waveforms(run.device(), run.how());
    run.run(1);
    waves->finish();

    vcd_reader vcd(file);
    EXPECT_EQ(vcd.timescale(), "1 fs");
    const std::map<std::string, double> clocks = {
        {"core", 1132e6}, {"icnt", 900e6}, {"l2", 1500e6}, {"dram", 850e6}};
    std::map<std::string, std::uint64_t> edges, falls;
    std::map<std::string, bool> high;
    vcd.replay([&](std::uint64_t time) {
        for (const auto& [name, hertz] : clocks) {
            const std::string clock = "gpu.clocks." + name;
            if (vcd.rose(clock)) {
                const double expected = static_cast<double>(edges[name]++) * 1e15 / hertz;
                ASSERT_NEAR(static_cast<double>(time), expected, 2) << name;
            }
            const bool is_high = vcd.value(clock) == 1;
            falls[name] += high[name] && !is_high;
            high[name] = is_high;
        }
    });
    for (const auto& [name, hertz] : clocks) {
        EXPECT_NEAR(static_cast<double>(edges[name]), 1e-6 * hertz, 2) << name;
        EXPECT_NEAR(static_cast<double>(falls[name]), static_cast<double>(edges[name]), 1) << name;
    }
}

TEST(Waveform, IsRestrictedToScopeAndWindow) {
    const scratch_folder scratch;
    const std::string file = scratch.file("part.vcd");
    gpu_run run("vecadd", {"--vcd", file, "--vcd-scope", "gpu.cluster0.sm0.*,gpu.partition1",
                           "--vcd-window", "500:700"});
    auto waves = attach_waveforms(run.device(), run.how());
    run.run();
    waves->finish();

    vcd_reader vcd(file);
    std::uint64_t cycles = 0, first = 0, last = 0, issued = 0;
    vcd.replay([&](std::uint64_t time) {
        if (first == 0) first = time;
        last = time;
        cycles += vcd.rose("gpu.clocks.core") ? 1 : 0;
        if (vcd.rose("gpu.clocks.core")) issued += vcd.value("gpu.cluster0.sm0.scheduler0.issued");
    });
    for (const auto& v : vcd.variables())
        EXPECT_THAT(v.name, testing::AnyOf(testing::StartsWith("gpu.clocks."),
                                           testing::StartsWith("gpu.cluster0.sm0."),
                                           testing::StartsWith("gpu.partition1.")));
    EXPECT_TRUE(vcd.has("gpu.partition1.dram.bank0.state"));
    EXPECT_EQ(cycles, 200u);
    EXPECT_EQ(first, 500u * 1000000);
    EXPECT_LT(last, 702u * 1000000);
    EXPECT_LE(issued, 200u);  // commands before the window are not recorded
}

TEST(Waveform, ReportsAWindowBeyondTheEndOfTheRun) {
    const scratch_folder scratch;
    gpu_run run("vecadd",
                {"--vcd", scratch.file("late.vcd"), "--vcd-window", "90000000:", "--timeline",
                 scratch.file("late.json"), "--timeline-window", "90000000:"});
    auto waves = attach_waveforms(run.device(), run.how());
    auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    waves->finish();
    timeline->finish();
    EXPECT_THAT(waves->remark(), testing::HasSubstr("begins at core cycle 90000000"));
    EXPECT_THAT(timeline->remark(), testing::HasSubstr("--timeline-window"));
}

TEST(Waveform, OpensAtTheFirstActivity) {
    const scratch_folder scratch;
    const std::string file = scratch.file("launch.vcd");
    gpu_run run("vecadd", {"--vcd", file, "-gpgpu_kernel_launch_latency", "5000"});
    auto waves = attach_waveforms(run.device(), run.how());
    run.run();
    waves->finish();
    EXPECT_EQ(waves->remark(), "");
    std::ifstream save(file + ".gtkw");
    std::uint64_t start = 0;
    for (std::string line; std::getline(save, line);)
        if (line.compare(0, 11, "[timestart]") == 0) start = std::stoull(line.substr(12));
    vcd_reader vcd(file);
    std::uint64_t first_issue = 0;
    vcd.replay([&](std::uint64_t time) {
        for (const std::string& name : vcd.matching("gpu.cluster0.sm", ".issued"))
            if (first_issue == 0 && vcd.value(name) == 1) first_issue = time;
    });
    EXPECT_GT(start, 4900ull * 1000000);
    EXPECT_LE(start, first_issue);
}

using arguments = std::vector<std::string>;
class WaveformOf : public testing::TestWithParam<std::pair<const char*, arguments>> {};

// Without sleeping, every block is active at every edge, so that every signal is sampled then.
TEST_P(WaveformOf, IncludesSleepingBlocks) {
    const scratch_folder scratch;
    const auto record = [&](const char* file, arguments more) {
        const auto& [trace, options] = GetParam();
        more.insert(more.end(), options.begin(), options.end());
        more.insert(more.end(), {"--vcd", scratch.file(file)});
        gpu_run run(trace, more);
        auto waves = attach_waveforms(run.device(), run.how());
        run.run();
        waves->finish();
    };
    in_child([&] { record("all.vcd", {"--no-sleep"}); });
    record("active.vcd", {});
    const std::string active = text_of(scratch.file("active.vcd"));
    EXPECT_GT(active.size(), 100000u);
    EXPECT_TRUE(active == text_of(scratch.file("all.vcd")));  // too long to print
}
INSTANTIATE_TEST_SUITE_P(
    Samples, WaveformOf,
    testing::Values(std::pair("vecadd", arguments{}), std::pair("sgemm_tile", arguments{}),
                    std::pair("reduction", arguments{"-gpgpu_n_clusters", "1",
                                                     "-gpgpu_n_cores_per_cluster", "2"}),
                    std::pair("histogram", arguments{"--vcd-window", "700:3000"}),
                    std::pair("async_copy", arguments{}), std::pair("streams", arguments{}),
                    std::pair("divergence", arguments{"-gpgpu_clock_domains", "1132:900:1500:850"}),
                    std::pair("vecadd", arguments{"--preset", "QV100", "-gpgpu_n_clusters", "4"})));

TEST(Waveform, IsTheSameForSeveralSmsOfOneCluster) {
    const scratch_folder scratch;
    const std::string file = scratch.file("two.vcd");
    gpu_run run("reduction", {"-gpgpu_n_clusters", "1", "-gpgpu_n_cores_per_cluster", "2", "--vcd",
                              file, "--vcd-scope", "*.scheduler?.issued"});
    auto waves = attach_waveforms(run.device(), run.how());
    run.run();
    waves->finish();
    vcd_reader vcd(file);
    std::uint64_t issued = 0, expected = 0;
    vcd.replay([&](std::uint64_t) {
        if (!vcd.rose("gpu.clocks.core")) return;
        for (const std::string& name : vcd.matching("gpu.cluster0.sm", ".issued"))
            issued += vcd.value(name);
    });
    for (core::simt_pipeline::simt_sm* sm : run.sms()) expected += run.issued(*sm);
    EXPECT_EQ(issued, expected);
}

TEST(Waveform, IncludesASaveFileWhoseSignalsAndTranslationsExist) {
    const scratch_folder scratch;
    const std::string file = scratch.file("save.vcd");
    gpu_run run("vecadd", {"--vcd", file, "--vcd-window", "0:300"});
    auto waves = attach_waveforms(run.device(), run.how());
    run.run();
    waves->finish();
    waves.reset();

    const vcd_reader vcd(file);
    std::ifstream save(file + ".gtkw");
    std::string line;
    std::size_t signals = 0;
    int depth = 0;
    while (std::getline(save, line)) {
        if (line.compare(0, 4, "gpu.") == 0) {
            EXPECT_TRUE(vcd.has(line.substr(0, line.find('[')))) << line;
            ++signals;
        } else if (line.compare(0, 3, "^1 ") == 0) {
            EXPECT_TRUE(std::filesystem::exists(line.substr(3))) << line;
        } else if (line[0] == '@') {
            const unsigned long flags = std::stoul(line.substr(1), nullptr, 16);
            depth += (flags & 0x800000) != 0 ? 1 : 0;
            depth -= (flags & 0x1000000) != 0 ? 1 : 0;
        }
    }
    EXPECT_EQ(signals, vcd.variables().size());
    auto written = platform::waveform_side_files(file);
    written.push_back(file);
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
        EXPECT_THAT(written, testing::Contains(entry.path().string()));
}

TEST(Waveform, IsCompleteAfterAnInterruptedRun) {
    const scratch_folder scratch;
    const std::string file = scratch.file("cut.vcd");
    gpu_run run("reduction", {"--vcd", file});
    {
        const auto waves = attach_waveforms(run.device(), run.how());
        run.run(1);
        EXPECT_FALSE(std::filesystem::exists(file));
    }
    vcd_reader vcd(file);
    std::uint64_t cycles = 0;
    vcd.replay([&](std::uint64_t) { cycles += vcd.rose("gpu.clocks.core") ? 1 : 0; });
    EXPECT_EQ(cycles, run.device().core_cycles());
}

TEST(Waveform, OfAnUnknownNameIsRejected) {
    const scratch_folder scratch;
    gpu_run run("vecadd", {"--vcd", scratch.file("none.vcd"), "--vcd-scope", "gpu.sm7.*"});
    try {
        attach_waveforms(run.device(), run.how());
        FAIL();
    } catch (const support::user_error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("--vcd-scope: matches no signal"));
    }
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Waveform, AsFstIsRejectedWithoutTheConverter) {
    const scratch_folder scratch;
    gpu_run run("vecadd", {"--vcd", scratch.file("none.fst")});
    setenv("PATH", "/nowhere", 1);
    try {
        attach_waveforms(run.device(), run.how());
        FAIL();
    } catch (const support::user_error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("apt install gtkwave"));
    }
}

TEST(Waveform, AsFstIsConvertedWhereTheConverterIsInstalled) {
    if (std::system("command -v vcd2fst >/dev/null && command -v fst2vcd >/dev/null") != 0)
        GTEST_SKIP() << "GTKWave is not installed";
    const scratch_folder scratch;
    const std::string file = scratch.file("wave.fst");
    gpu_run run("vecadd", {"--vcd", file, "--vcd-scope", "gpu.cluster0.sm0.scheduler0"});
    auto waves = attach_waveforms(run.device(), run.how());
    run.run(1);
    waves->finish();
    ASSERT_EQ(std::system(("fst2vcd -f '" + file + "' -o '" + file + ".back' >/dev/null").c_str()),
              0);
    vcd_reader vcd(file + ".back");
    std::uint64_t issued = 0;
    vcd.replay([&](std::uint64_t) {
        if (vcd.rose("gpu.clocks.core")) issued += vcd.value("gpu.cluster0.sm0.scheduler0.issued");
    });
    EXPECT_EQ(issued, run.sms()[0]->scheduler(0).probe().count);
    EXPECT_FALSE(std::filesystem::exists(file + ".vcd"));
}

TEST(Waveform, AndTimelineChangeNoStatistic) {
    const scratch_folder scratch;
    const std::string without = scratch.file("without.txt");
    in_child([&] {
        gpu_run run("reduction", {});
        run.run();
        std::ofstream(without) << run.statistics();
    });
    gpu_run run("reduction", {"--vcd", scratch.file("a.vcd"), "--timeline", scratch.file("a.json"),
                              "--timeline-sample", "100"});
    const auto waves = attach_waveforms(run.device(), run.how());
    const auto timeline = attach_timeline(run.device(), run.how());
    run.run();
    const std::string with = run.statistics();
    EXPECT_GT(with.size(), 1000u);
    EXPECT_EQ(with, text_of(without));
}

}  // namespace
}  // namespace simtlm::test

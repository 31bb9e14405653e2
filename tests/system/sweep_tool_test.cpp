// SPDX-License-Identifier: Apache-2.0
// simtlm-sweep on this machine, and with a Slurm of one node started by the test.
#include "tests/system/simulator.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace simtlm::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// A specification of four short runs with additional lines.
std::string spec_of(const std::string& more = {}) {
    return "workloads:\n"
           "  - trace: " +
           std::string(SIMTLM_TRACES) +
           "/vecadd\n"
           "  - trace: " +
           std::string(SIMTLM_TRACES) +
           "/pchase\n"
           "presets: [TINY]\n"
           "options: {--any-binary-version: true}\n"
           "axes: {-gpgpu_l2_rop_latency: [100, 200]}\n" +
           more;
}

std::vector<fs::path> status_files(const scratch_folder& folder) {
    std::vector<fs::path> found;
    if (!fs::exists(folder.path("s.results"))) return found;
    for (const auto& e : fs::recursive_directory_iterator(folder.path("s.results")))
        if (e.path().filename() == "status.json") found.push_back(e.path());
    std::sort(found.begin(), found.end());
    return found;
}

TEST(SweepTool, RunsEveryPointAndMergesTheResults) {
    const scratch_folder folder;
    const std::string spec = folder.write("s.yaml", spec_of("statistics: [maxmflatency]\n"
                                                            "measured: {vecadd: 3000}\n"));
    const outcome o = tool("simtlm-sweep", {spec});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("| vecadd"));
    const std::string csv = read_file(folder.path("s.results/results.csv"));
    EXPECT_EQ(5, std::count(csv.begin(), csv.end(), '\n'));
    EXPECT_THAT(csv, HasSubstr("workload,preset,-gpgpu_l2_rop_latency,time_us,launch_us,"
                               "gpu_tot_sim_cycle,gpu_tot_sim_insn,gpu_tot_ipc,maxmflatency,wall_s,"
                               "peak_kB,failure"));
    const outcome alone = simulate(on_tiny(sample("pchase"), {"-gpgpu_l2_rop_latency", "200"}));
    EXPECT_THAT(csv, testing::ContainsRegex("pchase,TINY,200,[0-9.]+,[0-9.]+," +
                                            alone.values().at("gpu_tot_sim_cycle") + ","));
    for (const char* plot : {"speedup.svg", "scaling-gpgpu_l2_rop_latency.svg", "correlation.svg"})
        EXPECT_THAT(read_file(folder.path("s.results/") + plot), HasSubstr("<svg")) << plot;
    EXPECT_THAT(read_file(folder.path("s.results/index.html")), HasSubstr("<h2>Runs</h2>"));
}

TEST(SweepTool, RunsAnAxisFromOneCheckpointAndAgainIfThatChanges) {
    const scratch_folder folder;
    const auto save = [&](const char* kernels) {
        const outcome o =
            simulate(on_tiny(sample("sample"), {"--checkpoint", folder.path("sample.checkpoint"),
                                                "--checkpoint-at", kernels}));
        EXPECT_EQ(0, o.code) << o.err;
    };
    const std::string spec = folder.write(
        "s.yaml", "workloads: [{trace: " + std::string(SIMTLM_TRACES) +
                      "/sample}]\npresets: [TINY]\naxes: {-gpgpu_l2_rop_latency: [100, 200]}\n"
                      "options: {--any-binary-version: true, --resume: sample.checkpoint, "
                      "--resume-what-if: true}\n");
    save("3");
    const outcome o = tool("simtlm-sweep", {spec});
    ASSERT_EQ(0, o.code) << o.err;
    for (const fs::path& f : status_files(folder)) {
        const nlohmann::json run = read_json((f.parent_path() / "statistics.json").string());
        EXPECT_EQ(1u, run["kernels"].size()) << "the last of four kernels";
        const outcome summary =
            tool("simtlm-report", {"--summary", (f.parent_path() / "statistics.json").string()});
        EXPECT_THAT(summary.out, HasSubstr("after kernel 3"));
    }
    EXPECT_THAT(tool("simtlm-sweep", {spec}).err, HasSubstr("2 of 2 runs are complete already"));
    save("2");
    const outcome again = tool("simtlm-sweep", {spec});
    EXPECT_THAT(again.err, Not(HasSubstr("complete already")));
    for (const fs::path& f : status_files(folder))
        EXPECT_EQ(2u,
                  read_json((f.parent_path() / "statistics.json").string())["resumed"]["kernels"]);
}

TEST(SweepTool, ComparesTimesNotCycles) {
    const scratch_folder folder;
    const auto speed_up = [&](const std::string& metric) {
        const std::string spec =
            folder.write(metric + ".yaml",
                         "workloads:\n  - trace: " SIMTLM_TRACES
                         "/vecadd\npresets: [TINY]\n"
                         "axes: {-gpgpu_clock_domains: [500:500:500:425, 1000:1000:1000:850]}\n"
                         "metric: " +
                             metric + "\n");
        EXPECT_EQ(0, tool("simtlm-sweep", {spec, "-q"}).code);
        const std::string plot = read_file(folder.path(metric + ".results/speedup.svg"));
        const std::size_t at = plot.find("1000:1000:1000:850: ");
        return at == std::string::npos ? 0 : std::stod(plot.substr(at + 20));
    };
    EXPECT_NEAR(2, speed_up("time"), 0.05) << "twice the clock, half the time";
    EXPECT_NEAR(1, speed_up("cycles"), 0.05);
}

TEST(SweepTool, HasNamedLevelsDramTechnologiesPlotsAndReports) {
    const scratch_folder folder;
    fs::create_directory(folder.path("MINE"));
    folder.write("MINE/gpgpusim.config", "--preset TINY\n");
    const std::string spec = folder.write(
        "s.yaml", "workloads:\n  - trace: " SIMTLM_TRACES
                  "/vecadd\npresets: [./MINE]\naxes:\n  dram: [HBM, HBM2]\n  L1:\n"
                  "    plain: {-gpgpu_gmem_skip_L1D: 0}\n    none: [\"-gpgpu_gmem_skip_L1D 1\"]\n"
                  "plots: [{x: L1, y: L1D_total_cache_accesses}]\n"
                  "pareto: {x: gpu_tot_occupancy, y: time_us}\n");
    const outcome o = tool("simtlm-sweep", {spec});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.out, HasSubstr("| vecadd   | MINE   | HBM2 | none  |"));
    const std::string page = read_file(folder.path("s.results/index.html"));
    EXPECT_THAT(page, HasSubstr("by dram and L1"));
    EXPECT_THAT(page, HasSubstr("L1D_total_cache_accesses over L1"));
    EXPECT_THAT(page, HasSubstr("Pareto front of gpu_tot_occupancy and time_us"));
    const std::size_t link = page.find("href=\"runs/");
    ASSERT_NE(std::string::npos, link);
    const std::string report = page.substr(link + 6, page.find('"', link + 6) - link - 6);
    EXPECT_THAT(read_file(folder.path("s.results/" + report)), HasSubstr("simtlm report"));
}

TEST(SweepTool, NamesAxesWithoutEffect) {
    const scratch_folder folder;
    const std::string spec = folder.write("s.yaml", "workloads:\n  - trace: " SIMTLM_TRACES
                                                    "/vecadd\npresets: [V100]\n"
                                                    "axes: {-gpgpu_scheduler: [lrr, gto]}\n");
    const outcome o = tool("simtlm-sweep", {spec});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.err, HasSubstr("simtlm-sweep: without effect: -gpgpu_scheduler (of --core simt"));
    EXPECT_THAT(read_file(folder.path("s.results/index.html")), HasSubstr("-gpgpu_scheduler (of"));
}

TEST(SweepTool, PlacesPlotLabelsWithoutOverlap) {
    const scratch_folder folder;
    const std::string spec =
        folder.write("s.yaml", "workloads:\n  - {name: a, trace: " SIMTLM_TRACES
                               "/vecadd}\n"
                               "  - {name: with a longer name, trace: " SIMTLM_TRACES
                               "/vecadd}\n"
                               "presets: [TINY]\noptions: {--any-binary-version: true}\n"
                               "axes: {-gpgpu_l2_rop_latency: [100, 200]}\n");
    ASSERT_EQ(0, tool("simtlm-sweep", {spec, "-q"}).code);
    const std::string plot = read_file(folder.path("s.results/speedup.svg"));
    const auto centre = [&plot](const std::string& label) {
        const std::size_t end = plot.find('>' + label + "</text>");
        const std::size_t begin = plot.rfind("<text x=\"", end);
        return end == std::string::npos ? 0 : std::stod(plot.substr(begin + 9));
    };
    constexpr double character = 5.5;  // minimum width in a font of 11 points
    const std::string labels[] = {"a", "with a longer name", "geometric mean"};
    for (std::size_t i = 1; i < std::size(labels); ++i)
        EXPECT_LT(character * static_cast<double>(labels[i - 1].size() + labels[i].size()) / 2,
                  centre(labels[i]) - centre(labels[i - 1]))
            << labels[i];
}

TEST(SweepTool, RerunsOnlyMissingOrChangedPoints) {
    const scratch_folder folder;
    const std::string spec = folder.write("s.yaml", spec_of());
    ASSERT_EQ(0, tool("simtlm-sweep", {spec, "-q"}).code);
    const auto files = status_files(folder);
    ASSERT_EQ(4u, files.size());
    std::vector<fs::file_time_type> before;
    for (const fs::path& f : files) before.push_back(fs::last_write_time(f));
    fs::remove(files[2]);  // as if it had been killed during this run
    ASSERT_EQ(0, tool("simtlm-sweep", {spec, "-q"}).code);
    for (std::size_t i = 0; i < files.size(); ++i)
        EXPECT_EQ(i == 2, fs::last_write_time(files[i]) != before[i]) << files[i];
    folder.write("s.yaml", spec_of("timeout: 100\n"));
    const outcome again = tool("simtlm-sweep", {spec});
    EXPECT_THAT(again.err, HasSubstr("4 of 4 runs are complete already"));
}

TEST(SweepTool, ReportsFailedRunsAndContinuesWithTheOthers) {
    const scratch_folder folder;
    folder.write("broken/kernelslist.g", "");
    fs::create_directory(folder.path("broken"));
    folder.write("broken/kernelslist.g", "kernel-1.traceg\n");
    const std::string spec =
        folder.write("s.yaml", spec_of().replace(0, 11, "workloads:\n  - trace: broken\n"));
    const outcome o = tool("simtlm-sweep", {spec});
    EXPECT_EQ(3, o.code);
    EXPECT_THAT(o.err, HasSubstr("2 of 6 runs have failed"));
    EXPECT_THAT(read_file(folder.path("s.results/results.csv")), HasSubstr("exit code 2"));
    EXPECT_EQ(6u, status_files(folder).size());
    EXPECT_EQ(3, tool("simtlm-sweep", {spec, "-q"}).code);
}

TEST(SweepTool, CountsARunWithoutSimulatedKernelAsFailed) {
    const scratch_folder folder;
    fs::create_directory(folder.path("copies"));
    folder.write("copies/kernelslist.g", "MemcpyHtoD,0x00007f0000000000,1024\n");
    const std::string spec =
        folder.write("s.yaml", "workloads: [{trace: copies}]\npresets: [TINY]\n");
    const outcome o = tool("simtlm-sweep", {spec});
    EXPECT_EQ(3, o.code);
    EXPECT_THAT(read_file(folder.path("s.results/results.csv")),
                HasSubstr("no kernel was simulated"));
}

TEST(SweepTool, StopsOnASignalAndResumesLater) {
    const scratch_folder folder;
    const std::string spec = folder.write(
        "s.yaml", "workloads: [{trace: " + std::string(SIMTLM_TRACES) +
                      "/sample}]\npresets: [TINY]\n"
                      "options: {--any-binary-version: true}\naxes: {-gpgpu_l2_rop_latency: "
                      "[100, 110, 120, 130, 140, 150]}\n");
    const std::string command = "timeout -s TERM 0.5 '" + std::string(SIMTLM_TOOLS) +
                                "/simtlm-sweep' -q -j 1 '" + spec + "' >/dev/null 2>&1";
    [[maybe_unused]] const int ended = std::system(command.c_str());
    const std::size_t there = status_files(folder).size();
    const outcome rest = tool("simtlm-sweep", {spec, "-j", "2"});
    EXPECT_EQ(0, rest.code) << rest.err;
    EXPECT_EQ(6u, status_files(folder).size());
    if (there != 0) {
        EXPECT_THAT(rest.err, HasSubstr(std::to_string(there) + " of 6 runs are complete already"));
    }
}

// ---- shards ----------------------------------------------------------------------------------

/// The folder of the only run of a sweep.
fs::path folder_of_run(const scratch_folder& folder) {
    fs::path found;
    for (const auto& e : fs::directory_iterator(folder.path("s.results/runs"))) {
        EXPECT_TRUE(found.empty()) << "there are several runs";
        found = e.path();
    }
    return found;
}

std::string sharded_spec(const std::string& workload) {
    return "workloads:\n  - {" + workload +
           "}\npresets: [TINY]\noptions: {--any-binary-version: true}\n";
}

const std::string four_kernels = "trace: " + std::string(SIMTLM_TRACES) + "/sample";

TEST(SweepShards, MergeIntoTheInstructionsOfAnUndividedRun) {
    const scratch_folder folder;
    const std::string spec = folder.write("s.yaml", sharded_spec(four_kernels + ", shards: 3"));
    const outcome o = tool("simtlm-sweep", {spec});
    ASSERT_EQ(0, o.code) << o.err;
    const std::string whole = folder.path("whole.json");
    ASSERT_EQ(0, simulate(on_tiny(sample("sample"), {"--stats-json", whole})).code);
    const fs::path run = folder_of_run(folder);
    const nlohmann::json m = read_json(run / "statistics.json"), w = read_json(whole);
    EXPECT_EQ(3u, m["merged"]["runs"].size());
    ASSERT_EQ(4u, m["kernels"].size());
    for (std::size_t i = 0; i < 4; ++i)
        for (const char* same : {"list_number", "name", "ctas", "gpu_sim_insn"})
            EXPECT_EQ(w["kernels"][i][same], m["kernels"][i][same]) << i << same;
    EXPECT_EQ(w["kernels"][0], m["kernels"][0]) << "nothing has run before the first in either";
    EXPECT_EQ(w["total"]["gpu_tot_sim_insn"], m["total"]["gpu_tot_sim_insn"]);
    EXPECT_EQ(w["total"]["warp_insn[load]"], m["total"]["warp_insn[load]"]);
    // One row with the totals of the whole run.
    const std::string csv = read_file(folder.path("s.results/results.csv"));
    EXPECT_EQ(2, std::count(csv.begin(), csv.end(), '\n')) << csv;
    EXPECT_THAT(csv, HasSubstr("," + std::to_string(w["total"]["gpu_tot_sim_insn"].get<long>())));
}

TEST(SweepShards, StartWithTheCachesOfTheKernelsThatWarmThem) {
    const scratch_folder folder;
    const std::string spec =
        folder.write("s.yaml", sharded_spec(four_kernels + ", shards: 4, warm-up: 3"));
    ASSERT_EQ(0, tool("simtlm-sweep", {spec}).code);
    const std::string whole = folder.path("whole.json");
    ASSERT_EQ(0, simulate(on_tiny(sample("sample"), {"--stats-json", whole})).code);
    const nlohmann::json m = read_json(folder_of_run(folder) / "statistics.json"),
                         w = read_json(whole);
    // All earlier kernels have run in each shard.
    EXPECT_EQ(6u, m["merged"]["warmed_by"].size());
    EXPECT_EQ(w["kernels"], m["kernels"]);
    EXPECT_EQ(w["total"]["gpu_tot_sim_cycle"], m["total"]["gpu_tot_sim_cycle"]);
    EXPECT_EQ(w["total"]["gpu_tot_sim_insn"], m["total"]["gpu_tot_sim_insn"]);
    EXPECT_TRUE(m["blocks"].empty());
}

TEST(SweepShards, OfAProgramExecuteOtherLaunchesFunctionally) {
    const scratch_folder folder;
    const std::string programs = SIMTLM_PROGRAMS;
    const std::string spec = folder.write(
        "s.yaml",
        sharded_spec("ptx: " + programs + "/saxpy.ptx, launch: " + programs + "/saxpy.launch"));
    // The second launch depends on the results of the first: a wrong result is a failed run.
    const outcome o = tool("simtlm-sweep", {spec, "--shards", "2"});
    ASSERT_EQ(0, o.code) << o.err;
    EXPECT_THAT(o.err, HasSubstr("counting launches"));
    const nlohmann::json m = read_json(folder_of_run(folder) / "statistics.json");
    ASSERT_EQ(2u, m["kernels"].size());
    EXPECT_EQ(2u, m["merged"]["runs"].size());
    EXPECT_EQ(m["kernels"][0]["gpu_sim_insn"], m["kernels"][1]["gpu_sim_insn"]);
}

TEST(SweepShards, AreRerunIndividually) {
    const scratch_folder folder;
    const std::string spec = folder.write("s.yaml", sharded_spec(four_kernels + ", shards: 4"));
    ASSERT_EQ(0, tool("simtlm-sweep", {spec, "-q"}).code);
    const fs::path run = folder_of_run(folder);
    const std::string before = read_file(run / "statistics.json");
    fs::remove(run / "kernels-3-3" / "status.json");
    fs::remove(run / "status.json");
    const outcome rest = tool("simtlm-sweep", {spec});
    ASSERT_EQ(0, rest.code) << rest.err;
    EXPECT_THAT(rest.err, HasSubstr("3 of 4 runs are complete already"));
    const nlohmann::json a = nlohmann::json::parse(before), b = read_json(run / "statistics.json");
    EXPECT_EQ(a["kernels"], b["kernels"]);
    // Without shards, the same workload is a different run.
    folder.write("s.yaml", sharded_spec(four_kernels));
    EXPECT_THAT(tool("simtlm-sweep", {spec}).err, HasSubstr("1 of 1: "));
}

TEST(SweepShards, ReportWhichShardFailed) {
    const scratch_folder folder;
    fs::create_directory(folder.path("broken"));
    fs::copy(std::string(SIMTLM_TRACES) + "/sample/kernel-1.traceg.xz", folder.path("broken"));
    folder.write("broken/kernel-2.traceg", "-kernel name = broken\n");
    folder.write("broken/kernelslist.g", "kernel-1.traceg.xz\nkernel-2.traceg\n");
    const std::string spec = folder.write("s.yaml", sharded_spec("trace: broken, shards: 2"));
    const outcome o = tool("simtlm-sweep", {spec});
    EXPECT_EQ(3, o.code);
    EXPECT_THAT(read_file(folder.path("s.results/results.csv")),
                HasSubstr("kernels-2-2: exit code 2"));
}

struct refused {
    const char* name;
    const char* more;
    const char* said;
};
class SweepSpecification : public testing::TestWithParam<refused> {};

TEST_P(SweepSpecification, IsRejectedBeforeAnyRun) {
    const scratch_folder folder;
    const std::string spec = folder.write("s.yaml", spec_of(GetParam().more));
    const outcome o = tool("simtlm-sweep", {spec});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr(GetParam().said));
    EXPECT_EQ(1, std::count(o.err.begin(), o.err.end(), '\n')) << o.err;
    EXPECT_FALSE(fs::exists(folder.path("s.results")));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, SweepSpecification,
    testing::Values(
        refused{"Statistic", "statistics: [gpu_tot_sim_cicle]\n", "did you mean gpu_tot_sim_cycle"},
        refused{"SecondTrace", "configurations: [{name: a, options: {-trace: x}}]\n",
                "-trace cannot be set"},
        refused{"OptionTwice", "configurations: [{name: a, options: {-gpgpu_l2_rop_latency: 5}}]\n",
                "one of which would be ignored"},
        refused{"Option", "paired: [{-gpgpu_l2_rob_latency: [1]}]\n",
                "did you mean -gpgpu_l2_rop_latency"},
        refused{"OutputOfAllRuns", "configurations: [{name: a, options: {--stats-csv: x.csv}}]\n",
                "every run would write"},
        refused{"UnevenPair", "paired: [{-gpgpu_shader_cta: [1, 2], -gpgpu_n_mem: [1]}]\n",
                "has 1 values"},
        refused{"Key", "axis: {}\n", "did you mean axes"},
        refused{"Value", "paired: [{-gpgpu_shader_cta: [many]}]\n", "many"},
        refused{"ShardsOfNone", "shards: 0\n", "'shards' is not a number from 1"},
        refused{"KernelsOfShards", "shards: 2\npaired: [{--kernels: [1, 2]}]\n",
                "--kernels cannot be combined with shards"},
        refused{"Metric", "metric: joules\n", "time, total-time or cycles"},
        refused{"PlotOfNothing", "plots: [{x: -gpgpu_n_mem, y: gpu_tot_ipc}]\n",
                "unknown statistic '-gpgpu_n_mem'"},
        refused{"LevelsWithoutNames", "paired: [{L1: [small, large]}]\n", "has no named levels"},
        refused{"OptionOfALevel", "paired: [{L1: {a: {-gpgpu_smem_latenzy: 3}}}]\n",
                "did you mean -gpgpu_smem_latency"},
        refused{"DramOfAnotherWidth", "paired: [{dram: [HBM3]}]\n", "state the number of channels"},
        refused{"Baseline", "baseline: QV100\n", "no runs are called"},
        refused{"Yaml", "statistics: [\n", "s.yaml:"}),
    [](const auto& one) { return one.param.name; });

TEST(SweepSpecification, OfADramTechnologyWithoutAGpuIsRejected) {
    const scratch_folder folder;
    const std::string spec = folder.write(
        "s.yaml", "workloads: [{trace: " SIMTLM_TRACES "/vecadd}]\npresets: [dram/HBM2]\n");
    const outcome o = tool("simtlm-sweep", {spec});
    EXPECT_EQ(2, o.code);
    EXPECT_THAT(o.err, HasSubstr("s.yaml:2: dram/HBM2 configures the memory of a GPU, but no GPU"));
    EXPECT_THAT(o.err, HasSubstr("axes: {dram: [HBM2]}"));
}

// ---- Slurm -----------------------------------------------------------------------------------

/// Processes that run as long as the test: they are ended with it, whether it succeeds, fails, is
/// skipped or is killed.
class background_processes {
public:
    background_processes() = default;
    background_processes(const background_processes&) = delete;
    background_processes& operator=(const background_processes&) = delete;
    /// Ends them, the last one first, and waits for them.
    ~background_processes() {
        for (auto p = all_.rbegin(); p != all_.rend(); ++p) {
            kill(*p, SIGTERM);
            bool ended = false;
            for (int i = 0; i < 50 && !ended; ++i) {
                std::this_thread::sleep_for(std::chrono::milliseconds(i == 0 ? 10 : 100));
                ended = waitpid(*p, nullptr, WNOHANG) != 0;
            }
            if (ended) continue;
            kill(*p, SIGKILL);
            waitpid(*p, nullptr, 0);
        }
    }
    /// @param log   file for its output
    /// @param user  that runs it; nullptr: the user of the test
    void start(std::vector<const char*> command, const std::string& log,
               const char* user = nullptr) {
        command.push_back(nullptr);
        const passwd* const who = user != nullptr ? getpwnam(user) : nullptr;
        const pid_t test = getpid();
        const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        const pid_t child = fork();
        if (child == 0) {
            dup2(out, STDOUT_FILENO);
            dup2(out, STDERR_FILENO);
            if (who != nullptr && (setgid(who->pw_gid) != 0 || setuid(who->pw_uid) != 0)) _exit(1);
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            if (getppid() == test) execvp(command[0], const_cast<char* const*>(command.data()));
            _exit(1);
        }
        close(out);
        if (child > 0) all_.push_back(child);
    }
    pid_t operator[](std::size_t i) const { return all_[i]; }

private:
    std::vector<pid_t> all_;
};

TEST(BackgroundProcesses, EndWithTheTestThatStartsThem) {
    const scratch_folder folder;
    pid_t process = 0;
    {
        background_processes all;
        all.start({"sleep", "600"}, folder.path("log"));
        process = all[0];
        EXPECT_EQ(0, kill(process, 0));
    }
    EXPECT_NE(0, kill(process, 0));
}

/// A Slurm of one node, this machine, with separate files and ports.
class slurm_of_one_node {
public:
    explicit slurm_of_one_node(const scratch_folder& folder) : folder_(folder) {
        char host[256] = {};
        gethostname(host, sizeof host - 1);
        const std::string at = folder.path("slurm");
        for (const char* sub : {"", "/state", "/spool"}) fs::create_directories(at + sub);
        // Below the range from which Linux takes ports for connections.
        const int port = 20000 + 2 * (getpid() % 6000);
        std::ofstream(at + "/slurm.conf")
            << "ClusterName=test\nSlurmctldHost=" << host << "(127.0.0.1)\nAuthType=auth/munge\n"
            << "SlurmUser=root\nSlurmdUser=root\nSlurmctldPort=" << port
            << "\nSlurmdPort=" << port + 1 << "\nStateSaveLocation=" << at
            << "/state\nSlurmdSpoolDir=" << at << "/spool\n"
            << "SlurmctldPidFile=" << at << "/ctld.pid\nSlurmdPidFile=" << at << "/d.pid\n"
            << "SlurmctldLogFile=" << at << "/ctld.log\nSlurmdLogFile=" << at << "/d.log\n"
            << "ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSelectType=select/cons_tres\n"
            << "JobAcctGatherType=jobacct_gather/none\nReturnToService=2\nMinJobAge=2\n"
            << "MpiDefault=none\nSwitchType=switch/none\n"
            << "NodeName=" << host << " NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n"
            << "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n";
        setenv("SLURM_CONF", (at + "/slurm.conf").c_str(), 1);
    }
    /// @return why it cannot run; empty on success
    std::string start() {
        const std::string at = folder_.path("slurm");
        for (const char* program : {"slurmctld", "slurmd", "sbatch", "munged"})
            if (std::system(("command -v " + std::string(program) + " >/dev/null").c_str()) != 0)
                return std::string("there is no ") + program;
        if (geteuid() != 0) return "a slurmd wants to be root";
        if (!accepts("munge -n </dev/null")) {
            if (std::system("mkdir -p /run/munge && chown munge: /run/munge") != 0)
                return "there is no user munge";
            daemons_.start({"munged", "--foreground"}, at + "/munge.log", "munge");
            if (!accepts("munge -n </dev/null", 20))
                return "munged does not start: " + read_file(at + "/munge.log");
        }
        daemons_.start({"slurmctld", "-D", "-c"}, at + "/ctld.out");
        daemons_.start({"slurmd", "-D"}, at + "/d.out");
        if (accepts("sinfo -h -o %t | grep -q idle", 60)) return {};
        return "its node does not come up: " + read_file(at + "/ctld.out") +
               read_file(at + "/d.out") + read_file(at + "/d.log").substr(0, 2000);
    }

private:
    /// Whether a command succeeds, tried every half second.
    static bool accepts(const std::string& command, int tries = 1) {
        for (int i = 0; i < tries; ++i) {
            if (i != 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
            if (std::system(("{ " + command + "; } >/dev/null 2>&1").c_str()) == 0) return true;
        }
        return false;
    }

    const scratch_folder& folder_;
    background_processes daemons_;
};

TEST(SweepBySlurm, HasTheResultsOfLocalRuns) {
    const scratch_folder folder;
    slurm_of_one_node slurm(folder);
    if (const std::string why = slurm.start(); !why.empty()) GTEST_SKIP() << why;
    const std::string spec = folder.write("s.yaml", spec_of());
    const outcome o = tool("simtlm-sweep", {spec, "--engine", "slurm"});
    ASSERT_EQ(0, o.code) << o.err << o.out;
    EXPECT_EQ(4u, status_files(folder).size());
    const std::string local = folder.write("l.yaml", spec_of());
    ASSERT_EQ(0, tool("simtlm-sweep", {local, "-q"}).code);
    const auto cycles = [&](const std::string& file) {
        std::istringstream lines(read_file(folder.path(file)));
        std::vector<std::string> all;
        for (std::string line; std::getline(lines, line);) {
            std::size_t end = line.size();  // without time, memory and failure
            for (unsigned column = 0; column < 3; ++column) end = line.rfind(',', end - 1);
            all.push_back(line.substr(0, end));
        }
        return all;
    };
    EXPECT_EQ(cycles("l.results/results.csv"), cycles("s.results/results.csv"));
    const auto before = fs::last_write_time(status_files(folder)[0]);
    ASSERT_EQ(0, tool("simtlm-sweep", {spec, "--engine", "slurm", "-q"}).code);
    EXPECT_EQ(before, fs::last_write_time(status_files(folder)[0]));
    // Two runs of four kernels each, in shards of one, preceded by the instruction counts of a
    // program.
    const std::string programs = SIMTLM_PROGRAMS;
    const std::string split = "workloads: [{" + four_kernels + "}, {ptx: " + programs +
                              "/saxpy.ptx, launch: " + programs + "/saxpy.launch}]\n" +
                              "presets: [TINY]\noptions: {--any-binary-version: true}\nshards: 4\n";
    const std::string by_slurm = folder.write("a.yaml", split),
                      here = folder.write("b.yaml", split);
    ASSERT_EQ(0, tool("simtlm-sweep", {by_slurm, "--engine", "slurm", "-q"}).code);
    ASSERT_EQ(0, tool("simtlm-sweep", {here, "-q"}).code);
    EXPECT_EQ(cycles("b.results/results.csv"), cycles("a.results/results.csv"));
}

}  // namespace
}  // namespace simtlm::test

// SPDX-License-Identifier: Apache-2.0
// simtlm-sweep: runs workloads over presets, configurations and option values, and collects the
// results.
#include "modules/support/error.h"
#include "modules/support/file_table.h"
#include "modules/support/output_file.h"
#include "modules/trace/command_list.h"
#include "platform/report/statistics_table.h"
#include "platform/study/shards.h"
#include "platform/study/sweep_plots.h"
#include "sc_main/exit_code.h"
#include "sc_main/standard_streams.h"
#include "sc_main/tool_main.h"
#include "sc_main/tools.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace simtlm::tools {
namespace sweep_tool {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
namespace study = platform::study;

constexpr const char* usage = R"(usage: simtlm-sweep [OPTIONS] SPEC.yaml

Simulates traces and programs on presets, configurations and option values, locally or with Slurm, and
writes a table (results.csv), plots (SVG) and a page (index.html) with the results. Runs that have
finished are not repeated: to resume after an interruption, use the same command. If a run fails, the
failure is reported and the other runs continue.

  workloads:
    - trace: traces/sample
    - {name: saxpy, ptx: programs/saxpy.ptx, launch: programs/saxpy.launch}
    - {cuda: ./my_program, arguments: [1024]}
  presets: [QV100, RTX3070]
  axes:
    -gpgpu_n_clusters: [20, 40, 80]
    dram: [HBM, HBM2]
    L1: {small: {-gpgpu_unified_l1d_size: 64}, large: {-gpgpu_unified_l1d_size: 128}}
  statistics: [gpu_tot_occupancy]

--shards N, or shards: N of a workload, splits its kernels into N runs and merges the results.

docs/studies.md describes the specification. Paths in it are relative to the specification.

Exit code: 0 if all runs succeeded; 1 if an output cannot be written; 2 if a file or the command line is
invalid (nothing has run); 3 if runs have failed; 128 + n if signal n ended simtlm-sweep.
)";

constexpr int runs_failed = 3;

/// Names of printed values, as documented in docs/statistics.md.
std::vector<std::string> statistic_names() {
    std::vector<std::string> names;
    for (const platform::statistic_info& s : platform::statistics_table())
        names.emplace_back(s.name);
    return names;
}

std::string own_path() {
    std::error_code error;
    const fs::path p = fs::read_symlink("/proc/self/exe", error);
    return error ? std::string("simtlm-sweep") : p.string();
}

std::string found_simtlm(const std::string& given) {
    if (!given.empty()) {
        if (access(given.c_str(), X_OK) != 0)
            throw support::user_error(given, "cannot be executed",
                                      "name the simulator: --simtlm FILE");
        return fs::absolute(given).string();
    }
    const fs::path adjacent = fs::path(own_path()).parent_path() / "simtlm";
    if (access(adjacent.c_str(), X_OK) != 0)
        throw support::user_error(adjacent.string(), "does not exist",
                                  "name the simulator: --simtlm FILE");
    return adjacent.string();
}

unsigned processors() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0
               ? std::max(1u, static_cast<unsigned>(CPU_COUNT(&set)))
               : 1;
}

/// Checks options, presets and values like the simulator itself, once per combination.
void check_configurations(const study::sweep_plan& plan) {
    std::set<std::vector<std::string>> checked;
    for (const study::sweep_run& r : plan.runs) {
        std::vector<std::string> words;
        for (std::size_t i = 0; i < r.command.size(); ++i) {
            const std::string& w = r.command[i];
            if (i == 1 && w == "run") continue;
            if (w == "--") break;
            if (w == "--stats-json" || w == "-trace" || w == "--ptx" || w == "--cubin" ||
                w == "--launch") {
                ++i;
                continue;
            }
            words.push_back(w);
        }
        words.emplace_back("--dump-config");
        if (!checked.insert(words).second) continue;
        int ends[2];
        if (pipe(ends) != 0) continue;
        const pid_t child = fork();
        if (child == 0) {
            std::vector<char*> argv;
            for (std::string& w : words) argv.push_back(w.data());
            argv.push_back(nullptr);
            const int nowhere = open("/dev/null", O_RDWR);
            dup2(nowhere, 0);
            dup2(nowhere, 1);
            dup2(ends[1], 2);
            close(ends[0]);
            execv(argv[0], argv.data());
            _exit(127);
        }
        close(ends[1]);
        std::string said;
        char buffer[1024];
        for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
            said.append(buffer, static_cast<std::size_t>(n));
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        while (!said.empty() && said.back() == '\n') said.pop_back();
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            throw support::user_error(r.workload + " " + r.series, "cannot run: " + said);
    }
}

/// Size of each kernel's trace in bytes, by position in the list; it grows with the number of
/// instructions.
std::vector<std::uint64_t> trace_weights(const std::string& list) {
    const fs::path path(list);
    const std::string file = fs::is_directory(path) ? (path / "kernelslist.g").string() : list;
    trace::kernel_choice choice;
    const auto commands = trace::read_command_list(file, choice);
    if (choice.kernels || choice.ids || choice.names || choice.skip || choice.most)
        throw support::user_error(file, "chooses kernels itself, as shards do",
                                  "remove the choice from the list, or omit the shards");
    std::vector<std::uint64_t> weights;
    for (const trace::command& c : commands)
        if (c.what == trace::command::kind::kernel) weights.push_back(fs::file_size(c.file));
    return weights;
}

/// Prevents two sweeps from using the same folder.
class folder_lock {
public:
    explicit folder_lock(const std::string& folder) {
        std::error_code error;
        fs::create_directories(folder, error);
        const std::string name = folder + "/lock";
        file_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file_ < 0)
            throw support::user_error(folder, "cannot be written", "name another 'output'");
        if (flock(file_, LOCK_EX | LOCK_NB) != 0)
            throw support::user_error(folder, "is in use by another simtlm-sweep",
                                      "wait for it, or name another 'output'");
    }
    ~folder_lock() { close(file_); }
    folder_lock(const folder_lock&) = delete;
    folder_lock& operator=(const folder_lock&) = delete;

private:
    int file_ = -1;
};

void write_file(const fs::path& name, const std::string& text) {
    support::output_file file(name.string());
    file.write(text);
    file.commit();
}

/// Rejects a folder for results in which a file of the results would replace an input.
void check_results(const study::sweep_plan& plan) {
    support::file_table table;
    for (const std::string& f : plan.inputs) table.add_input(f, "an input");
    for (const char* name : {"results.csv", "index.html"})
        table.add_output((fs::path(plan.folder) / name).string(), "the results");
}

void write_results(const study::sweep_plan& plan, const std::vector<study::sweep_result>& results) {
    const fs::path folder = plan.folder;
    support::output_attempts attempt;
    attempt([&] { study::write_run_reports(results); });
    attempt([&] { write_file(folder / "results.csv", study::results_csv(plan, results)); });
    for (const study::sweep_plot& p : study::results_plots(plan, results))
        attempt([&] { write_file(folder / (p.name + ".svg"), p.svg); });
    attempt([&] { write_file(folder / "index.html", study::results_page(plan, results)); });
    attempt.finish();
}

/// Executes the runs of a sweep with one of the engines, and shows progress.
class sweep_execution {
public:
    struct settings {
        bool slurm = false, retry = false, quiet = false;
        unsigned jobs = 0;  ///< parallel runs; 0: as many as the machine has room for
    };
    sweep_execution(const study::sweep_plan& plan, const settings& how) : plan_(plan), how_(how) {}

    /// Executes the missing runs. @return the signal that ended it early; 0: all have been executed
    int run(const std::vector<study::sweep_run>& all, const char* what) {
        std::size_t done = all.size();
        const auto left = [&] {
            std::vector<const study::sweep_run*> runs;
            for (const study::sweep_run& r : all) {
                const auto outcome = study::outcome_of(r);
                if (!outcome || (how_.retry && !outcome->ok())) runs.push_back(&r);
            }
            return runs;
        };
        const std::vector<const study::sweep_run*> runs = left();
        done -= runs.size();
        if (!how_.quiet && done != 0)
            print_error(fmt::format("simtlm-sweep: {} of {} {} are complete already\n", done,
                                    all.size(), what));
        if (how_.slurm) {
            study::run_by_slurm(plan_, left, how_.jobs, own_path());
            return 0;
        }
        const unsigned parallel =
            how_.jobs != 0 ? how_.jobs : std::max(1u, processors() / plan_.processors);
        return study::run_locally(
            runs, parallel, plan_.timeout,
            [&](const study::sweep_run& r, const study::sweep_outcome& outcome) {
                ++done;
                if (how_.quiet) return;
                print_error(fmt::format(
                    "simtlm-sweep: {} of {}: {} {}: {}\n", done, all.size(), r.workload, r.series,
                    outcome.ok() ? fmt::format("{:.1f} s", outcome.wall) : outcome.message));
            });
    }

private:
    const study::sweep_plan& plan_;
    settings how_;
};

void print_commands(const std::vector<study::sweep_run>& runs) {
    for (const study::sweep_run& r : runs) {
        std::string line;
        for (const std::string& w : r.command) line += (line.empty() ? "" : " ") + w;
        put_out(line + "\n");
    }
}

int act(int argc, char** argv) {
    std::vector<std::string> files;
    std::string simtlm, engine = "local";
    unsigned shards = 0;
    sweep_execution::settings how;
    bool dry = false;
    std::size_t task = 0;
    tool_options o("simtlm-sweep", usage, files);
    // clang-format off
    o.add()
        ("engine", po::value(&engine)->value_name("local|slurm"), "run on this machine or submit to Slurm (local)")
        ("jobs,j", po::value(&how.jobs)->value_name("N"),
         "number of simultaneous runs (local: the number of processors divided by the --threads of a run; "
         "slurm: no limit)")
        ("shards", po::value(&shards)->value_name("N"),
         "split the kernels of each workload into N runs (1: do not split; default: as specified)")
        ("retry", po::bool_switch(&how.retry), "repeat runs that failed")
        ("dry-run", po::bool_switch(&dry), "validate the specification and print the commands, but run nothing")
        ("quiet,q", po::bool_switch(&how.quiet), "print no table and no progress")
        ("simtlm", po::value(&simtlm)->value_name("FILE"), "simulator executable (the one in the folder of this program)")
        ("task", po::value(&task)->value_name("N"), "run task N of a task file (used by Slurm jobs)");
    // clang-format on
    if (o.parse(argc, argv)) return success;
    if (files.size() != 1) o.refuse("one specification is expected");
    if (o.given("task")) {
        const int signal = study::run_task(files[0], task);
        return signal != 0 ? ended_by_signal + signal : success;
    }
    if (engine != "local" && engine != "slurm") o.refuse("--engine is neither local nor slurm");
    how.slurm = engine == "slurm";
    if (o.given("shards") && shards == 0) o.refuse("--shards 0: at least one is required");
    const study::sweep_plan plan =
        study::read_sweep(files[0], found_simtlm(simtlm), statistic_names(), shards);
    check_configurations(plan);
    // Detects a list that cannot be split before any run.
    std::vector<study::sweep_run> runs = study::timed_runs(plan, trace_weights);
    const std::vector<study::sweep_run> counting = study::counting_runs(plan);
    if (dry) {
        print_commands(counting);
        print_commands(runs);
        return success;
    }
    const folder_lock lock(plan.folder);
    check_results(plan);
    sweep_execution execution(plan, how);
    int signal = 0;
    if (!counting.empty()) {
        signal = execution.run(counting, "counts of launches");
        runs = study::timed_runs(plan, trace_weights);
    }
    if (signal == 0) signal = execution.run(runs, "runs");
    study::merge_shards(plan, trace_weights);
    const std::vector<study::sweep_result> results = study::results_of(plan);
    write_results(plan, results);
    for (const std::string& note : study::ineffective_options(results))
        print_error("simtlm-sweep: " + note + "\n");
    if (signal != 0) return ended_by_signal + signal;
    if (!how.quiet) put_out(study::results_table(plan, results));
    const auto failed = std::count_if(results.begin(), results.end(),
                                      [](const study::sweep_result& r) { return !r.ok(); });
    if (failed != 0)
        print_error(
            fmt::format("simtlm-sweep: {} of {} runs have failed (--retry runs them again)\n",
                        failed, results.size()));
    return failed != 0 ? runs_failed : success;
}

}  // namespace
}  // namespace sweep_tool

int sweep(int argc, char** argv) {
    return run_tool("simtlm-sweep", argc, argv, sweep_tool::act);
}

}  // namespace simtlm::tools

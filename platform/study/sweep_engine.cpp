// SPDX-License-Identifier: Apache-2.0
#include "platform/study/sweep_engine.h"

#include "modules/support/display_text.h"
#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "platform/study/json_schema.h"
#include "platform/study/statistics_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace simtlm::platform::study {

namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void write_text(const fs::path& file, const std::string& text) {
    support::output_file out(file.string());
    out.write(text);
    out.commit();
}

/// Format of the status file of a run.
const json_schema& status_schema() {
    static const json_schema schema(json::parse(R"({"type": "object", "properties": {
        "fingerprint": {"type": "string"}, "code": {"type": "integer"},
        "wall_s": {"type": "number"}, "user_s": {"type": "number"},
        "peak_kB": {"type": "integer"}, "message": {"type": "string"}}})"));
    return schema;
}

/// Format of a file with the tasks of a job array.
const json_schema& tasks_schema() {
    static const json_schema schema(
        json::parse(R"({"type": "array", "items": {"type": "object", "properties": {
        "id": {"type": "string"}, "command": {"type": "array", "items": {"type": "string"}},
        "environment": {"type": "object", "additionalProperties": {"type": "string"}},
        "folder": {"type": "string"}, "working_folder": {"type": "string"},
        "fingerprint": {"type": "string"}, "wants_statistics": {"type": "boolean"},
        "timeout": {"type": "integer", "minimum": 0}}}})"));
    return schema;
}

/// The last line of error output of a failed run.
std::string complaint_of(const sweep_run& run) {
    std::istringstream lines(text_of(fs::path(run.folder) / "errors"));
    std::string last;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) last = line;
    constexpr std::size_t most = 300;
    return support::printable(last.substr(0, most));
}

/// Signals that end a sweep, including SIGCHLD.
sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, s);
    return set;
}

pid_t start(const sweep_run& run, const sigset_t& mask) {
    fs::create_directories(run.folder);
    std::error_code ignored;
    fs::remove(fs::path(run.folder) / "status.json", ignored);
    std::vector<std::string> words = run.command;
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    const std::string out = run.folder + "/output", err = run.folder + "/errors";
    const pid_t child = fork();
    if (child != 0) {
        if (child > 0) setpgid(child, child);
        return child;
    }
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // children must not continue to write if the sweep is killed
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    const auto open_as = [](const char* file, int flags, int as) {
        const int fd = open(file, flags, 0666);
        if (fd < 0 || dup2(fd, as) < 0) _exit(126);
        if (fd != as) close(fd);
    };
    open_as("/dev/null", O_RDONLY, 0);
    open_as(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1);
    open_as(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 2);
    for (const auto& [name, value] : run.environment) setenv(name.c_str(), value.c_str(), 1);
    if (!run.working_folder.empty() && chdir(run.working_folder.c_str()) != 0) _exit(126);
    execvp(argv[0], argv.data());
    _exit(127);
}

/// A reason, and the message of the run if there is one.
std::string with_complaint(const std::string& reason, const sweep_run& run) {
    const std::string said = complaint_of(run);
    return reason + (said.empty() ? "" : ": " + said);
}

/// Reason why a run that has ended without an error has no valid result; empty if it has one. A
/// program may continue after failed launches.
std::string problem_of_statistics(const sweep_run& run) {
    const fs::path file = fs::path(run.folder) / "statistics.json";
    if (!fs::exists(file)) return "the run wrote no statistics";
    try {
        if (!statistics_run::read(file.string()).kernels().empty()) return {};
    } catch (const support::user_error&) {
        return "the run wrote no valid statistics file";
    }
    return with_complaint("no kernel was simulated", run);
}

sweep_outcome outcome_of(const sweep_run& run, int status, const rusage& usage, double wall,
                         bool timed_out) {
    sweep_outcome o;
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    o.wall = wall;
    o.user = static_cast<double>(usage.ru_utime.tv_sec) +
             static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
    o.peak_kb = usage.ru_maxrss;
    if (timed_out)
        o.message = fmt::format("timed out after {:.0f} s", wall);
    else if (o.code < 0)
        o.message = fmt::format("killed by signal {}", -o.code);
    else if (o.code != 0)
        o.message = with_complaint(fmt::format("exit code {}", o.code), run);
    else if (run.wants_statistics)
        o.message = problem_of_statistics(run);
    return o;
}

/// Runs a command of Slurm. @return its output; throws if it fails
std::string output_of(const std::string& command) {
    FILE* const p = popen((command + " 2>&1").c_str(), "r");
    if (p == nullptr) throw support::user_error(command, "cannot be run");
    std::string text;
    char buffer[4096];
    for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, p)) > 0;) text.append(buffer, n);
    const int status = pclose(p);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (status != 0)
        throw support::user_error(command.substr(0, command.find(' ')), "failed: " + text,
                                  "is Slurm available, and does it accept jobs (sinfo)?");
    return text;
}

std::string shell_quoted(const std::string& word) {
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

json task_of(const sweep_run& r, unsigned timeout) {
    return {{"id", r.id},
            {"command", r.command},
            {"environment", r.environment},
            {"folder", r.folder},
            {"working_folder", r.working_folder},
            {"fingerprint", r.fingerprint},
            {"wants_statistics", r.wants_statistics},
            {"timeout", timeout}};
}

void wait_for_jobs(const std::string& jobs) {
    // squeue -j fails for jobs that Slurm no longer lists, so all jobs of the user are
    // queried.
    std::vector<std::string> ours;
    std::istringstream words(jobs);
    for (std::string w; std::getline(words, w, ',');) ours.push_back(w);
    for (;;) {
        std::istringstream lines(output_of("squeue -h -o %A,%F -u $(id -un)"));
        bool left = false;
        for (std::string line; std::getline(lines, line);)
            for (const std::string& job : ours) {
                const std::size_t comma = line.find(',');
                left = left || line.substr(0, comma) == job ||
                       (comma != std::string::npos && line.substr(comma + 1) == job);
            }
        if (!left) return;
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
}

}  // namespace

std::optional<sweep_outcome> outcome_of(const sweep_run& run) {
    const json status = json::parse(text_of(fs::path(run.folder) / "status.json"), nullptr, false);
    // A file of another format counts as none: the run is repeated.
    try {
        status_schema().check(status, run.folder, {});
    } catch (const support::user_error&) {
        return std::nullopt;
    }
    if (status.value("fingerprint", "") != run.fingerprint) return std::nullopt;
    sweep_outcome o;
    o.code = status.value("code", 0);
    o.wall = status.value("wall_s", 0.0);
    o.user = status.value("user_s", 0.0);
    o.peak_kb = status.value("peak_kB", 0L);
    o.message = status.value("message", "");
    return o;
}

void write_outcome(const sweep_run& run, const sweep_outcome& o) {
    const json status = {{"fingerprint", run.fingerprint},
                         {"command", run.command},
                         {"code", o.code},
                         {"wall_s", o.wall},
                         {"user_s", o.user},
                         {"peak_kB", o.peak_kb},
                         {"message", o.message}};
    write_text(fs::path(run.folder) / "status.json",
               status.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

int run_locally(const std::vector<const sweep_run*>& runs, unsigned parallel, unsigned timeout,
                const std::function<void(const sweep_run&, const sweep_outcome&)>& ended) {
    struct running {
        const sweep_run* run;
        pid_t pid;
        clock::time_point began;
        bool timed_out;
    };
    const sigset_t watched = watched_signals();
    sigset_t before;
    sigprocmask(SIG_BLOCK, &watched, &before);
    std::vector<running> now;
    std::size_t next = 0;
    int stopped = 0;
    while ((stopped == 0 && next < runs.size()) || !now.empty()) {
        while (stopped == 0 && next < runs.size() && now.size() < parallel) {
            const sweep_run* const r = runs[next++];
            const pid_t pid = start(*r, before);
            if (pid < 0)
                throw support::user_error(r->id, "cannot be started",
                                          "raise the limit of processes");
            now.push_back({r, pid, clock::now(), false});
        }
        const timespec a_while{0, 200'000'000};
        const int signal = sigtimedwait(&watched, nullptr, &a_while);
        if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
            stopped = signal;
            for (const running& r : now) kill(-r.pid, SIGTERM);
        }
        for (auto r = now.begin(); r != now.end();) {
            const double wall = std::chrono::duration<double>(clock::now() - r->began).count();
            if (timeout != 0 && wall > timeout && !r->timed_out) {
                r->timed_out = true;
                kill(-r->pid, SIGKILL);
            }
            int status = 0;
            rusage usage{};
            if (wait4(r->pid, &status, WNOHANG, &usage) != r->pid) {
                ++r;
                continue;
            }
            if (stopped == 0) {
                const sweep_outcome o = outcome_of(*r->run, status, usage, wall, r->timed_out);
                write_outcome(*r->run, o);
                ended(*r->run, o);
            }
            r = now.erase(r);
        }
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return stopped;
}

void run_by_slurm(const sweep_plan& plan,
                  const std::function<std::vector<const sweep_run*>()>& left, unsigned parallel,
                  const std::string& tool) {
    const fs::path folder = plan.folder, jobs_file = folder / "slurm.jobs";
    if (const std::string jobs = text_of(jobs_file); !jobs.empty()) wait_for_jobs(jobs);
    std::error_code ignored;
    fs::remove(jobs_file, ignored);
    const std::vector<const sweep_run*> runs = left();
    if (runs.empty()) return;
    json tasks = json::array();
    for (const sweep_run* r : runs) tasks.push_back(task_of(*r, plan.timeout));
    const fs::path task_file = folder / "slurm.tasks.json";
    write_text(task_file, tasks.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
    std::string jobs;
    constexpr std::size_t most = 1000;  // tasks per array; the usual limit of Slurm is 1001
    for (std::size_t from = 0; from < runs.size(); from += most) {
        const std::size_t count = std::min(most, runs.size() - from);
        std::string script = fmt::format(
            "#!/bin/sh\n#SBATCH --job-name=simtlm-sweep\n#SBATCH --array=0-{}{}\n#SBATCH "
            "--output=/dev/null\n#SBATCH --cpus-per-task={}\n",
            count - 1, parallel != 0 ? fmt::format("%{}", parallel) : "", plan.processors);
        for (const std::string& option : plan.slurm) script += "#SBATCH " + option + "\n";
        script += fmt::format("exec {} --task $(({} + SLURM_ARRAY_TASK_ID)) {}\n",
                              shell_quoted(tool), from, shell_quoted(task_file.string()));
        const fs::path script_file = folder / fmt::format("slurm.{}.sh", from / most);
        write_text(script_file, script);
        const std::string job =
            output_of("sbatch --parsable " + shell_quoted(script_file.string()));
        jobs += (jobs.empty() ? "" : ",") + job.substr(0, job.find(';'));
        write_text(jobs_file, jobs);
    }
    wait_for_jobs(jobs);
    fs::remove(jobs_file, ignored);
}

int run_task(const std::string& task_file, std::size_t index) {
    constexpr const char* wanted = "name a task file that simtlm-sweep --engine slurm has written";
    const json tasks = read_json(task_file, wanted);
    tasks_schema().check(tasks, task_file, wanted);
    if (index >= tasks.size())
        throw support::user_error(task_file, fmt::format("has no task {}", index));
    const json& t = tasks[index];
    sweep_run r;
    r.id = t.value("id", "");
    r.command = t.value("command", std::vector<std::string>());
    if (r.command.empty())
        throw support::user_error(task_file, fmt::format("task {} has no command", index), wanted);
    r.environment = t.value("environment", std::map<std::string, std::string>());
    r.folder = t.value("folder", "");
    r.working_folder = t.value("working_folder", "");
    r.fingerprint = t.value("fingerprint", "");
    r.wants_statistics = t.value("wants_statistics", true);
    // Slurm requeues the tasks of an unresponsive node, including those that have just ended.
    if (const auto ended = outcome_of(r); ended && ended->ok()) return 0;
    return run_locally({&r}, 1, t.value("timeout", 0u), [](const auto&, const auto&) {});
}

}  // namespace simtlm::platform::study

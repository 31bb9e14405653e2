// SPDX-License-Identifier: Apache-2.0
#include "tests/system/simulator.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace simtlm::test {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

bool prints_time(const std::string& line) {
    return line.rfind("gpgpu_simulation_", 0) == 0 || line.rfind("gpgpu_silicon_", 0) == 0 ||
           line.rfind("gpu_total_sim_rate", 0) == 0;
}

/// The simulator under test; SIMTLM_UNDER_TEST selects a different build.
const char* executable() {
    const char* const other = std::getenv("SIMTLM_UNDER_TEST");
    return other != nullptr ? other : SIMTLM_EXECUTABLE;
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t");
    return first == std::string::npos ? std::string{} : text.substr(first, last - first + 1);
}

}  // namespace

std::string outcome::report() const {
    std::string text;
    for (const std::string& line : lines_of(out))
        if (!prints_time(line)) text += line + '\n';
    return text;
}

std::map<std::string, std::string> outcome::values() const {
    std::map<std::string, std::string> found;
    for (const std::string& line : lines_of(out)) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos || line.find('=', equals + 1) != std::string::npos)
            continue;
        found[trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
    }
    return found;
}

std::vector<std::string> outcome::error_lines() const {
    return lines_of(err);
}

scratch_folder::scratch_folder() {
    std::string pattern = (fs::temp_directory_path() / "simtlm-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
}

scratch_folder::~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string scratch_folder::write(const std::string& file, const std::string& text) const {
    std::ofstream(path(file), std::ios::binary) << text;
    return path(file);
}

std::vector<std::string> scratch_folder::files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

outcome run(const char* program, const std::vector<std::string>& arguments, int signal,
            double signal_after) {
    const scratch_folder folder;
    const std::string out = folder.path("out"), err = folder.path("err");
    std::vector<char*> argv;
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        if (std::freopen(out.c_str(), "w", stdout) == nullptr ||
            std::freopen(err.c_str(), "w", stderr) == nullptr)
            _exit(126);
        execv(program, argv.data());
        _exit(127);
    }
    if (signal != 0) {
        std::this_thread::sleep_for(std::chrono::duration<double>(signal_after));
        kill(child, signal);
    }
    int status = 0;
    waitpid(child, &status, 0);
    outcome o;
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    o.out = read_file(out);
    o.err = read_file(err);
    return o;
}

}  // namespace

outcome simulate(const std::vector<std::string>& arguments, int signal, double signal_after) {
    return run(executable(), arguments, signal, signal_after);
}

outcome tool(const std::string& name, const std::vector<std::string>& arguments) {
    return run((std::string(SIMTLM_TOOLS) + "/" + name).c_str(), arguments, 0, 0);
}

outcome trace_tool(const std::vector<std::string>& arguments) {
    return run(SIMTLM_TRACE_TOOL, arguments, 0, 0);
}

namespace {

outcome run_from_shell(const std::string& before, const char* program,
                       const std::vector<std::string>& arguments, const std::string& redirections) {
    std::string command = before + " exec '" + program + "'";
    for (const std::string& a : arguments) command += " '" + a + "'";
    return run("/bin/sh", {"-c", command + " " + redirections}, 0, 0);
}

}  // namespace

outcome simulate_from_shell(const std::string& before, const std::vector<std::string>& arguments,
                            const std::string& redirections) {
    return run_from_shell(before, executable(), arguments, redirections);
}

outcome trace_tool_from_shell(const std::vector<std::string>& arguments,
                              const std::string& redirections) {
    return run_from_shell({}, SIMTLM_TRACE_TOOL, arguments, redirections);
}

std::vector<std::string> on_tiny(const std::string& trace, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"--preset", "TINY", "--any-binary-version", "-trace",
                                          trace};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

std::string sample(const std::string& name) {
    return std::string(SIMTLM_TRACES) + "/" + name + "/kernelslist.g";
}

const std::vector<std::string>& samples() {
    static const std::vector<std::string> names = {"async_copy", "divergence", "histogram",
                                                   "pchase",     "reduction",  "sample",
                                                   "sgemm_tile", "streams",    "vecadd"};
    return names;
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

nlohmann::json read_json(const std::string& path) {
    return nlohmann::json::parse(read_file(path));
}

std::string first_difference(const std::string& a, const std::string& b) {
    std::size_t number = 1, from = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i] != b[i])
            return "line " + std::to_string(number) + ": '" +
                   a.substr(from, a.find('\n', i) - from) + "' and '" +
                   b.substr(from, b.find('\n', i) - from) + "'";
        if (a[i] == '\n') {
            ++number;
            from = i + 1;
        }
    }
    return a.size() == b.size() ? "" : "one ends early";
}

}  // namespace simtlm::test

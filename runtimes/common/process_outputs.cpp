// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/process_outputs.h"

#include "modules/support/run_identity.h"
#include "platform/config/config.h"
#include "platform/outputs/output_check.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace simtlm::runtime {

namespace {

namespace fs = std::filesystem;

/// The run as `simtlm run` describes it; empty without it.
std::string run_of_process() {
    const char* const run = std::getenv("SIMTLM_RUN");
    return run != nullptr ? run : "";
}

/// Whether a file was written by this run.
bool is_of_this_run(const std::string& file) {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 &&
           support::run_identity::parse(run_of_process().c_str()).has_written(status);
}

/// Reserves a number among the processes that run at present, until this process ends: the name of
/// a socket in the abstract namespace, which leaves no file behind.
bool reserve(unsigned process) {
    const int s = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (s < 0) return true;
    const std::string name = fmt::format("simtlm run {} process {}", run_of_process(), process);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t bytes = std::min(name.size(), sizeof address.sun_path - 1);
    std::memcpy(address.sun_path + 1, name.data(), bytes);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + bytes);
    if (::bind(s, reinterpret_cast<const sockaddr*>(&address), size) == 0) return true;
    ::close(s);
    return false;
}

bool is_special(const std::string& file) {
    std::error_code ignored;
    const fs::file_status s = fs::status(file, ignored);
    return fs::exists(s) && !fs::is_regular_file(s) && !fs::is_directory(s);
}

}  // namespace

std::string numbered(const std::string& file, unsigned process) {
    if (process <= 1 || is_special(file)) return file;
    const fs::path p(file);
    const std::string name =
        fmt::format("{}.process{}{}", p.stem().string(), process, p.extension().string());
    return p.has_parent_path() ? (p.parent_path() / name).string() : name;
}

void name_outputs(platform::option_values& options) {
    if (run_of_process().empty()) return;
    const char* const folder = std::getenv("SIMTLM_FOLDER");
    const platform::run_kind kind =
        options.flag("-gpgpu_ptx_sim_mode") ? platform::functional_host : platform::timed_host;
    std::vector<std::pair<std::string, std::string>> outputs;  // option, file
    for (const platform::named_output& o :
         platform::outputs_of(options, platform::make_gpu_config(options), kind, 1)) {
        // The first file of an option is the one that it names. A checkpoint by GPGPU-Sim's options
        // is not named by --checkpoint.
        if (!outputs.empty() && outputs.back().first == o.option) continue;
        if (o.option == "--checkpoint" && !options.given(o.option)) continue;
        const bool elsewhere = folder != nullptr && fs::path(o.file).is_relative();
        outputs.emplace_back(o.option, elsewhere ? (fs::path(folder) / o.file).string() : o.file);
    }
    constexpr unsigned most = 1'000'000;
    unsigned process = 1;
    const auto is_taken = [&] {
        return std::any_of(
                   outputs.begin(), outputs.end(),
                   [&](const auto& o) { return is_of_this_run(numbered(o.second, process)); }) ||
               !reserve(process);
    };
    while (process < most && is_taken()) ++process;
    for (const auto& [option, file] : outputs) options.set(option, numbered(file, process));
}

}  // namespace simtlm::runtime

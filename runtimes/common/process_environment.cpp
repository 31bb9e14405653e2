// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/process_environment.h"

#include "modules/support/process_exit.h"
#include "platform/config/config.h"
#include "platform/options/argument_text.h"
#include "platform/outputs/output_check.h"
#include "platform/outputs/version.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace simtlm::runtime {

namespace {

bool is_simtlm_run() {
    return std::getenv("SIMTLM_RUN") != nullptr;
}

/// The command line of this process.
std::vector<std::string> command_line() {
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string w; std::getline(in, w, '\0');) words.push_back(w);
    return words;
}

std::vector<std::string> handed_over() {
    const char* const given = std::getenv("SIMTLM_OPTIONS");
    return platform::unpacked_arguments(given != nullptr ? given : "");
}

void parse_handed_over(platform::option_values& options) {
    options.parse_command_line(handed_over());
}

}  // namespace

const char* library_version() {
    return platform::version;
}

std::string library_of(const void* address) {
    Dl_info info;
    return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

void read_options(platform::option_values& options) {
    const char* const given = std::getenv("SIMTLM_OPTIONS");
    if (given != nullptr) parse_handed_over(options);
    if (!options.presets().empty() || !options.files().empty()) return;
    if (::access("gpgpusim.config", R_OK) == 0) {
        options.load_file("gpgpusim.config");
    } else {
        options.load_preset("QV100");
        if (isatty(STDERR_FILENO) != 0)
            std::fputs(
                "simtlm: note: no GPU is configured (simtlm run --preset NAME, or "
                "gpgpusim.config): using QV100\n",
                stderr);
    }
    if (given != nullptr) parse_handed_over(options);
}

std::unique_ptr<device::remote_device> connect_device(platform::option_values& options) {
    const std::vector<std::string> given = handed_over();
    if (std::find(given.begin(), given.end(), "--connect") == given.end()) return nullptr;
    parse_handed_over(options);
    auto device =
        std::make_unique<device::remote_device>(options.text("--connect"), command_line());
    for (const auto& [name, value] : device->options()) options.set(name, value);
    return device;
}

device::run_log::outputs log_outputs(const platform::option_values& options) {
    device::run_log::outputs log;
    log.quiet = options.flag("--quiet");
    log.summary = is_simtlm_run() &&
                  (options.flag("--summary") || (isatty(STDERR_FILENO) != 0 && !log.quiet));
    log.by_class = options.flag("-gpgpu_ptx_instruction_classification");
    log.file = options.text("--stats-file");
    if (is_simtlm_run() && log.file.empty()) log.file = platform::default_reports_file;
    log.compact = options.text("--stats") == "compact";
    return log;
}

platform::provenance provenance_of_program(const platform::option_values& options) {
    // The program may run elsewhere, connected to this process.
    const char* const served = std::getenv("SIMTLM_SERVED");
    std::vector<std::string> words =
        served != nullptr ? platform::unpacked_arguments(served) : command_line();
    if (is_simtlm_run()) {
        std::vector<std::string> before = handed_over();
        before.insert(before.begin(), {"simtlm", served != nullptr ? "serve" : "run"});
        before.emplace_back("--");
        words.insert(words.begin(), before.begin(), before.end());
    }
    std::vector<platform::provenance::file> inputs;
    std::error_code ignored;
    if (served == nullptr)
        inputs.push_back(
            {"program", std::filesystem::read_symlink("/proc/self/exe", ignored).string()});
    return platform::provenance_of(
        {platform::version, platform::commit(), platform::accelsim_build()}, std::move(words),
        options, platform::make_gpu_config(options), inputs);
}

void end_program_without_session(const std::string& why, const void* library) {
    if (!is_simtlm_run()) return;
    std::string text = fmt::format("simtlm: {}", why);
    const char* const of_run = std::getenv("SIMTLM_BUILD");
    const std::string own = platform::commit();
    if (of_run != nullptr && own != of_run)
        text += fmt::format(
            " (reported by {} of build {}, but simtlm is of build {}: build the target "
            "simtlm_host_libraries)",
            library_of(library), own, of_run);
    std::fflush(nullptr);
    std::fputs((text + "\n").c_str(), stderr);
    constexpr int fault_of_the_input = 2;
    support::exit_process(fault_of_the_input);
}

}  // namespace simtlm::runtime

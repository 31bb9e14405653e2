// SPDX-License-Identifier: Apache-2.0
#include "sc_main/host_program.h"

#include "modules/execution/checking/check_options.h"
#include "modules/support/error.h"
#include "modules/support/run_identity.h"
#include "platform/config/config.h"
#include "platform/device/debug_session.h"
#include "platform/device/host_checkpoint.h"
#include "platform/options/argument_text.h"
#include "platform/options/options.h"
#include "platform/options/presets.h"
#include "platform/outputs/checkpoint.h"
#include "platform/outputs/output_check.h"
#include "platform/outputs/version.h"
#include "platform/sampling/launch_sampler.h"
#include "sc_main/exit_code.h"
#include "sc_main/functional_mode.h"
#include "sc_main/standard_streams.h"

#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace simtlm {

namespace {

namespace fs = std::filesystem;

/// Folder of the libraries next to the executable, in a build tree or installed.
fs::path library_folder() {
    std::error_code ignored;
    const fs::path own = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path folder = own.parent_path().parent_path() / "lib" / "simtlm";
    if (!fs::exists(folder / "libsimtlm_cuda.so", ignored) &&
        !fs::exists(folder / "libsimtlm-opencl.so", ignored))
        throw support::user_error(
            folder.string(),
            "the libraries for CUDA programs and the driver for OpenCL programs do not exist",
            "build them: cmake --build " + folder.parent_path().parent_path().string() +
                " --target simtlm_host_libraries");
    return folder;
}

/// Searches PATH for the program like a shell.
std::string path_of(const std::string& program) {
    const char* const folders = std::getenv("PATH");
    if (program.find('/') != std::string::npos || folders == nullptr) return program;
    std::istringstream in(folders);
    std::error_code ignored;
    for (std::string folder; std::getline(in, folder, ':');)
        if (fs::exists(fs::path(folder) / program, ignored)) return fs::path(folder) / program;
    return program;
}

/// Disables address space randomisation, because pointers are kernel parameters and runs would not
/// be bit-identical. No effect if the system does not permit it.
void fix_addresses() {
    constexpr unsigned long as_it_is = 0xffffffff;
    const int now = ::personality(as_it_is);
    if (now != -1) ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
}

/// What a run passes to its processes.
struct checked_run {
    std::string code;                  ///< form of code to execute (--code)
    std::vector<std::string> outputs;  ///< requested files, by their complete paths
    bool keeps_exit_code = false;
};

/// Validates the options before the program starts.
/// @param values  of the options
checked_run check(platform::option_values& values, const std::vector<std::string>& options,
                  const std::string& program) {
    const platform::run_kind kind =
        is_functional(values) ? platform::functional_host : platform::timed_host;
    platform::check_effects(values, kind);
    platform::launch_sampler::check(values);
    static_cast<void>(execution::parse_checks(values.text("--check")));
    // The GPU that the libraries will select.
    std::error_code ignored;
    if (values.presets().empty() && values.files().empty()) {
        if (fs::exists("gpgpusim.config", ignored))
            values.load_file("gpgpusim.config");
        else
            values.load_preset("QV100");
        values.parse_command_line(options);
    }
    if (is_functional(values)) platform::check_untimed(values);
    const platform::gpu_config config = platform::make_gpu_config(values);
    device::debug_session::check(values, config, is_functional(values));
    device::host_checkpoint::check(values);
    fix_addresses();
    const std::vector<platform::named_output> outputs =
        platform::outputs_of(values, config, kind, values.number("--gpus", 1, 64));
    platform::check_outputs(values, config, {{"program", path_of(program)}}, outputs);
    checked_run run;
    // Machine code before sm_70 is not executed.
    constexpr unsigned oldest_machine_code = 70;
    run.code = config.binary_version() >= oldest_machine_code ? values.text("--code") : "ptx";
    run.keeps_exit_code = values.flag("--keep-exit-code");
    for (const platform::named_output& o : outputs)
        if (values.given(o.option) && !o.is_beside)
            run.outputs.push_back(fs::absolute(o.file).string());
    return run;
}

/// Options that a program may have that uses the GPUs of `simtlm serve`.
void check_connected(const platform::option_values& values,
                     const std::vector<std::string>& options) {
    for (const std::string& word : options) {
        const std::string name = word.substr(0, word.find('='));
        if (word[0] == '-' && name != "--connect" && name != "--keep-exit-code")
            throw support::user_error("command line", name + " cannot be combined with --connect",
                                      "give the options of the simulated GPU to simtlm serve");
    }
    if (values.text("--connect").empty())
        values.fail("--connect", "is empty", "the address that was given to simtlm serve --listen");
}

/// An address that does not depend on the current folder.
std::string absolute_address(const std::string& address) {
    const std::string prefix = address.compare(0, 5, "unix:") == 0 ? "unix:" : "";
    const std::string path = address.substr(prefix.size());
    if (prefix.empty() && path.find(':') < path.find('/')) return address;
    std::error_code ignored;
    return prefix + fs::absolute(path, ignored).string();
}

/// Prepends a folder to a search path in the environment. An empty path or entry would mean the
/// current folder.
void put_first(const char* variable, const std::string& folder) {
    std::string path = folder;
    if (const char* const before = std::getenv(variable); before != nullptr) {
        std::istringstream entries(before);
        for (std::string entry; std::getline(entries, entry, ':');)
            if (!entry.empty()) path += ":" + entry;
    }
    setenv(variable, path.c_str(), 1);
}

/// Passes a run to its processes, in their environment.
void describe_run(const std::vector<std::string>& options, const checked_run& run) {
    setenv("SIMTLM_OPTIONS", platform::packed_arguments(options).c_str(), 1);
    setenv("SIMTLM_CODE", run.code.c_str(), 1);
    setenv("SIMTLM_RUN", support::run_identity::of_this_process().text().c_str(), 1);
    setenv("SIMTLM_OUTPUTS", platform::packed_arguments(run.outputs).c_str(), 1);
    setenv("SIMTLM_KEEP_EXIT_CODE", run.keeps_exit_code ? "1" : "", 1);
    std::error_code ignored;
    setenv("SIMTLM_FOLDER", fs::current_path(ignored).c_str(), 1);
    setenv("SIMTLM_BUILD", platform::commit(), 1);
}

/// Starts a program in place of this one. @throws support::user_error  if it cannot be started
[[noreturn]] void start(char** words) {
    restore_signals();
    execvp(words[0], words);
    throw support::user_error(words[0], fmt::format("cannot be started: {}", std::strerror(errno)));
}

}  // namespace

int serve_host_programs(int argc, char** argv) {
    std::vector<std::string> options(argv + 2, argv + argc);
    if (std::count(options.begin(), options.end(), "--help") != 0) {
        end_quietly_on_closed_pipe();
        platform::write_help_on_run(std::cout);
        std::cout.flush();
        return success;
    }
    platform::option_values values(platform::preset_folders{std::string(argv[0])}.finder());
    values.parse_command_line(options);
    if (values.text("--listen").empty())
        throw support::user_error("command line", "no address is given",
                                  "simtlm serve --listen gpu.socket --preset QV100");
    for (const char* const name : {"--connect", "--checkpoint", "--resume", "-checkpoint_option",
                                   "-resume_option", "--keep-exit-code"})
        if (values.given(name))
            values.fail(name, "cannot be combined with simtlm serve", "omit it");
    std::string server = (library_folder() / "simtlm-server").string();
    describe_run(options, check(values, options, server));
    char* words[] = {server.data(), nullptr};
    start(words);
}

int run_host_program(int argc, char** argv) {
    std::vector<std::string> options;
    int i = 2;
    for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) options.emplace_back(argv[i]);
    if (std::count(options.begin(), options.end(), "--help") != 0) {
        end_quietly_on_closed_pipe();
        platform::write_help_on_run(std::cout);
        std::cout.flush();
        return success;
    }
    if (i + 1 >= argc)
        throw support::user_error("command line", "no program is given",
                                  "simtlm run --preset QV100 -- ./program arguments");
    checked_run run;
    platform::option_values values(platform::preset_folders{std::string(argv[0])}.finder());
    values.parse_command_line(options);
    if (values.given("--connect")) {
        check_connected(values, options);
        run.code = "auto";
        run.keeps_exit_code = values.flag("--keep-exit-code");
        options = {"--connect", absolute_address(values.text("--connect"))};
        if (run.keeps_exit_code) options.emplace_back("--keep-exit-code");
    } else {
        run = check(values, options, argv[i + 1]);
    }
    const std::string path = library_folder().string();
    if (path.find(':') != std::string::npos)
        throw support::user_error(path, "contains a colon, so libraries in it cannot be found",
                                  "install elsewhere");
    // Programs linked statically with NVIDIA's runtime are redirected at startup. Libraries
    // preloaded by the user stay first, as sanitizers require. Entries are separated by blanks; a
    // path containing one is found by name through LD_LIBRARY_PATH.
    std::string first = "libsimtlm_cuda_static.so";
    if (path.find_first_of(" \t;") == std::string::npos) first = path + "/" + first;
    if (const char* const before = std::getenv("LD_PRELOAD"); before != nullptr && *before != 0)
        first = std::string(before) + ":" + first;
    setenv("LD_PRELOAD", first.c_str(), 1);
    put_first("LD_LIBRARY_PATH", path);
    // NVIDIA's cuBLAS runs only with the driver's key (docs/cuda.md); otherwise simtlm's own is
    // found first.
    if (std::getenv("SIMTLM_INTEGRITY_KEY") == nullptr)
        put_first("LD_LIBRARY_PATH", path + "/blas");
    // Makes OpenCL loaders use only this driver.
    setenv("OCL_ICD_VENDORS", (path + "/vendors").c_str(), 1);
    describe_run(options, run);
    start(argv + i + 1);
}

}  // namespace simtlm

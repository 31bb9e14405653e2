// SPDX-License-Identifier: Apache-2.0
#include "sc_main/host_program.h"

#include "modules/kernel/error.h"
#include "platform/config/config.h"
#include "platform/options/options.h"
#include "platform/options/presets.h"
#include "platform/outputs/output_check.h"
#include "sc_main/functional_mode.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace simtlm {

namespace {

namespace fs = std::filesystem;

/// Beside the executable, built or installed.
fs::path library_folder() {
    std::error_code ignored;
    const fs::path own = fs::read_symlink("/proc/self/exe", ignored);
    const fs::path folder = own.parent_path().parent_path() / "lib" / "simtlm";
    if (!fs::exists(folder / "libsimtlm_cuda.so", ignored))
        throw kernel::user_error(folder.string(), "the libraries for CUDA programs are not there",
                                 "build them: cmake --build " +
                                     folder.parent_path().parent_path().string() +
                                     " --target simtlm_cuda_libraries");
    return folder;
}

/// Where the shell would find the program.
std::string path_of(const std::string& program) {
    const char* const folders = std::getenv("PATH");
    if (program.find('/') != std::string::npos || folders == nullptr) return program;
    std::istringstream in(folders);
    std::error_code ignored;
    for (std::string folder; std::getline(in, folder, ':');)
        if (fs::exists(fs::path(folder) / program, ignored)) return fs::path(folder) / program;
    return program;
}

/// What is wrong with the options is said here, not in the middle of the program.
void check(const std::vector<std::string>& options, const char* executable,
           const std::string& program) {
    const platform::preset_folders folders{std::string(executable)};
    platform::option_values values(folders.finder());
    std::vector<const char*> arguments{"simtlm"};
    for (const std::string& o : options) arguments.push_back(o.c_str());
    values.parse_command_line(static_cast<int>(arguments.size()), arguments.data());
    for (const char* const other : {"--check", "--ptx", "--launch", "-trace"})
        if (values.given(other))
            throw kernel::user_error("command line",
                                     fmt::format("{} has no effect on simtlm run", other),
                                     "the kernels are those of the program");
    if (is_functional(values))
        for (const char* const other : {"--stats-json", "--stats-csv", "--stats-csv-long", "--vcd",
                                        "--timeline", "--record-trace"})
            if (values.given(other))
                throw kernel::user_error("command line",
                                         fmt::format("{} has no effect without time", other),
                                         "leave out -gpgpu_ptx_sim_mode 1");
    if (values.presets().empty() && values.files().empty()) return;
    const platform::gpu_config config = platform::make_gpu_config(values);
    platform::check_outputs(values, config, {{"program", path_of(program)}});
}

}  // namespace

int run_host_program(int argc, char** argv) {
    std::vector<std::string> options;
    int i = 2;
    for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) options.emplace_back(argv[i]);
    if (i + 1 >= argc)
        throw kernel::user_error("command line", "there is no program to run",
                                 "simtlm run --preset QV100 -- ./program arguments");
    check(options, argv[0], argv[i + 1]);
    std::string handed_over;
    for (const std::string& o : options) handed_over += o + "\n";
    std::string path = library_folder().string();
    // Programs that carry NVIDIA's runtime are redirected before they begin. What the user loads
    // first stays first: a sanitizer insists on it.
    std::string first = path + "/libsimtlm_cuda_static.so";
    if (const char* const before = std::getenv("LD_PRELOAD"); before != nullptr)
        first = std::string(before) + ":" + first;
    setenv("LD_PRELOAD", first.c_str(), 1);
    if (const char* const before = std::getenv("LD_LIBRARY_PATH"); before != nullptr)
        path += std::string(":") + before;
    setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    setenv("SIMTLM_OPTIONS", handed_over.c_str(), 1);
    setenv("SIMTLM_RUN", "1", 1);
    execvp(argv[i + 1], argv + i + 1);
    throw kernel::user_error(argv[i + 1],
                             fmt::format("cannot be started: {}", std::strerror(errno)));
}

}  // namespace simtlm

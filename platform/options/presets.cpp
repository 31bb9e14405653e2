// SPDX-License-Identifier: Apache-2.0
#include "platform/options/presets.h"

#include "modules/support/error.h"

#include <fmt/format.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <ostream>
#include <sstream>
#include <utility>

#ifndef SIMTLM_SOURCE_CONFIG_DIR
#define SIMTLM_SOURCE_CONFIG_DIR ""
#endif
#ifndef SIMTLM_RELATIVE_CONFIG_DIR
#define SIMTLM_RELATIVE_CONFIG_DIR ""
#endif
#ifndef SIMTLM_INSTALLED_CONFIG_DIR
#define SIMTLM_INSTALLED_CONFIG_DIR "../share/simtlm/configs"
#endif

namespace simtlm::platform {

namespace fs = std::filesystem;

const std::vector<preset_info>& preset_table() {
    static const std::vector<preset_info> table = {
        {"GTX480", "GeForce GTX 480 (Fermi)", 20, "sm_2x", false},
        {"TITAN_X_PASCAL", "Titan X (Pascal, GP102)", 61, "sm_6x", true},
        {"V100", "Tesla V100 SXM2 (Volta, GV100)", 70, "sm_7x", true},
        {"QV100", "Quadro V100 (Volta, GV100)", 70, "sm_7x", true},
        {"TITAN_V", "Titan V (Volta, GV100)", 70, "sm_7x", true},
        {"RTX2060", "GeForce RTX 2060 (Turing, TU106)", 75, "sm_7x", false},
        {"RTX2080TI", "GeForce RTX 2080 Ti (Turing, TU102)", 75, "sm_7x", false},
        {"A100", "A100 40 GB (Ampere, GA100)", 80, "sm_8x", true},
        {"RTX3070", "GeForce RTX 3070 (Ampere, GA104)", 86, "sm_8x", false},
        {"RTX3080", "GeForce RTX 3080 (Ampere, GA102)", 86, "sm_8x", false},
        {"RTX3090", "GeForce RTX 3090 (Ampere, GA102)", 86, "sm_8x", false},
        {"RTXA6000", "RTX A6000 (Ampere, GA102)", 86, "sm_8x", false},
        {"RTX4070", "GeForce RTX 4070 (Ada, AD104)", 89, "sm_8x", false},
        {"RTX4090", "GeForce RTX 4090 (Ada, AD102)", 89, "sm_8x", true},
        {"H100_PCIE", "H100 PCIe (Hopper, GH100)", 90, "sm_9x", true},
        {"B200", "B200 (Blackwell, GB100)", 100, "sm_10x", false},
        {"B300", "B300 (Blackwell Ultra, GB110)", 103, "sm_10x", false},
        {"RTX5090", "GeForce RTX 5090 (Blackwell, GB202)", 120, "sm_12x", false},
        {"TINY", "two SMs and two memory channels, for tests", 70, "sm_7x", false},
    };
    return table;
}

const preset_info* preset_for_binary(unsigned binary_version) {
    // TINY accepts every binary version, but is never recommended.
    const preset_info* same_major = nullptr;
    for (const preset_info& preset : preset_table()) {
        if (std::string_view(preset.name) == "TINY") continue;
        if (preset.binary == binary_version) return &preset;
        if (same_major == nullptr && preset.binary / 10 == binary_version / 10)
            same_major = &preset;
    }
    return same_major;
}

namespace {

/// Preset folders: those of SIMTLM_PRESET_PATH, then that of the installation prefix for an
/// installed program, otherwise that of the source tree: first where it is relative to the build,
/// because both may have been moved, then where it was when the program was built.
/// @param binaries  the folder of executables, PREFIX/bin
std::vector<std::string> folders_beside(const fs::path& binaries) {
    std::vector<std::string> folders;
    if (const char* const own = std::getenv("SIMTLM_PRESET_PATH"); own != nullptr) {
        std::istringstream entries(own);
        for (std::string entry; std::getline(entries, entry, ':');)
            if (!entry.empty()) folders.push_back(entry);
    }
    const auto beside = [&](const char* relative) {
        return (binaries / relative).lexically_normal().string();
    };
    const std::string installed = beside(SIMTLM_INSTALLED_CONFIG_DIR);
    std::error_code ignored;
    if (!fs::is_directory(installed, ignored) && *SIMTLM_SOURCE_CONFIG_DIR != '\0') {
        const std::string moved = beside(SIMTLM_RELATIVE_CONFIG_DIR);
        const bool is_there = *SIMTLM_RELATIVE_CONFIG_DIR != '\0' &&
                              fs::is_regular_file(moved + "/TINY/gpgpusim.config", ignored);
        folders.push_back(is_there ? moved : SIMTLM_SOURCE_CONFIG_DIR);
    }
    folders.push_back(installed);
    return folders;
}

/// Whether the name of a preset is the path of a folder or a file.
bool is_path(const std::string& name) {
    return name[0] == '/' || name.compare(0, 2, "./") == 0 || name.compare(0, 3, "../") == 0;
}

/// The files of a preset, given its path without extension; empty if there is none.
std::vector<std::string> files_at(const fs::path& base, bool reference) {
    std::error_code ignored;
    const auto is_file = [&](const fs::path& file) { return fs::is_regular_file(file, ignored); };
    if (reference && is_file(base / "accel-sim.config"))
        return {(base / "accel-sim.config").string()};
    if (is_file(base / "gpgpusim.config")) {
        std::vector<std::string> found = {(base / "gpgpusim.config").string()};
        if (is_file(base / "trace.config")) found.push_back((base / "trace.config").string());
        return found;
    }
    const fs::path fragment = base.string() + ".config";
    if (is_file(fragment)) return {fragment.string()};
    return {};
}

/// Names of the presets in a folder, in alphabetical order: `NAME` with a gpgpusim.config, and
/// `FOLDER/NAME` for other files of its folders, except those that belong to a preset or do not
/// configure a GPU.
std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() == ".config") names.push_back(entry.path().stem().string());
        for (const auto& file : fs::directory_iterator(entry.path(), ignored)) {
            const std::string stem = file.path().stem().string();
            if (file.path().extension() != ".config" || stem == "trace") continue;
            names.push_back(stem == "gpgpusim" ? name : name + "/" + stem);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::string calibration_note(const option_values& values) {
    const bool reference = values.text("--compat") == "accel-sim";
    for (const std::string& name : values.presets()) {
        if (reference && values.has_reference_files(name)) continue;
        for (const preset_info& used : preset_table()) {
            if (used.name != name || used.calibrated || name == "TINY") continue;
            // Binary versions of the same generation share the first digit.
            const auto distance = [&](const preset_info& p) {
                const auto apart = [](unsigned a, unsigned b) { return a > b ? a - b : b - a; };
                return 100 * apart(p.binary / 10, used.binary / 10) + apart(p.binary, used.binary);
            };
            const preset_info* nearest = nullptr;
            for (const preset_info& p : preset_table())
                if (p.calibrated && (nearest == nullptr || distance(p) < distance(*nearest)))
                    nearest = &p;
            return fmt::format(
                "preset {} is not calibrated; the nearest that is: {} "
                "(docs/presets.md)",
                name, nearest->name);
        }
    }
    return {};
}

preset_folders preset_folders::of_library(const std::string& library) {
    // PREFIX/lib/simtlm/libsimtlm_cuda.so, PREFIX/bin/simtlm
    const fs::path prefix = fs::path(library).parent_path().parent_path().parent_path();
    return preset_folders(folders_beside(prefix / "bin"));
}

preset_folders::preset_folders(const std::string& executable) {
    std::error_code failed;
    fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (failed) {  // /proc is not mounted; use the path passed by the kernel
        const auto* executed = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
        program = fs::weakly_canonical(executed != nullptr ? executed : executable, failed);
    }
    folders_ = folders_beside(program.parent_path());
}

std::vector<std::string> preset_folders::files(const std::string& name, bool reference) const {
    const std::string asked = "--preset " + name;
    if (!name.empty() && is_path(name)) {
        std::vector<std::string> found = files_at(name, reference);
        if (!found.empty()) return found;
        throw support::user_error(asked, "is no folder with a gpgpusim.config",
                                  "name a folder of options, or one of --list-configs");
    }
    std::vector<std::string> names;
    for (const std::string& folder : folders_) {
        if (!name.empty() && name.find("..") == std::string::npos) {
            std::vector<std::string> found = files_at(fs::path(folder) / name, reference);
            if (!found.empty()) return found;
        }
        for (std::string& known : names_in(folder)) names.push_back(std::move(known));
    }
    if (names.empty())
        throw support::user_error(
            asked, fmt::format("there are no presets in {}", fmt::join(folders_, " or ")),
            "set SIMTLM_PRESET_PATH to the folder configs of simtlm");
    throw support::user_error(
        asked, "unknown configuration",
        "did you mean " + nearest_name(name, names) + "? --list-configs lists them all");
}

option_values::preset_finder preset_folders::finder() const {
    return [folders = *this](const std::string& name, bool reference) {
        return folders.files(name, reference);
    };
}

void write_presets(std::ostream& out, const preset_folders& folders) {
    std::map<std::string, std::string> others;  // name and folder
    for (const std::string& folder : folders.folders())
        for (const std::string& name : names_in(folder)) others.emplace(name, folder);
    out << "GPUs (--preset NAME):\n";
    for (const preset_info& preset : preset_table()) {
        const bool present = others.erase(preset.name) != 0;
        out << fmt::format("  {:<16} {:<44} traces of {}{}{}\n", preset.name, preset.gpu,
                           preset.suits, preset.calibrated ? ", calibrated" : "",
                           present ? "" : "  (not installed)");
    }
    const auto list = [&](const char* title, const auto& belongs) {
        std::string lines;
        for (auto at = others.begin(); at != others.end();) {
            const bool listed = belongs(at->first);
            if (listed) lines += "  " + at->first + '\n';
            at = listed ? others.erase(at) : std::next(at);
        }
        if (!lines.empty()) out << title << ":\n" << lines;
    };
    list("Parameters of Accel-Sim (--preset NAME, or that of the GPU with --compat accel-sim)",
         [](const std::string& name) { return fs::path(name).filename() == "accel-sim"; });
    list("DRAM technologies (--preset NAME, after that of a GPU)",
         [](const std::string& name) { return name.compare(0, 5, "dram/") == 0; });
    list("Others (--preset NAME)", [](const std::string&) { return true; });
    out << "Looked for in:\n";
    for (const std::string& folder : folders.folders()) out << "  " << folder << '\n';
}

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#include "platform/options/presets.h"

#include "modules/support/error.h"

#include <fmt/format.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <utility>

#ifndef SIMTLM_SOURCE_CONFIG_DIR
#define SIMTLM_SOURCE_CONFIG_DIR ""
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
        {"RTX5090", "GeForce RTX 5090 (Blackwell, GB202)", 120, "none", false},
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

/// Preset folders: that of the installation prefix for an installed program, otherwise that of the
/// source tree.
/// @param binaries  the folder of executables, PREFIX/bin
std::vector<std::string> folders_beside(const fs::path& binaries) {
    const fs::path installed = (binaries / SIMTLM_INSTALLED_CONFIG_DIR).lexically_normal();
    std::error_code ignored;
    if (fs::is_directory(installed, ignored) || *SIMTLM_SOURCE_CONFIG_DIR == '\0')
        return {installed.string()};
    return {SIMTLM_SOURCE_CONFIG_DIR, installed.string()};
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
    std::error_code ignored;
    const bool escapes = name.empty() || name[0] == '/' || name.find("..") != std::string::npos;
    if (!escapes) {
        for (const std::string& folder : folders_) {
            const fs::path base = fs::path(folder) / name;
            if (reference && fs::is_regular_file(base / "accel-sim.config", ignored))
                return {(base / "accel-sim.config").string()};
            if (fs::is_regular_file(base / "gpgpusim.config", ignored)) {
                std::vector<std::string> found = {(base / "gpgpusim.config").string()};
                if (fs::is_regular_file(base / "trace.config", ignored))
                    found.push_back((base / "trace.config").string());
                return found;
            }
            const fs::path fragment = base.string() + ".config";
            if (fs::is_regular_file(fragment, ignored)) return {fragment.string()};
        }
    }
    std::vector<std::string> names;
    for (const preset_info& preset : preset_table()) names.emplace_back(preset.name);
    for (const std::string& folder : folders_)
        for (const auto& entry : fs::directory_iterator(fs::path(folder) / "dram", ignored))
            names.push_back("dram/" + entry.path().stem().string());
    std::sort(names.begin(), names.end());
    throw support::user_error(
        "--preset " + name, "unknown configuration",
        "did you mean " + nearest_name(name, names) + "? --list-configs lists them all");
}

option_values::preset_finder preset_folders::finder() const {
    return [folders = *this](const std::string& name, bool reference) {
        return folders.files(name, reference);
    };
}

void write_presets(std::ostream& out, const preset_folders& folders) {
    out << "GPUs (--preset NAME):\n";
    for (const preset_info& preset : preset_table()) {
        bool present = true;
        try {
            folders.files(preset.name);
        } catch (const support::user_error&) {
            present = false;
        }
        out << fmt::format("  {:<16} {:<44} traces of {}{}{}\n", preset.name, preset.gpu,
                           preset.suits, preset.calibrated ? ", calibrated" : "",
                           present ? "" : "  (not installed)");
    }
    out << "DRAM technologies (--preset NAME, after that of a GPU):\n";
    std::vector<std::string> names;
    for (const std::string& folder : folders.folders()) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(fs::path(folder) / "dram", ignored))
            names.push_back("dram/" + entry.path().stem().string());
        if (!names.empty()) break;
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) out << "  " << name << '\n';
    out << "Looked for in:\n";
    for (const std::string& folder : folders.folders()) out << "  " << folder << '\n';
}

}  // namespace simtlm::platform

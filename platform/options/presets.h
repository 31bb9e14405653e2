// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace simtlm::platform {

/// A GPU with a preset configuration (configs/<name>/).
struct preset_info {
    const char* name;
    const char* gpu;    ///< modelled GPU
    unsigned binary;    ///< binary version of its native traces: 70 for Volta, ...
    const char* suits;  ///< description of suitable traces
    bool calibrated;    ///< fitted to measurements, see docs/presets.md
};

/// All GPUs of configs/, by architecture, the recommended one for its traces first; each folder
/// contains gpgpusim.config, and trace.config or accel-sim.config where needed.
const std::vector<preset_info>& preset_table();

/// The preset whose traces have this binary version, or the same major number; nullptr if none.
const preset_info* preset_for_binary(unsigned binary_version);

/// A note that a preset is not calibrated, with the nearest calibrated one; empty if all given
/// presets are calibrated, and for TINY, which models no real GPU, and parameters of Accel-Sim.
std::string calibration_note(const option_values& values);

/// Finds preset files: in the folders of the environment variable SIMTLM_PRESET_PATH (separated by
/// colons), then in that of simtlm. Installed programs use the presets of their own prefix;
/// programs in a build tree use those of the source tree, also after both have been moved.
class preset_folders {
public:
    /// @param executable  argv[0] or empty; used if /proc does not identify the running program
    explicit preset_folders(const std::string& executable = {});
    explicit preset_folders(std::vector<std::string> folders) : folders_(std::move(folders)) {}
    /// Folders for a library loaded by another program's executable. @param library  its path
    static preset_folders of_library(const std::string& library);

    /// Files of the preset in loading order. `dram/GDDR6` names a fragment, `TITAN_V` a GPU,
    /// `QV100/accel-sim` the file of a GPU that has the parameters of Accel-Sim, and a path that
    /// begins with `/`, `./` or `../` a folder of the user.
    /// @param reference  prefer the file with the parameters of Accel-Sim
    /// @throws support::user_error  with the nearest name
    std::vector<std::string> files(const std::string& name, bool reference = false) const;

    const std::vector<std::string>& folders() const { return folders_; }
    /// A finder for option_values.
    option_values::preset_finder finder() const;

private:
    std::vector<std::string> folders_;
};

/// Writes --list-configs.
void write_presets(std::ostream& out, const preset_folders& folders);

}  // namespace simtlm::platform

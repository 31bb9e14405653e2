// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace simtlm::platform {

/// A GPU that ships with a configuration (configs/<name>/).
struct preset_info {
    const char* name;
    const char* gpu;    ///< what it models
    unsigned binary;    ///< binary version of its own traces: 70 for Volta, ...
    const char* suits;  ///< traces that fit it, for people
    bool calibrated;    ///< fitted to measurements, see docs/presets.md
};

/// All GPUs of configs/, in order of age; the folder of each holds gpgpusim.config and
/// trace.config.
const std::vector<preset_info>& preset_table();

/// The preset whose traces have this binary version, or share its major number; nullptr if none.
const preset_info* preset_for_binary(unsigned binary_version);

/// Says that a preset is not calibrated, and which of the nearest architecture is; empty when all
/// GPUs named are, and for TINY, which models none.
std::string calibration_note(const std::vector<std::string>& presets);

/// Finds presets in folders. What is installed has those of its own prefix and no others; what runs
/// in a build tree has those of the source tree.
class preset_folders {
public:
    /// @param executable  argv[0] or empty, where /proc does not tell which program this is
    explicit preset_folders(const std::string& executable = {});
    explicit preset_folders(std::vector<std::string> folders) : folders_(std::move(folders)) {}
    /// For a library that somebody else's executable has loaded. @param library  its path
    static preset_folders of_library(const std::string& library);

    /// Files of the preset in loading order. `dram/GDDR6` names a fragment, `TITAN_V` a GPU.
    /// @throws kernel::user_error with the nearest name
    std::vector<std::string> files(const std::string& name) const;

    const std::vector<std::string>& folders() const { return folders_; }
    /// A finder for option_values.
    option_values::preset_finder finder() const;

private:
    std::vector<std::string> folders_;
};

/// --list-configs.
void write_presets(std::ostream& out, const preset_folders& folders);

}  // namespace simtlm::platform

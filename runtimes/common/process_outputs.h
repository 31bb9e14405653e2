// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

#include <string>

namespace simtlm::runtime {

/// Gives the output files of this process names of their own. Several processes of one `simtlm run`
/// may use GPUs, at the same time or one after the other: the first one writes the files that the
/// options name, the others number them: stats.json, stats.process2.json, ... Relative names refer
/// to the folder in which the run was started, even if the program has changed its folder. No
/// effect without `simtlm run`.
void name_outputs(platform::option_values& options);

/// "folder/stats.json" and 2: "folder/stats.process2.json".
std::string numbered(const std::string& file, unsigned process);

}  // namespace simtlm::runtime

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/options/options.h"

#include <string>
#include <vector>

namespace simtlm {

/// Makes sure, before the run, that every output can be written, that none is an input or another
/// output, and that none would replace the file that stdout or stderr goes to.
/// @param kernels  files of kernel traces
/// @throws kernel::user_error
void check_outputs(const platform::option_values& values, const platform::gpu_config& config,
                   const std::vector<std::string>& kernels);

}  // namespace simtlm

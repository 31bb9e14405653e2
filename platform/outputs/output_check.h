// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"
#include "platform/options/options.h"
#include "platform/outputs/provenance.h"

#include <vector>

namespace simtlm::platform {

/// Makes sure, before the run, that every output can be written, that none is an input or another
/// output, and that none would replace the file that stdout or stderr goes to.
/// @param work  files that tell what is run
/// @throws kernel::user_error
void check_outputs(const option_values& values, const gpu_config& config,
                   const std::vector<provenance::file>& work);

}  // namespace simtlm::platform

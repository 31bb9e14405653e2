// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/ptx/instruction_descriptors.h"
#include "platform/config/config.h"

namespace simtlm::platform {

/// Timing of executed instructions under a configuration.
execution::instruction_timing instruction_timing_of(const gpu_config& config);

}  // namespace simtlm::platform

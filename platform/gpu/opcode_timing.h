// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/instruction_descriptors.h"
#include "platform/config/config.h"

namespace simtlm::platform {

/// Timing of PTX instructions under a configuration.
execution::opcode_timing opcode_timing_of(const ptx_timing& p);

}  // namespace simtlm::platform

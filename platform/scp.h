// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/simtlm.h"

#include <scp/report.h>

#include <string>

namespace simtlm {

/// Lets the messages of a GPU go through the logger of SystemC Common Practices (Accellera's SCP):
/// commands as debug messages of the feature with the GPU's name, so that the CCI parameter
/// GPU.log_level, or that of a module above it, selects them. Errors and warnings reach its report
/// handler in any case. Call before the simulation starts.
inline void log_to_scp(gpu& device) {
    device.set_log(
        [name = std::string(device.name())](const std::string& text) { SCP_DEBUG(name) << text; });
}

}  // namespace simtlm

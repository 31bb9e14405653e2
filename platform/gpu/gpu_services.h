// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/launch.h"
#include "platform/config/config.h"

namespace simtlm::platform {

/// Sets the services that follow from the GPU on which a program executes with timing: number of
/// SMs, host threads, core clock, and the global timer, which reads the simulated time (ns).
void set_gpu_services(const gpu_config& config, execution::services& of_program);

}  // namespace simtlm::platform

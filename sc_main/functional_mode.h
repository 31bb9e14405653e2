// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

namespace simtlm {

/// Returns whether programs run in functional mode: -gpgpu_ptx_sim_mode 1, or PTX_SIM_MODE_FUNC=1.
bool is_functional(const platform::option_values& values);

/// Pure functional mode without SystemC: runs the launches of --launch with the program of --ptx
/// and
/// prints what was executed. A signal ends it after printing what was executed so far.
/// @returns the exit code
/// @throws support::user_error
int run_functional(const platform::option_values& values);

}  // namespace simtlm

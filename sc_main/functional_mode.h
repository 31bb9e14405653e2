// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

namespace simtlm {

/// Whether programs are to be run without time: -gpgpu_ptx_sim_mode 1, or PTX_SIM_MODE_FUNC=1.
bool is_functional(const platform::option_values& values);

/// Refuses options that have no effect without time. @throws kernel::user_error
void refuse_timed_options(const platform::option_values& values);

/// Pure functional mode: runs the launches of --launch with the program of --ptx, no SystemC, and
/// prints what was executed. A signal ends it with what has been executed so far.
/// @returns the exit code
/// @throws kernel::user_error
int run_functional(const platform::option_values& values);

}  // namespace simtlm

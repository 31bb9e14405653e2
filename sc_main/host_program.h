// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm {

/// `simtlm run [options] -- program arguments`: becomes that program, with our libraries in place
/// of NVIDIA's. Options are checked first, and handed over in the environment.
/// @return the exit code when the program cannot be started @throws kernel::user_error
int run_host_program(int argc, char** argv);

}  // namespace simtlm

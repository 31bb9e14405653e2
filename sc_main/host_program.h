// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm {

/// `simtlm run [options] -- program arguments`: replaces this process by the program, with the
/// libraries of this project in place of NVIDIA's. Options are validated first and passed in the
/// environment.
/// @return the exit code if the program cannot be started @throws support::user_error
int run_host_program(int argc, char** argv);

}  // namespace simtlm

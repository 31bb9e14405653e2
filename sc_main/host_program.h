// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm {

/// `simtlm run [options] -- program arguments`: replaces this process by the program, with the
/// libraries of this project in place of NVIDIA's. Options are validated first and passed in the
/// environment.
/// @return the exit code if the program cannot be started @throws support::user_error
int run_host_program(int argc, char** argv);

/// `simtlm serve --listen ADDRESS [options]`: replaces this process by the server for programs that
/// `simtlm run --connect ADDRESS` starts, also in another machine. Options are passed like those of
/// a run.
/// @throws support::user_error
int serve_host_programs(int argc, char** argv);

}  // namespace simtlm

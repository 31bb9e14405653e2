// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm {

/// What the executables end with; docs/exit-codes.md tells users.
enum exit_code : int {
    success = 0,
    output_failed = 1,       ///< something could not be written
    fault_of_the_input = 2,  ///< a file, an option
    stuck = 3,               ///< the simulated GPU is in a deadlock
    results_differ = 4,      ///< a launch file expected something else
    checks_failed = 5,       ///< --check has found something in the program
    kernel_aborted = 6,      ///< a CUDA program has ended, but not all of its kernels
    fault_of_the_program = 70,
    ended_by_signal = 128,  ///< plus the signal's number
};

}  // namespace simtlm

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm {

/// Exit codes of the executables; documented in docs/exit-codes.md.
enum exit_code : int {
    success = 0,
    output_failed = 1,       ///< an output could not be written
    fault_of_the_input = 2,  ///< a faulty file or option
    stuck = 3,               ///< deadlock of the simulated GPU
    results_differ = 4,      ///< results differ from those expected by a launch file
    checks_failed = 5,       ///< --check has reported findings in the program
    kernel_aborted = 6,      ///< a CUDA program has ended, but not all of its kernels completed
    fault_of_the_program = 70,
    ended_by_signal = 128,  ///< plus the signal's number
};

}  // namespace simtlm

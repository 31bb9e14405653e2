// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace simtlm::runtime {

/// Called at the end of a process with the exit code of the program (and before the process
/// executes another program, with 0). @return the exit code of the process
using process_end_function = int (*)(void* object, int exit_code);

/// Calls a function when the process ends by _exit(), quick_exit() or one of the exec functions,
/// which run no destructors. The library that `simtlm run` preloads detects them; without it, the
/// function is not called. Call this once per object.
void at_process_end(process_end_function act, void* object);

}  // namespace simtlm::runtime

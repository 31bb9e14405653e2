// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

namespace simtlm::support {

/// Ends the process at once, without handlers and destructors. Unlike _exit(), it is not replaced
/// by the library that `simtlm run` preloads, which takes a call of _exit() for one of the program.
[[noreturn]] inline void exit_process(int code) {
    for (;;) ::syscall(SYS_exit_group, code);
}

}  // namespace simtlm::support

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace simtlm::platform {

class debugger;

/// While it exists, SIGINT stops a debugger at its next check. When that debugger is detached, or
/// waits for a command that no user types, the previous signal action applies. Only one may exist
/// at a time.
class interrupt_guard {
public:
    explicit interrupt_guard(debugger& which);
    ~interrupt_guard();
    interrupt_guard(const interrupt_guard&) = delete;
    interrupt_guard& operator=(const interrupt_guard&) = delete;

private:
    struct sigaction before_ = {};
};

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#include "platform/debugger/interrupt_guard.h"

#include "platform/debugger/debugger.h"

namespace simtlm::platform {

namespace {

// Globals, because a signal handler can access nothing else.
debugger* volatile interrupted = nullptr;
struct sigaction otherwise = {};

extern "C" void stop_debugger(int number) {
    debugger* const d = interrupted;
    if (d != nullptr && d->takes_interrupts()) {
        d->interrupt();
        return;
    }
    ::sigaction(number, &otherwise, nullptr);
    ::raise(number);
}

}  // namespace

interrupt_guard::interrupt_guard(debugger& which) {
    struct sigaction ours = {};
    ours.sa_handler = stop_debugger;
    ours.sa_flags = SA_RESTART;  // an interrupted write of a report continues
    ::sigaction(SIGINT, nullptr, &before_);
    otherwise = before_;
    interrupted = &which;
    if (before_.sa_handler != SIG_IGN) ::sigaction(SIGINT, &ours, nullptr);
}

interrupt_guard::~interrupt_guard() {
    interrupted = nullptr;
    struct sigaction now = {};
    ::sigaction(SIGINT, nullptr, &now);
    if (now.sa_handler == stop_debugger) ::sigaction(SIGINT, &before_, nullptr);
}

}  // namespace simtlm::platform

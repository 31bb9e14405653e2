// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <ctime>

namespace simtlm::host_threads {

/// While the object exists, writes of this thread that would raise SIGPIPE or SIGXFSZ fail with an
/// error instead, without changing the signal handlers of the program that uses the library. POSIX.
class signal_shield {
public:
    signal_shield() {
        sigemptyset(&ours_);
        sigaddset(&ours_, SIGPIPE);
        sigaddset(&ours_, SIGXFSZ);
        sigset_t pending;
        sigpending(&pending);
        for (const int s : {SIGPIPE, SIGXFSZ})
            if (sigismember(&pending, s) == 1) sigdelset(&ours_, s);
        pthread_sigmask(SIG_BLOCK, &ours_, &before_);
    }
    ~signal_shield() {
        // Consumes signals raised by the writes before the signal mask is restored.
        const struct timespec at_once = {0, 0};
        while (sigtimedwait(&ours_, nullptr, &at_once) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    signal_shield(const signal_shield&) = delete;
    signal_shield& operator=(const signal_shield&) = delete;

private:
    sigset_t ours_, before_;
};

}  // namespace simtlm::host_threads

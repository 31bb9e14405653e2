// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/termination_signals.h"

#include <fmt/format.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <thread>
#include <utility>

namespace simtlm::runtime {

namespace {

// Globals, because a signal handler can access nothing else.
sem_t signal_came;
volatile std::sig_atomic_t signal_number = 0;

std::atomic<std::int64_t> signalled_at{0};  // ns; 0: no signal so far

/// `timeout` and terminals send a signal both to a process and to its group; a repetition within
/// this time counts as the same signal.
constexpr std::int64_t one_signal = 1'000'000'000;  // ns

extern "C" void note_termination_signal(int number) {
    struct timespec t = {};
    clock_gettime(CLOCK_MONOTONIC, &t);  // async-signal-safe
    const std::int64_t now = std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
    std::int64_t first = 0;
    if (signalled_at.compare_exchange_strong(first, now)) {
        signal_number = number;
        sem_post(&signal_came);
    } else if (now - first >= one_signal) {
        // The user insists: the process ends when this handler returns.
        std::signal(number, SIG_DFL);
        raise(number);
    }
}

void end_by_signal(const std::function<void(const std::string&)>& end) {
    while (sem_wait(&signal_came) != 0) {
    }
    const int number = signal_number;
    const char* const name = sigabbrev_np(number);
    end(fmt::format("interrupted by SIG{}", name != nullptr ? name : "?"));
    std::signal(number, SIG_DFL);
    ::kill(::getpid(), number);
}

}  // namespace

bool termination_signal_came() {
    return signal_number != 0;
}

void watch_termination_signals(std::function<void(const std::string&)> end) {
    sem_init(&signal_came, 0, 0);
    bool any = false;
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now = {};
        sigaction(s, nullptr, &now);
        if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) continue;
        struct sigaction ours = {};
        ours.sa_handler = note_termination_signal;
        ours.sa_flags = SA_RESTART;
        sigaction(s, &ours, nullptr);
        any = true;
    }
    if (!any) return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([act = std::move(end)] { end_by_signal(act); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace simtlm::runtime

// SPDX-License-Identifier: Apache-2.0
#include "runtimes/common/termination_signals.h"

#include <fmt/format.h>
#include <semaphore.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

namespace simtlm::runtime {

namespace {

// A signal handler can reach nothing else.
sem_t signal_came;
volatile std::sig_atomic_t signal_number = 0;

extern "C" void note_termination_signal(int number) {
    signal_number = number;
    sem_post(&signal_came);
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
        ours.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
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

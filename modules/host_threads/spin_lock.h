// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>

namespace simtlm::host_threads {

/// Hints to the processor that the thread is in a spin loop.
inline void relax_processor() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// A spin lock for critical sections of a few instructions. Waiters yield to the operating system
/// after a while, in case the thread that holds the lock has been descheduled. Meets the
/// requirements of std::lock_guard.
class spin_lock {
public:
    /// Acquires the lock; waits while another thread holds it.
    void lock() {
        for (unsigned tries = 0; taken_.exchange(true, std::memory_order_acquire);)
            while (taken_.load(std::memory_order_relaxed)) wait_a_little(tries);
    }
    void unlock() { taken_.store(false, std::memory_order_release); }

    /// One iteration of a spin loop. @param tries  iterations so far; incremented
    static void wait_a_little(unsigned& tries) {
        constexpr unsigned before_yielding = 200;
        if (++tries % before_yielding == 0)
            sched_yield();
        else
            relax_processor();
    }

private:
    std::atomic<bool> taken_{false};
};

}  // namespace simtlm::host_threads

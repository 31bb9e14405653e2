// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>

namespace simtlm::kernel {

/// Tells the processor that a loop waits.
inline void relax_processor() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// A lock for a few instructions at a time, which its waiters spend turning; whose holder has lost
/// its processor is left to the operating system. Meets the requirements of std::lock_guard.
class spin_lock {
public:
    void lock() {
        for (unsigned tries = 0; taken_.exchange(true, std::memory_order_acquire);)
            while (taken_.load(std::memory_order_relaxed)) wait_a_little(tries);
    }
    void unlock() { taken_.store(false, std::memory_order_release); }

    /// One turn of a loop that waits for another thread. @param tries  counts them
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

}  // namespace simtlm::kernel

// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/worker_pool.h"

#include "modules/kernel/spin_lock.h"

#include <utility>

namespace simtlm::kernel {

namespace {
constexpr std::uint64_t end_of_work = ~std::uint64_t{0};
/// Turns that a worker waits for the next round before it goes to sleep: some tens of microseconds,
/// which is what the rest of a step takes.
constexpr unsigned turns_before_sleep = 1500;
}  // namespace

thread_local unsigned worker_pool::this_thread_ = 0;

worker_pool::worker_pool(unsigned threads) : shares_(threads) {
    for (unsigned t = 1; t < threads; ++t) workers_.emplace_back([this, t] { serve(t); });
}

worker_pool::~worker_pool() {
    {
        const std::lock_guard hold(mutex_);
        round_.store(end_of_work);
    }
    awake_.notify_all();
    for (std::thread& w : workers_) w.join();
}

void worker_pool::run(const std::vector<unsigned>& ends, void (*work)(void*, unsigned),
                      void* context) {
    const std::uint64_t round = round_.load(std::memory_order_relaxed) + 1;
    const auto among = static_cast<unsigned>(ends.size());
    work_ = work;
    context_ = context;
    among_ = among;
    for (unsigned t = 0; t < among; ++t) {
        shares_[t].next.store(t == 0 ? 0 : ends[t - 1], std::memory_order_relaxed);
        shares_[t].end = ends[t];
    }
    for (unsigned t = 1; t < among; ++t)
        shares_[t].state.store(round * states + invited, std::memory_order_release);
    round_.store(round);  // sequentially consistent, as asleep_ is: one of two sees the other
    if (asleep_.load() != 0) {
        { const std::lock_guard hold(mutex_); }
        awake_.notify_all();
    }
    work_on(0);
    for (unsigned t = 1; t < among; ++t) await(shares_[t]);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Until a thread has finished the round, or been left out.
void worker_pool::await(share& s) {
    const std::uint64_t round = round_.load(std::memory_order_relaxed);
    std::uint64_t expected = round * states + invited;
    if (s.state.compare_exchange_strong(expected, round * states + left_out)) return;
    for (unsigned tries = 0; s.state.load(std::memory_order_acquire) != round * states + finished;)
        spin_lock::wait_a_little(tries);
}

void worker_pool::work_on(unsigned first_share) {
    for (unsigned k = 0; k < among_; ++k) {
        share& s = shares_[(first_share + k) % among_];
        for (;;) {
            if (s.next.load(std::memory_order_relaxed) >= s.end) break;
            const unsigned i = s.next.fetch_add(1, std::memory_order_relaxed);
            if (i >= s.end) break;
            try {
                work_(context_, i);
            } catch (...) {
                const std::lock_guard hold(mutex_);
                if (!failure_) failure_ = std::current_exception();
            }
        }
    }
}

/// Waits for a round after one. @return its number, or end_of_work
std::uint64_t worker_pool::next_round(std::uint64_t seen) {
    for (unsigned turn = 0; turn < turns_before_sleep; ++turn) {
        const std::uint64_t now = round_.load(std::memory_order_acquire);
        if (now != seen) return now;
        relax_processor();
    }
    std::unique_lock hold(mutex_);
    asleep_.fetch_add(1);
    awake_.wait(hold, [&] { return round_.load() != seen; });
    asleep_.fetch_sub(1);
    return round_.load();
}

void worker_pool::serve(unsigned thread) {
    this_thread_ = thread;
    std::atomic<std::uint64_t>& mine = shares_[thread].state;
    for (std::uint64_t round = 0; (round = next_round(round)) != end_of_work;) {
        std::uint64_t expected = round * states + invited;
        if (!mine.compare_exchange_strong(expected, round * states + at_work)) continue;
        work_on(thread);
        mine.store(round * states + finished, std::memory_order_release);
    }
}

}  // namespace simtlm::kernel

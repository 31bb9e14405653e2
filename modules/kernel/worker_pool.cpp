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

worker_pool::worker_pool(unsigned threads) : seats_(threads) {
    for (unsigned t = 1; t < threads; ++t) workers_.emplace_back([this, t] { serve(t); });
}

worker_pool::~worker_pool() {
    {
        const std::lock_guard hold(mutex_);
        for (seat& s : seats_) s.state.store(end_of_work);
    }
    awake_.notify_all();
    for (std::thread& w : workers_) w.join();
}

void worker_pool::run(const work& what, unsigned among) {
    const std::uint64_t round = ++round_;
    for (unsigned t = 1; t < among; ++t) {
        seats_[t].what = &what;
        // Sequentially consistent, as asleep_ is: one of two threads sees what the other does.
        seats_[t].state.store(round * states + invited);
    }
    if (asleep_.load() != 0) {
        { const std::lock_guard hold(mutex_); }
        awake_.notify_all();
    }
    work_on(what, round, 0);
    for (unsigned t = 1; t < among; ++t) await(seats_[t]);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Until a thread has finished the round, or been left out.
void worker_pool::await(seat& s) {
    std::uint64_t expected = round_ * states + invited;
    if (s.state.compare_exchange_strong(expected, round_ * states + left_out)) return;
    for (unsigned tries = 0; s.state.load(std::memory_order_acquire) != round_ * states + finished;)
        spin_lock::wait_a_little(tries);
}

/// @return whether the pieces of a share are there to be taken; if not, another thread has just
///         come to it, and will do them
bool worker_pool::begin(const work& what, std::uint64_t round, unsigned share, seat& s) {
    std::uint64_t expected = (round - 1) * share_states + begun;
    if (s.share.compare_exchange_strong(expected, round * share_states + beginning)) {
        s.left.store(what.begin(what.context, share), std::memory_order_relaxed);
        s.share.store(round * share_states + begun, std::memory_order_release);
        return true;
    }
    return s.share.load(std::memory_order_acquire) == round * share_states + begun;
}

void worker_pool::work_on(const work& what, std::uint64_t round, unsigned first) {
    for (unsigned k = 0; k < threads(); ++k) {
        const unsigned share = (first + k) % threads();
        seat& s = seats_[share];
        if (!begin(what, round, share, s)) continue;
        for (std::uint64_t left; (left = s.left.load(std::memory_order_relaxed)) != 0;) {
            // Who helps begins at the other end.
            const auto piece =
                static_cast<unsigned>(k == 0 ? __builtin_ctzll(left) : 63 - __builtin_clzll(left));
            const std::uint64_t bit = std::uint64_t{1} << piece;
            if ((s.left.fetch_and(~bit, std::memory_order_relaxed) & bit) == 0) continue;
            try {
                what.do_piece(what.context, share, piece);
            } catch (...) {
                const std::lock_guard hold(mutex_);
                if (!failure_) failure_ = std::current_exception();
            }
        }
    }
}

/// Waits until a thread is invited to a round after one. @return its number, or end_of_work
std::uint64_t worker_pool::next_round(const seat& mine, std::uint64_t seen) {
    const auto news = [&mine, seen] {
        const std::uint64_t state = mine.state.load();
        if (state == end_of_work) return end_of_work;
        return state % states == invited && state / states != seen ? state / states : seen;
    };
    for (unsigned turn = 0; turn < turns_before_sleep; ++turn) {
        if (const std::uint64_t now = news(); now != seen) return now;
        relax_processor();
    }
    std::unique_lock hold(mutex_);
    asleep_.fetch_add(1);
    awake_.wait(hold, [&] { return news() != seen; });
    asleep_.fetch_sub(1);
    return news();
}

void worker_pool::serve(unsigned thread) {
    this_thread_ = thread;
    seat& mine = seats_[thread];
    for (std::uint64_t round = 0; (round = next_round(mine, round)) != end_of_work;) {
        std::uint64_t expected = round * states + invited;
        if (!mine.state.compare_exchange_strong(expected, round * states + at_work)) continue;
        work_on(*mine.what, round, thread);
        mine.state.store(round * states + finished, std::memory_order_release);
    }
}

}  // namespace simtlm::kernel

// SPDX-License-Identifier: Apache-2.0
#include "modules/host_threads/worker_pool.h"

#include "modules/host_threads/spin_lock.h"

#include <algorithm>
#include <utility>

namespace simtlm::host_threads {

namespace {
constexpr std::uint64_t end_of_work = ~std::uint64_t{0};
/// Iterations for which a worker spins before it sleeps: some tens of microseconds, about the
/// duration of the unshared part of a step.
constexpr unsigned spins_before_sleep = 1500;
}  // namespace

thread_local unsigned worker_pool::this_thread_ = 0;

worker_pool::worker_pool(unsigned threads) : states_(threads) {
    for (unsigned t = 1; t < threads; ++t) workers_.emplace_back([this, t] { serve(t); });
}

worker_pool::~worker_pool() {
    {
        const std::lock_guard hold(mutex_);
        for (worker_state& s : states_) s.state.store(end_of_work);
    }
    awake_.notify_all();
    for (std::thread& w : workers_) w.join();
}

void worker_pool::run(const work& what, unsigned among) {
    const std::uint64_t round = ++round_;
    for (unsigned t = 1; t < among; ++t) {
        worker_state& s = states_[t];
        s.what = what;
        s.round = round;
        // Sequentially consistent, like asleep_, so that at least one of the two threads sees the
        // other's store.
        const std::uint64_t invitations = s.state.load(std::memory_order_relaxed) / states;
        s.state.store((invitations + 1) * states + invited);
    }
    if (asleep_.load() != 0) {
        { const std::lock_guard hold(mutex_); }
        awake_.notify_all();
    }
    work_on(what, round, 0);
    for (unsigned t = 1; t < among; ++t) await(states_[t]);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Waits until an invited thread has finished the round, or has been excluded from it.
void worker_pool::await(worker_state& s) {
    std::uint64_t state = s.state.load(std::memory_order_relaxed);
    if (state % states == invited &&
        s.state.compare_exchange_strong(state, state - invited + excluded))
        return;
    for (unsigned tries = 0; s.state.load(std::memory_order_acquire) % states != finished;)
        spin_lock::wait_a_little(tries);
}

/// @return whether the chunks of a unit can be taken; if not, another thread is beginning the unit
///         and will run them
bool worker_pool::begin(const work& what, std::uint64_t round, unsigned unit, worker_state& s) {
    std::uint64_t expected = (round - 1) * unit_states + begun;
    if (s.unit.compare_exchange_strong(expected, round * unit_states + beginning)) {
        s.left.store(what.begin(what.context, unit), std::memory_order_relaxed);
        s.unit.store(round * unit_states + begun, std::memory_order_release);
        return true;
    }
    return s.unit.load(std::memory_order_acquire) == round * unit_states + begun;
}

void worker_pool::work_on(const work& what, std::uint64_t round, unsigned first) {
    for (unsigned k = 0; k < threads(); ++k) {
        const unsigned unit = (first + k) % threads();
        worker_state& s = states_[unit];
        if (!begin(what, round, unit, s)) continue;
        for (std::uint64_t left; (left = s.left.load(std::memory_order_relaxed)) != 0;) {
            // Stealing threads start at the opposite end.
            const auto chunk =
                static_cast<unsigned>(k == 0 ? __builtin_ctzll(left) : 63 - __builtin_clzll(left));
            const std::uint64_t bit = std::uint64_t{1} << chunk;
            if ((s.left.fetch_and(~bit, std::memory_order_relaxed) & bit) == 0) continue;
            try {
                what.do_chunk(what.context, unit, chunk);
            } catch (...) {
                const std::lock_guard hold(mutex_);
                if (!failure_) failure_ = std::current_exception();
            }
        }
    }
}

/// Waits for an invitation. @return whether there is work; false: the thread is to end
bool worker_pool::await_invitation(worker_state& mine) {
    const auto come = [&mine](std::uint64_t invitation) {
        std::uint64_t state = invitation;
        mine.state.compare_exchange_strong(state, invitation - invited + at_work);
        return state;
    };
    // The current or the next invitation; the thread may have been excluded from earlier ones.
    const auto invitation_after = [](std::uint64_t state) {
        return (state + states - 1) / states * states + invited;
    };
    static_assert(invited == 0);
    std::uint64_t expected = invitation_after(mine.state.load());
    for (unsigned spin = 0; spin < spins_before_sleep; ++spin) {
        // Tries the exchange directly: reading first would fetch the cache line twice.
        const std::uint64_t state = come(expected);
        if (state == expected) return true;
        if (state == end_of_work) return false;
        expected = std::max(expected, invitation_after(state));
        relax_processor();
    }
    std::unique_lock hold(mutex_);
    asleep_.fetch_add(1);
    bool ends = false;
    awake_.wait(hold, [&] {
        expected = invitation_after(mine.state.load());
        const std::uint64_t state = come(expected);
        ends = state == end_of_work;
        return ends || state == expected;
    });
    asleep_.fetch_sub(1);
    return !ends;
}

void worker_pool::serve(unsigned thread) {
    this_thread_ = thread;
    worker_state& mine = states_[thread];
    while (await_invitation(mine)) {
        work_on(mine.what, mine.round, thread);
        mine.state.store(mine.state.load(std::memory_order_relaxed) - at_work + finished,
                         std::memory_order_release);
    }
}

}  // namespace simtlm::host_threads

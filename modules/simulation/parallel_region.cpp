// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/parallel_region.h"

#include "modules/host_threads/worker_pool.h"
#include "modules/simulation/process_state.h"
#include "modules/support/error.h"

#include <algorithm>

namespace simtlm::simulation {

parallel_region::parallel_region(unsigned threads, unsigned groups_a_thread)
    : one_thread_(threads == 1), groups_a_thread_(groups_a_thread), threads_(threads) {
    if (threads == 1) return;
    workers_ = std::make_unique<host_threads::worker_pool>(threads);
    deferred_updates_.resize(threads);
}

parallel_region::~parallel_region() = default;

unsigned parallel_region::chunk_of(unsigned partition, unsigned partitions,
                                   scheduling_partition_size size) const {
    if (!exists()) return 0;
    constexpr unsigned for_large = 24;
    const unsigned thread = partition * threads_ / partitions;
    const auto first_of = [&](unsigned t) { return (t * partitions + threads_ - 1) / threads_; };
    const unsigned begin = size == scheduling_partition_size::large ? 0 : for_large;
    const unsigned places =
        size == scheduling_partition_size::large ? for_large : chunks_per_thread - for_large;
    const unsigned nth = partition - first_of(thread), of = first_of(thread + 1) - first_of(thread);
    return thread * chunks_per_thread + begin + nth * places / of;
}

void parallel_region::add(scheduled_phase& phase_entry) {
    phase_entry.lay_out_by_chunk(threads_, chunks_per_thread);
    phase_entry.shared_number = static_cast<unsigned>(phase_entries_.size());
    phase_entries_.push_back(&phase_entry);
    sc_assert(phase_entries_.size() <= max_shared);
}

void parallel_region::begin_step(bool ended, bool begins) {
    if (!may_run() || groups_a_thread_ != 0) return;
    constexpr unsigned worth_counting = 2 * min_groups;  // shorter steps are not representative
    constexpr unsigned soon_again = 64;  // steps; after that many the threads are left asleep
    const bool is_worth = activations_ >= worth_counting;
    if (ended) steps_since_counted_ = is_worth ? 0 : steps_since_counted_ + 1;
    std::optional<parallel_autotuner::clock::time_point> now;
    if (step_began_) now = parallel_autotuner::clock::now();
    parallel_autotuner& last = autotuners_[ended ? 0 : 1];
    if (is_worth && !last.trying())
        last.step_ended({}, activations_);
    else if (is_worth && step_began_)
        last.step_ended(*now - *step_began_, activations_);
    activations_ = 0;
    const parallel_autotuner& next = autotuners_[begins ? 0 : 1];
    const bool asked = steps_since_counted_ <= soon_again && (begins || autotuners_[0].pays());
    step_began_.reset();
    if (asked && next.trying()) step_began_ = now ? *now : parallel_autotuner::clock::now();
    pays_ = asked && next.shared();
}

std::size_t parallel_region::run(const phase_visit* first, const phase_visit* end) {
    if (first->of->one_thread) return 0;
    unsigned among = 1;
    const phase_visit* last = first;
    if (runs_in_step()) {
        unsigned awake = 0;
        for (; last != end; ++last) {
            const scheduled_phase& s = *last->of;
            if (!s.shared || s.one_thread || (last != first && s.what.barrier_before)) break;
            awake += last->who->awake;
        }
        const unsigned each = groups_a_thread_ != 0 ? groups_a_thread_ : min_groups;
        among = std::min(workers_->threads(), awake / each);
    }
    if (among < 2) {
        activations_ += first->who->awake;
        return 0;
    }
    visits_ = first;
    n_visits_ = static_cast<unsigned>(last - first);
    running_ = true;
    const auto begin = [](void* self, unsigned unit) {
        return static_cast<const parallel_region*>(self)->awake_chunks(unit);
    };
    const auto go = [](void* self, unsigned unit, unsigned chunk) {
        static_cast<parallel_region*>(self)->run_chunk(unit, chunk);
    };
    workers_->run({this, begin, go}, among);
    running_ = false;
    return n_visits_;
}

void parallel_region::do_in_parallel(unsigned chunks, void (*work)(void*, unsigned),
                                     void* context) {
    if (!runs_in_step() || chunks > workers_->threads()) {
        for (unsigned i = 0; i < chunks; ++i) work(context, i);
        return;
    }
    struct units {
        unsigned count;
        void (*work)(void*, unsigned);
        void* context;
    } all{chunks, work, context};
    const auto begin = [](void* of, unsigned unit) {
        return std::uint64_t{unit < static_cast<const units*>(of)->count};
    };
    const auto go = [](void* of, unsigned unit, unsigned) {
        const units& s = *static_cast<const units*>(of);
        s.work(s.context, unit);
    };
    workers_->run({&all, begin, go}, chunks);
}

/// @return those chunks of a host thread that have an awake process in the phases being run
std::uint64_t parallel_region::awake_chunks(unsigned unit) const {
    std::uint64_t chunks = 0;
    for (unsigned k = 0; k < n_visits_; ++k) {
        const unsigned words = visits_[k].of->words_per_thread;
        for (unsigned w = 0; w < words; ++w) chunks |= visits_[k].who->awake_in(unit * words + w);
    }
    return chunks;
}

/// Runs the awake processes of a chunk, phase by phase.
void parallel_region::run_chunk(unsigned unit, unsigned chunk) {
    deferred_updates& mine = updates_of_this_thread();
    for (unsigned k = 0; k < n_visits_; ++k) {
        const phase_visit& v = visits_[k];
        const unsigned first = unit * v.of->words_per_thread;
        unsigned ran = 0;
        for (unsigned word = first; word < first + v.of->words_per_thread; ++word) {
            if ((v.who->awake_in(word) >> chunk & 1u) == 0) continue;
            const unsigned member = 64 * word + chunk;
            mine.visited = &v;
            mine.running = v.of->members[member];
            try {
                v.actions[member].call(v.actions[member].self);
            } catch (const support::user_error&) {
                fail(std::current_exception(), true);
            }
            ++ran;
        }
        if (ran != 0) mine.ran[v.of->shared_number] += ran;
    }
}

parallel_region::counts parallel_region::take_counts(const scheduled_phase& phase_entry) {
    counts sum;
    for (deferred_updates& n : deferred_updates_) {
        sum.ran += std::exchange(n.ran[phase_entry.shared_number], 0);
        sum.awoken += std::exchange(n.awoken[phase_entry.shared_number], std::int16_t{0});
    }
    activations_ += sum.ran;
    return sum;
}

parallel_region::failure parallel_region::take_failure() {
    failure all;
    const deferred_updates* first = nullptr;
    for (deferred_updates& n : deferred_updates_) {
        all.interrupted |= std::exchange(n.interrupted, false);
        if (n.failure && (first == nullptr || n.failed < first->failed)) first = &n;
    }
    if (first == nullptr) return all;
    all.why = first->failure;
    for (deferred_updates& n : deferred_updates_) n.failure = nullptr;
    return all;
}

parallel_region::deferred_updates& parallel_region::updates_of_this_thread() {
    return deferred_updates_[host_threads::worker_pool::this_thread()];
}

void parallel_region::wake(process_state& p) {
    if (!p.phase_entry.shared) return updates_of_this_thread().woken.push_back(&p);
    if ((__atomic_fetch_or(p.word, p.mask(), __ATOMIC_RELAXED) & p.mask()) == 0)
        ++updates_of_this_thread().awoken[p.phase_entry.shared_number];
}

void parallel_region::sleep(process_state& p) {
    sc_assert(p.phase_entry.shared);
    if ((__atomic_fetch_and(p.word, ~p.mask(), __ATOMIC_RELAXED) & p.mask()) != 0)
        --updates_of_this_thread().awoken[p.phase_entry.shared_number];
}

void parallel_region::set_timer(process_state& p, std::uint64_t at) {
    updates_of_this_thread().timers.push_back({at, &p});
}

void parallel_region::fail(std::exception_ptr why, bool interrupted) {
    constexpr unsigned max_members = 1u << 24;
    deferred_updates& mine = updates_of_this_thread();
    mine.interrupted |= interrupted;
    const std::uint64_t order =
        static_cast<std::uint64_t>(mine.visited - visits_) * max_members + mine.running->place;
    if (mine.failure && mine.failed <= order) return;
    mine.failure = std::move(why);
    mine.failed = order;
}

}  // namespace simtlm::simulation

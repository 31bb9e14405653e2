// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/step_runner.h"

#include "modules/simulation/phase_sequencer.h"
#include "modules/simulation/process_state.h"

namespace simtlm::simulation {

void step_runner::begin(const std::vector<phase_visit>& visits) {
    visits_ = &visits;
    position_ = 0;
    visited_ = false;
}

step_runner::started step_runner::start_next_phase(const process_state* ended) {
    const std::vector<phase_visit>& order = *visits_;
    for (; position_ < order.size(); ++position_) {
        const phase_visit& v = order[position_];
        if (v.who->awake == 0) continue;
        sequencer_.visiting_ = v.who->place;
        visited_ = true;
        if (region_.may_run() && v.of->shared && !sequencer_.follows_blocks())
            if (const std::size_t visits = run_parallel_region(); visits != 0) {
                position_ += visits;
                return started::region;
            }
        // A process cannot trigger itself.
        if (ended != nullptr && (&ended->phase_entry == v.of->processes || v.of->starts_shared()))
            return started::postponed;
        ++sequencer_.activity_.deltas;
        sequencer_.activity_.activations[sequencer_.table_.number_of(*v.of)] += v.who->awake;
        if (sequencer_.follows_blocks()) sequencer_.mark_active(*v.of, *v.who);
        const std::size_t end = end_of_processes(position_);
        begin_ = &v;
        end_ = order.data() + end;
        own_actions_ =
            end_ - begin_ == 1 && v.of->processes == v.of && v.actions == v.of->actions.data();
        start_processes(v);
        position_ = end;
        return started::processes;
    }
    return started::nothing;
}

/// @return the end of the consecutive visits that the same processes can run back to back, because
///         their modules access nothing but their own state in all of them
std::size_t step_runner::end_of_processes(std::size_t first) const {
    const std::vector<phase_visit>& order = *visits_;
    std::size_t end = first + 1;
    const scheduled_phase* const processes = order[first].of->processes;
    if (!processes->shares_processes || sequencer_.follows_blocks()) return end;
    while (end < order.size() && order[end].of->processes == processes) ++end;
    return end;
}

/// Triggers the processes that are awake at this point; waking or sleeping in the meantime has no
/// effect on the set.
void step_runner::start_processes(const phase_visit& v) {
    const sub_phase& t = *v.who;
    const std::size_t members = v.of->starts.size();
    if (started_.size() < t.n_words) started_.resize(t.n_words);
    unsigned awake = 0;
    for (unsigned w = 0; w < t.n_words; ++w) {
        std::uint64_t bits = 0;
        for (const phase_visit* also = begin_; also != end_; ++also)
            bits |= also->who->words[w * t.stride];
        started_[w] = bits;
        awake += static_cast<unsigned>(__builtin_popcountll(bits));
    }
    // Triggering all processes at once is cheaper per process, even though those that are not awake
    // return without doing anything.
    if (8 * awake >= 5 * members && members > 1 && !v.of->shared && !v.of->starts_shared()) {
        running_ = static_cast<unsigned>(members);
        v.of->processes->start_all->notify();
        return;
    }
    running_ = awake;
    for (unsigned w = 0; w < t.n_words; ++w)
        for (std::uint64_t bits = started_[w]; bits != 0; bits &= bits - 1) {
            const unsigned member = 64 * w + static_cast<unsigned>(__builtin_ctzll(bits));
            if (v.of->starts_shared()) v.of->members[member]->run_next();
            v.of->starts[member]->notify();
        }
}

bool step_runner::run(process_state& runner) {
    const process_state* p = &runner;
    if (runner.has_next) {
        runner.has_next = false;
        p = runner.next;
    }
    if ((started_[p->index / 64] >> p->bit & 1u) != 0) {
        running_process_ = p;
        running_visit_ = begin_;
        if (own_actions_)
            sequencer_.act(p->action);
        else
            run_phases_of(*p);
    }
    if (--running_ != 0) return false;
    running_process_ = nullptr;
    return true;
}

/// Runs the actions of a process in the consecutive visits begin_ .. end_ in which it is awake.
void step_runner::run_phases_of(const process_state& p) {
    for (const phase_visit* v = begin_; v != end_; ++v) {
        if ((v->who->words[p.index / 64 * v->who->stride] >> p.bit & 1u) == 0) continue;
        running_visit_ = v;
        sequencer_.act(v->actions[p.index]);
        if (v == begin_) continue;  // already counted by start_next_phase()
        ++sequencer_.activity_.activations[sequencer_.table_.number_of(*v->of)];
        if (v->of->shared) region_.count_activations(1);
    }
}

/// Runs the current phase and those that may be run with it in a parallel region, if that pays.
/// @return the number of visits that have been run
std::size_t step_runner::run_parallel_region() {
    const std::size_t visits =
        region_.run(&(*visits_)[position_], visits_->data() + visits_->size());
    if (visits == 0) return 0;
    ++sequencer_.activity_.shared;
    for (scheduled_phase* s : region_.phase_entries()) {
        const parallel_region::counts n = region_.take_counts(*s);
        s->sub_phases[0].awake += static_cast<unsigned>(n.awoken);
        if (n.ran == 0) continue;
        ++sequencer_.activity_.deltas;
        sequencer_.activity_.activations[sequencer_.table_.number_of(*s)] += n.ran;
    }
    region_.apply_deferred_updates(
        [](process_state& p) { p.wake(); },
        [this](process_state& p, std::uint64_t at) { sequencer_.set_timer(p, at); });
    if (const parallel_region::failure failed = region_.take_failure(); failed.why) {
        sequencer_.interrupted_ |= failed.interrupted;
        sequencer_.fail(failed.why);
    }
    return visits;
}

std::uint64_t step_runner::order_of(const phase_visit& v, const process_state& p) const {
    constexpr unsigned max_members = 1u << 24;
    return static_cast<std::uint64_t>(&v - visits_->data()) * max_members + p.place;
}

}  // namespace simtlm::simulation

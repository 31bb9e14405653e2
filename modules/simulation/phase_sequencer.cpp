// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/phase_sequencer.h"

#include "modules/simulation/clocked_module.h"
#include "modules/simulation/process_state.h"
#include "modules/simulation/spawn.h"

#include <algorithm>
#include <utility>

namespace simtlm::simulation {

namespace {
/// Calls act with each member of a phase that is awake in a sub-phase, in order.
template <class Members, class Action>
void for_each_awake(const sub_phase& t, const Members& all, Action act) {
    for (unsigned first = 0; first < all.size(); first += 64)
        for (std::uint64_t bits = *t.word(first); bits != 0; bits &= bits - 1)
            act(all[first + static_cast<unsigned>(__builtin_ctzll(bits))]);
}
}  // namespace

phase_sequencer::phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                                 std::vector<phase> phases, const options& opts)
    : sc_module(name),
      clock("clock", domains),
      options_(opts),
      domains_(domains),
      table_(phases),
      region_(opts.clocked_threads ? 1 : opts.host_threads, opts.groups_a_thread) {
    sc_assert(domains <= max_domains);
    activity_.activations.assign(phases.size(), 0);
    std::vector<trigger> edges;
    for (unsigned d = 0; d < domains; ++d) edges.emplace_back(clock[d].pos());
    spawn_method(
        "on_edge", [this] { on_edge(); }, edges);
    spawn_method("step", [this] { step(); }, {step_event_});
}

phase_sequencer::~phase_sequencer() = default;

void phase_sequencer::end_of_elaboration() {
    table_.complete_members(options_.shuffle_seed);
    find_watched_blocks();
    check_clocks();
    table_.complete_order(region_);
    if (source_.decouples() && !table_.insert_replay(source_.decoupled_domain())) source_.couple();
}

std::uint64_t phase_sequencer::activations(phase_index p) const {
    std::uint64_t sum = activity_.activations[p];
    for (const group_schedule* g : table_.groups()) sum += g->activations(p);
    return sum;
}

phase_sequencer::activity phase_sequencer::observed() const {
    activity a = activity_;
    a.edges = source_.edges();
    for (const group_schedule* g : table_.groups()) a.groups += g->visits();
    for (unsigned p = 0; p < table_.phase_entries().size(); ++p) a.activations[p] = activations(p);
    return a;
}

void phase_sequencer::on_edge() {
    for (unsigned d = 0; d < domains_; ++d)
        if (clock[d].posedge()) pending_ |= 1u << d;
    if (stepping_ || has_failed() || resumes_) return;
    // Other processes that run on this edge go first, so that their order relative to the sequencer
    // does not matter.
    if (sc_core::sc_pending_activity_at_current_time()) return resume_in_next_delta();
    resumes_ = true;
    step();
}

void phase_sequencer::resume_in_next_delta() {
    resumes_ = true;
    step_event_.notify(sc_core::SC_ZERO_TIME);
}

/// Called after a step in which no process ran.
void phase_sequencer::gate_clocks() {
    if (table_.all_asleep()) source_.gate_until_timer(timers_);
}

void phase_sequencer::set_timer(process_state& p, std::uint64_t at) {
    if (parallel()) return region_.set_timer(p, at);
    timers_[p.domain].set(at, p);
}

/// @param ended  the process of a phase that is running now, or nullptr
/// @return whether there was another phase with an awake process
bool phase_sequencer::start_next_phase(const process_state* ended) {
    const std::vector<phase_visit>& order = *visits_;
    for (; position_ < order.size(); ++position_) {
        const phase_visit& v = order[position_];
        if (v.who->awake == 0) continue;
        visiting_ = v.who->place;
        visited_ = true;
        if (region_.may_run() && v.of->shared && !follows_blocks())
            if (const std::size_t visits = run_parallel_region(); visits != 0) {
                position_ += visits;
                return true;
            }
        if (ended != nullptr && (&ended->phase_entry == v.of->processes || v.of->starts_shared())) {
            resumes_ = true;  // a process cannot trigger itself
            step_event_.notify();
            return true;
        }
        ++activity_.deltas;
        activity_.activations[table_.number_of(*v.of)] += v.who->awake;
        if (follows_blocks()) mark_active(*v.of, *v.who);
        const std::size_t end = end_of_processes(position_);
        begin_ = &v;
        end_ = order.data() + end;
        own_actions_ =
            end_ - begin_ == 1 && v.of->processes == v.of && v.actions == v.of->actions.data();
        start_processes(v);
        position_ = end;
        return true;
    }
    return false;
}

/// @return the end of the consecutive visits that the same processes can run back to back, because
///         their modules access nothing but their own state in all of them
std::size_t phase_sequencer::end_of_processes(std::size_t first) const {
    const std::vector<phase_visit>& order = *visits_;
    std::size_t end = first + 1;
    const scheduled_phase* const processes = order[first].of->processes;
    if (!processes->shares_processes || follows_blocks()) return end;
    while (end < order.size() && order[end].of->processes == processes) ++end;
    return end;
}

/// Triggers the processes that are awake at this point; waking or sleeping in the meantime has no
/// effect on the set.
void phase_sequencer::start_processes(const phase_visit& v) {
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

void phase_sequencer::run(process_state& runner) {
    const process_state* p = &runner;
    if (runner.has_next) {
        runner.has_next = false;
        p = runner.next;
    }
    if ((started_[p->index / 64] >> p->bit & 1u) != 0) {
        running_process_ = p;
        running_visit_ = begin_;
        if (own_actions_)
            act(p->action);
        else
            run_phases_of(*p);
    }
    if (--running_ == 0) phase_ended(runner);
}

/// Runs the actions of a process in the consecutive visits begin_ .. end_ in which it is awake.
void phase_sequencer::run_phases_of(const process_state& p) {
    for (const phase_visit* v = begin_; v != end_; ++v) {
        if ((v->who->words[p.index / 64 * v->who->stride] >> p.bit & 1u) == 0) continue;
        running_visit_ = v;
        act(v->actions[p.index]);
        if (v == begin_) continue;  // already counted by start_next_phase()
        ++activity_.activations[table_.number_of(*v->of)];
        if (v->of->shared) region_.count_activations(1);
    }
}

/// Called when all processes of a phase have run. @param last  the one that ended last, still
/// running
void phase_sequencer::phase_ended(const process_state& last) {
    running_process_ = nullptr;
    // Other processes at this time observe each phase in a delta cycle of its own.
    if (sc_core::sc_pending_activity_at_current_time()) return resume_in_next_delta();
    run_phases(&last);
}

/// Runs the current phase and those that may be run with it in a parallel region, if that pays.
/// @return the number of visits that have been run
std::size_t phase_sequencer::run_parallel_region() {
    const std::size_t visits =
        region_.run(&(*visits_)[position_], visits_->data() + visits_->size());
    if (visits == 0) return 0;
    ++activity_.shared;
    for (scheduled_phase* s : region_.phase_entries()) {
        const parallel_region::counts n = region_.take_counts(*s);
        s->sub_phases[0].awake += static_cast<unsigned>(n.awoken);
        if (n.ran == 0) continue;
        ++activity_.deltas;
        activity_.activations[table_.number_of(*s)] += n.ran;
    }
    region_.apply_deferred_updates(
        [](process_state& p) { p.wake(); },
        [this](process_state& p, std::uint64_t at) { set_timer(p, at); });
    if (const std::exception_ptr failure = region_.take_failure()) fail(failure);
    return visits;
}

void phase_sequencer::stay_on_one_thread(phase_index p) {
    const unsigned kind = table_.phase_entries()[p].what.group_kind;
    for (scheduled_phase& s : table_.phase_entries())
        s.one_thread |= kind != 0 && s.what.group_kind == kind;
}

std::uint64_t phase_sequencer::order_of(const phase_visit& v, const process_state& p) const {
    constexpr unsigned max_members = 1u << 24;
    return static_cast<std::uint64_t>(&v - visits_->data()) * max_members + p.place;
}

void phase_sequencer::fail(std::exception_ptr why) {
    if (parallel()) return region_.fail(std::move(why));
    const std::uint64_t order =
        running_process_ != nullptr ? order_of(*running_visit_, *running_process_) : 0;
    failure_.report(std::move(why), activity_.steps, order);
}

void phase_sequencer::find_watched_blocks() {
    if (!follows_blocks()) return;
    table_.for_each_process([this](process_state& p) {
        if (p.block != nullptr) p.watched = activity_of_blocks_.found(p.block->name());
    });
}

unsigned phase_sequencer::domains_of(sc_core::sc_in<bool>& input) {
    unsigned found = 0;
    for (unsigned d = 0; d < domains_; ++d)
        found |= unsigned{clock[d].get_interface() == input.get_interface()} << d;
    return found;
}

/// Checks that blocks act only in phases of domains whose clocks they are bound to; members of a
/// group use the clocks of the group's module.
void phase_sequencer::check_clocks() {
    for (const scheduled_phase& s : table_.phase_entries()) {
        for (const process_state* p : s.members) {
            const sc_core::sc_object* o = p->owner;
            const clocked_module* block = nullptr;
            for (; o != nullptr && block == nullptr; o = o->get_parent_object())
                block = dynamic_cast<const clocked_module*>(o);
            if (block == nullptr || (block->clock_domains() >> s.what.domain & 1u) != 0) continue;
            const auto* clock_of_phase =
                dynamic_cast<const sc_core::sc_object*>(clock[s.what.domain].get_interface());
            const std::string why =
                std::string(block->name()) + " acts in phase " + s.what.name + ", on edges of " +
                (clock_of_phase != nullptr ? clock_of_phase->name() : "another clock") +
                ", to which none of its clock inputs is bound";
            SC_REPORT_ERROR("simtlm/clock", why.c_str());
        }
    }
}

void phase_sequencer::wake_all() {
    table_.for_each_process([](process_state& p) { p.wake(); });
}

/// Marks the blocks of the processes that are awake in a sub-phase.
void phase_sequencer::mark_active(const scheduled_phase& s, const sub_phase& t) {
    for_each_awake(t, s.members, [this](const process_state* p) {
        activity_of_blocks_.mark(p->watched, activity_.steps);
    });
}

void phase_sequencer::finish_step() {
    if (follows_blocks()) {
        for (const scheduled_phase& s : table_.phase_entries())
            for (const sub_phase& t : s.sub_phases)
                if (t.awake != 0) mark_active(s, t);
        for (const group_schedule* g : table_.groups())
            g->for_each_ready(
                [this](const scheduled_phase& s, const sub_phase& t) { mark_active(s, t); });
    }
    for (step_observer* o : observers_) o->step_ended(last_);
    activity_of_blocks_.clear();
}

/// Counts an edge of a domain in the step that begins, and expires its timers.
void phase_sequencer::count_edge(unsigned domain) {
    source_.count_edge(domain);
    timers_[domain].expire(source_.cycle(domain), [](process_state& p) { p.wake(); });
}

void phase_sequencer::synchronize() {
    if (!source_.decouples() || stepping_ || has_failed() || pending_ != 0) return;
    const std::uint64_t time = sc_core::sc_time_stamp().value();
    if (source_.has_edges_before(time)) source_.count_cycles();
    source_.defer_before(time, [this](unsigned domain) { count_edge(domain); });
    if (source_.deferred() != 0)
        for_each_awake(table_.deferred_phase()->sub_phases[0], table_.replay_actions(),
                       [this](const edge_action& replay) { act(replay); });
    source_.end_deferral();
}

/// @pre an edge is pending
/// @return whether there are edges for a step, i.e. not all have been deferred
bool phase_sequencer::begin_step() {
    if (last_ != 0 && !observers_.empty()) finish_step();
    source_.count_cycles();
    if (source_.decouples() && !source_.take(sc_core::sc_time_stamp().value(), pending_, defers(),
                                             [this](unsigned domain) { count_edge(domain); }))
        return false;
    current_ = std::exchange(pending_, 0u);
    if (!observers_.empty()) step_time_ = sc_core::sc_time_stamp();
    visits_ = &table_.visits(current_, source_.deferred() != 0);
    position_ = 0;
    visiting_ = 0;
    visited_ = false;
    ++activity_.steps;
    region_.begin_step((last_ & 1u) != 0, (current_ & 1u) != 0);
    for (unsigned d = 0; d < domains_; ++d)
        if ((current_ >> d & 1u) != 0) count_edge(d);
    return true;
}

void phase_sequencer::step() {
    if (!std::exchange(resumes_, false)) return;
    if (!stepping_) {
        stepping_ = begin_step();
        if (!stepping_) {
            if (source_.gates()) gate_clocks();
            return;
        }
    }
    run_phases(nullptr);
}

/// Continues with the next phase that has an awake process. @param ended  see start_next_phase()
void phase_sequencer::run_phases(const process_state* ended) {
    while (start_next_phase(ended)) {
        if (running_ != 0 || resumes_) return;
        // A parallel region has run it.
        if (sc_core::sc_pending_activity_at_current_time()) return resume_in_next_delta();
    }
    end_step();
}

void phase_sequencer::end_step() {
    stepping_ = false;
    source_.end_deferral();
    last_ = current_;
    source_.end_step(last_);
    for (step_observer* o : observers_) o->phases_ended(last_);
    if (pending_ != 0)
        resume_in_next_delta();
    else if (!visited_ && source_.gates() && observers_.empty())
        gate_clocks();
}

}  // namespace simtlm::simulation

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
      region_(opts.clocked_threads ? 1 : opts.host_threads, opts.groups_a_thread),
      runner_(*this, region_) {
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
    a.idle.assign(a.activations.size(), 0);
    table_.for_each_process(
        [&a](const process_state& p) { a.idle[p.phase] += p.idle_activations; });
    return a;
}

void phase_sequencer::on_edge() {
    if (has_failed() && !stepping_ && sc_core::sc_time_stamp() > resume_after_) {
        failure_.clear();
        resume_after_ = sc_core::sc_max_time();
        pending_ = 0;  // edges since the failure have not been counted
    }
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
    if (table_.all_asleep()) source_.gate_until_timer(timers_, next_observation_);
}

void phase_sequencer::set_timer(process_state& p, std::uint64_t at) {
    if (parallel()) return region_.set_timer(p, at);
    timers_[p.domain].set(at, p);
}

void phase_sequencer::run(process_state& runner) {
    if (runner_.run(runner)) phase_ended(runner);
}

/// Called when all processes of a phase have run. @param last  the one that ended last, still
/// running
void phase_sequencer::phase_ended(const process_state& last) {
    // Other processes at this time observe each phase in a delta cycle of its own.
    if (sc_core::sc_pending_activity_at_current_time()) return resume_in_next_delta();
    run_phases(&last);
}

void phase_sequencer::stay_on_one_thread(phase_index p) {
    const unsigned kind = table_.phase_entries()[p].what.group_kind;
    for (scheduled_phase& s : table_.phase_entries())
        s.one_thread |= kind != 0 && s.what.group_kind == kind;
}

void phase_sequencer::fail(std::exception_ptr why) {
    if (parallel()) return region_.fail(std::move(why), false);
    failure_.report(std::move(why), activity_.steps, runner_.order_of_running());
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

/// Calls the observers of the step that has ended.
void phase_sequencer::call_observers() {
    const std::vector<observation> all = std::exchange(observations_, {});
    next_observation_ = no_observation;
    for (const observation& a : all)
        if (a.edges <= source_.edges()[0])
            a.observer->step_ended(last_);
        else
            observe_at(a.observer, a.edges);
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
    if (last_ != 0 && observation_is_due()) call_observers();
    source_.count_cycles();
    if (source_.decouples() && !source_.take(sc_core::sc_time_stamp().value(), pending_, defers(),
                                             [this](unsigned domain) { count_edge(domain); }))
        return false;
    current_ = std::exchange(pending_, 0u);
    if (!observers_.empty()) step_time_ = sc_core::sc_time_stamp();
    runner_.begin(table_.visits(current_, source_.deferred() != 0));
    visiting_ = 0;
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

/// Continues with the next phase. @param ended  see step_runner::start_next_phase()
void phase_sequencer::run_phases(const process_state* ended) {
    using started = step_runner::started;
    for (;;) {
        switch (runner_.start_next_phase(ended)) {
            case started::nothing:
                return end_step();
            case started::processes:
                return;
            case started::postponed:
                resumes_ = true;
                return step_event_.notify();
            case started::region:
                if (sc_core::sc_pending_activity_at_current_time()) return resume_in_next_delta();
        }
    }
}

void phase_sequencer::end_step() {
    stepping_ = false;
    source_.end_deferral();
    last_ = current_;
    source_.end_step(last_);
    for (step_observer* o : observers_) o->phases_ended(last_);
    if (pending_ != 0)
        resume_in_next_delta();
    else if (!runner_.has_visited_any() && source_.gates() && observers_.empty() &&
             !observation_is_due())
        gate_clocks();
}

}  // namespace simtlm::simulation

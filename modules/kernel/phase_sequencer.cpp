// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/phase_sequencer.h"

#include "modules/kernel/clocked_process.h"
#include "modules/kernel/spawn.h"

#include <algorithm>
#include <random>
#include <utility>

namespace simtlm::kernel {

phase_sequencer::phase_sequencer(const sc_core::sc_module_name& name, unsigned domains,
                                 std::vector<phase> phases, const options& opts)
    : sc_module(name), clock("clock", domains), options_(opts), domains_(domains) {
    sc_assert(domains <= max_domains);
    slots_.reserve(phases.size());
    for (const phase& p : phases) {
        slot s;
        s.what = p;
        slots_.push_back(std::move(s));
    }
    for (auto& w : wheel_) w.resize(wheel_size);
    activity_.activations.assign(slots_.size(), 0);
    std::vector<trigger> edges;
    for (unsigned d = 0; d < domains; ++d) edges.emplace_back(clock[d].pos());
    spawn_method(
        "on_edge", [this] { on_edge(); }, edges);
    spawn_method("step", [this] { step(); }, {step_event_});
}

unsigned phase_sequencer::join(clocked_process& p, phase_index which, unsigned turns) {
    slot& s = slots_.at(which);
    s.members.push_back(&p);
    while (s.turns.size() < turns) s.turns.emplace_back();
    for (turn& t : s.turns) t.awake_bits.resize((s.members.size() + 63) / 64);
    return static_cast<unsigned>(s.members.size() - 1);
}

void phase_sequencer::end_of_elaboration() {
    if (options_.shuffle_seed != 0) shuffle_members();
    find_watched_blocks();
    unsigned place = 0;
    for (unsigned p = 0; p < slots_.size(); ++p)
        for (turn& t : slots_[p].turns) {
            t.place = ++place;
            for (unsigned set = 0; set < order_.size(); ++set)
                if ((set >> slots_[p].what.domain & 1u) != 0) order_[set].push_back({&t, p});
        }
}

void phase_sequencer::shuffle_members() {
    std::mt19937_64 random(options_.shuffle_seed);
    for (slot& s : slots_) {
        std::vector<clocked_process*> awake;
        for (clocked_process* p : s.members)
            if (p->awake()) awake.push_back(p);
        for (clocked_process* p : awake) p->clear_awake();
        std::shuffle(s.members.begin(), s.members.end(), random);
        for (unsigned i = 0; i < s.members.size(); ++i) s.members[i]->index_ = i;
        for (clocked_process* p : awake) p->wake();
    }
}

void phase_sequencer::on_edge() {
    for (unsigned d = 0; d < domains_; ++d)
        if (clock[d].posedge()) pending_ |= 1u << d;
    if (!stepping_ && !failure_) step_event_.notify();
}

void phase_sequencer::expire_timers(unsigned domain) {
    auto& bucket = wheel_[domain][cycle_[domain] % wheel_size];
    std::size_t kept = 0;
    for (const timer& t : bucket) {
        if (t.at <= cycle_[domain])
            t.who->wake();
        else
            bucket[kept++] = t;
    }
    bucket.resize(kept);
}

void phase_sequencer::set_timer(clocked_process& p, unsigned domain, std::uint64_t at) {
    wheel_[domain][at % wheel_size].push_back({at, &p});
}

bool phase_sequencer::start_next_phase() {
    const auto& order = order_[current_];
    for (; position_ < order.size(); ++position_) {
        const turn& t = *order[position_].who;
        if (t.awake == 0) continue;
        const unsigned p = order[position_].phase;
        visiting_ = t.place;
        ++activity_.deltas;
        activity_.activations[p] += t.awake;
        if (!active_in_.empty()) mark_active(slots_[p], t);
        const auto& members = slots_[p].members;
        for (std::size_t w = 0; w < t.awake_bits.size(); ++w)
            for (std::uint64_t bits = t.awake_bits[w]; bits != 0; bits &= bits - 1)
                members[w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))]->edge_.notify();
        ++position_;
        return true;
    }
    return false;
}

void phase_sequencer::fail(std::exception_ptr why) {
    if (failure_) return;
    failure_ = std::move(why);
    failed_.notify(sc_core::SC_ZERO_TIME);
}

unsigned phase_sequencer::watch(const std::string& block) {
    if (active_in_.empty()) active_in_.push_back(0);
    const auto [at, is_new] = watched_.try_emplace(block, active_in_.size());
    if (is_new) active_in_.push_back(no_processes);
    return at->second;
}

void phase_sequencer::find_watched_blocks() {
    if (watched_.empty()) return;
    for (slot& s : slots_)
        for (clocked_process* p : s.members) {
            const auto found = watched_.find(p->block_->name());
            if (found == watched_.end()) continue;
            p->watched_ = found->second;
            active_in_[found->second] = 0;
        }
}

/// The blocks of the processes that are awake in one turn of a phase.
void phase_sequencer::mark_active(const slot& s, const turn& t) {
    for (std::size_t w = 0; w < t.awake_bits.size(); ++w)
        for (std::uint64_t bits = t.awake_bits[w]; bits != 0; bits &= bits - 1) {
            const clocked_process& p =
                *s.members[w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))];
            if (p.watched_ != 0 &&
                std::exchange(active_in_[p.watched_], activity_.steps) != activity_.steps)
                active_blocks_.push_back(p.watched_);
        }
}

void phase_sequencer::finish_step() {
    if (!active_in_.empty())
        for (const slot& s : slots_)
            for (const turn& t : s.turns)
                if (t.awake != 0) mark_active(s, t);
    for (step_observer* o : observers_) o->step_ended(last_);
    active_blocks_.clear();
}

void phase_sequencer::step() {
    if (!stepping_) {
        if (last_ != 0) {
            if (!observers_.empty()) finish_step();
            for (unsigned d = 0; d < domains_; ++d) cycle_[d] += last_ >> d & 1u;
        }
        if (!observers_.empty()) step_time_ = sc_core::sc_time_stamp();
        current_ = pending_;
        pending_ = 0;
        position_ = 0;
        visiting_ = 0;
        stepping_ = true;
        ++activity_.steps;
        for (unsigned d = 0; d < domains_; ++d)
            if ((current_ >> d & 1u) != 0) {
                ++activity_.edges[d];
                expire_timers(d);
            }
    }
    if (start_next_phase()) {
        step_event_.notify(sc_core::SC_ZERO_TIME);
        return;
    }
    stepping_ = false;
    last_ = current_;
    if (pending_ != 0) step_event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace simtlm::kernel

// SPDX-License-Identifier: Apache-2.0
#include "modules/simulation/group_schedule.h"

#include "modules/simulation/process_state.h"

#include <algorithm>

namespace simtlm::simulation {

namespace {
/// Prefetches the cache lines of an array that is about to be traversed.
template <class T>
void prefetch(const std::vector<T>& all) {
    constexpr std::size_t line = 64;
    for (std::size_t i = 0; i < all.size(); i += line / sizeof(T)) __builtin_prefetch(&all[i], 1);
}
}  // namespace

group_schedule::group_schedule(const char* name, phase_sequencer& sequencer, unsigned kind,
                               unsigned sub_phases)
    : sequencer_(sequencer) {
    create(name, kind, sub_phases, nullptr);
}

group_schedule::group_schedule(const group_schedule& same_process, unsigned kind)
    : sequencer_(same_process.sequencer_) {
    create("", kind, 1, same_process.activity_.get());
}

void group_schedule::create(const char* name, unsigned kind, unsigned sub_phases,
                            process_state* run_by) {
    const auto& all = sequencer_.table().phase_entries();
    const auto within = [kind](const auto& s) { return s.what.group_kind == kind; };
    const auto begin = std::find_if(all.begin(), all.end(), within);
    if ((sequencer_.clocked_threads() && sub_phases == 1) || begin == all.end()) return;
    const auto end = std::find_if_not(begin, all.end(), within);
    sc_assert(std::none_of(end, all.end(), within));
    first_ = static_cast<unsigned>(begin - all.begin());
    domain_ = begin->what.domain;
    phase_entries_.reserve(static_cast<std::size_t>(end - begin));
    for (auto s = begin; s != end; ++s) {
        sc_assert(s->what.domain == domain_);
        phase_entries_.emplace_back(s->what);
    }
    activity_ = std::make_unique<process_state>(
        name, sequencer_, first_, on_edge<&group_schedule::run>(this), false, sub_phases, run_by);
    activity_->block = nullptr;  // its members' processes have blocks of their own
    sequencer_.table().add_group(*this);
    open();
}

group_schedule::~group_schedule() {
    close();
}

void group_schedule::open() {
    if (phase_entries_.empty()) return;  // every process is a SystemC thread
    sc_assert(sequencer_.table().group_of_new(first_) == nullptr);
    sequencer_.table().open_group(*this);
}

void group_schedule::close() {
    sequencer_.table().close_group(*this);
}

void group_schedule::select_sub_phase(unsigned k) {
    if (activity_ != nullptr) activity_->select_sub_phase(k);
}

unsigned group_schedule::add(process_state& p) {
    members_.push_back(&p);
    return static_cast<unsigned>(members_.size() - 1);
}

void group_schedule::complete(std::mt19937_64* random) {
    std::size_t many = 0;  // total words of sub-phases with more than one word
    for (unsigned p = 0; p < phase_entries_.size(); ++p) {
        scheduled_phase& s = phase_entries_[p];
        if (random != nullptr) s.shuffle(*random);
        s.complete(first_ + p);
        for (sub_phase& t : s.sub_phases) {
            t.number = static_cast<unsigned>(sub_phases_.size());
            t.phase = p;
            sub_phases_.push_back(&t);
            if (t.n_words > 1) many += t.n_words;
        }
        actions_.insert(actions_.end(), s.actions.begin(), s.actions.end());
    }
    sc_assert(sub_phases_.size() <= max_sub_phases);
    awake_.resize(many);
    rows_.resize(sub_phases_.size());
    std::uint64_t* next_many = awake_.data();
    const edge_action* actions = actions_.data();
    for (scheduled_phase& s : phase_entries_) {
        for (sub_phase& t : s.sub_phases) {
            row& r = rows_[t.number];
            r = {t.n_words == 1 ? t.words[0] : 0, nullptr, actions, 0};
            if (t.n_words > 1) {
                r.many = next_many;
                next_many = std::copy(t.words, t.words + t.n_words, next_many);
            }
            t.words = r.many != nullptr ? r.many : &r.word;
            t.memory = {};
        }
        actions += s.actions.size();
    }
    visiting_ = max_sub_phases;
    ready_ = {};
    for (unsigned k = 0; k < rows_.size(); ++k)
        if (!is_asleep(k)) sub_phase_awake(k);
    for (scheduled_phase& s : phase_entries_)
        for (process_state* p : s.members) p->join_sub_phase(p->selected);
    words_ = (members_.size() + 63) / 64;
    wheel_.resize(wheel_size * words_);
}

std::uint64_t group_schedule::activations(unsigned phase) const {
    if (!has(phase)) return 0;
    std::uint64_t sum = 0;
    for (unsigned k = 0; k < rows_.size(); ++k)
        if (sub_phases_[k]->phase == phase - first_) sum += rows_[k].activations;
    return sum - (phase == first_ ? visits_ : 0);
}

void group_schedule::set_timer(unsigned who, std::uint64_t at) {
    if (at - now() < wheel_size) {
        const std::uint64_t place = at % wheel_size;
        wheel_[place * words_ + who / 64] |= std::uint64_t{1} << (who % 64);
        pending_ |= std::uint64_t{1} << place;
    } else {
        later_.push_back({at, who});
        next_later_ = std::min(next_later_, at);
    }
    if (visiting_ == max_sub_phases)
        activity_->wake_at(at);  // otherwise sleeps_until() includes
                                 // it
}

void group_schedule::expire_timers(std::uint64_t now) {
    const std::uint64_t place = now % wheel_size;
    if ((pending_ >> place & 1u) != 0) {
        pending_ &= ~(std::uint64_t{1} << place);
        for (std::size_t w = 0; w < words_; ++w) {
            std::uint64_t due = wheel_[place * words_ + w];
            wheel_[place * words_ + w] = 0;
            for (; due != 0; due &= due - 1)
                members_[64 * w + static_cast<unsigned>(__builtin_ctzll(due))]->wake();
        }
    }
    if (now < next_later_) return;
    next_later_ = never;
    std::size_t kept = 0;
    for (const timer& t : later_) {
        if (t.at <= now) {
            members_[t.who]->wake();
        } else {
            next_later_ = std::min(next_later_, t.at);
            later_[kept++] = t;
        }
    }
    later_.resize(kept);
}

std::uint64_t group_schedule::next_timer(std::uint64_t now) const {
    if (pending_ == 0) return next_later_;
    const unsigned by = static_cast<unsigned>((now + 1) % wheel_size);
    const std::uint64_t turned = by == 0 ? pending_ : pending_ >> by | pending_ << (64 - by);
    return std::min(next_later_, now + 1 + static_cast<unsigned>(__builtin_ctzll(turned)));
}

void group_schedule::run() {
    // Other groups have run since the last visit, and together they exceed the host's caches.
    prefetch(rows_);
    prefetch(actions_);
    ++visits_;
    run_phases();
    sleep_until(sleeps_until());
}

void group_schedule::replay() {
    ++visits_;
    const std::uint64_t end = sequencer_.cycle(domain_);
    for (std::uint64_t edge = end - sequencer_.deferred_edges();; ++edge) {
        if (!has_ready()) edge = next_timer(edge - 1);
        if (edge >= end) {
            edges_deferred_ = 0;
            return sleep_until(edge);
        }
        edges_deferred_ = end - edge;
        run_phases();
    }
}

/// Puts the group's own process to sleep.
/// @param until  cycle at which a member next has something to do, or never
void group_schedule::sleep_until(std::uint64_t until) {
    if (until == never)
        activity_->sleep();
    else
        activity_->sleep_until(until);
}

/// Runs the members that are awake in a sub-phase at its start; members that wake or sleep
/// meanwhile do not change the set.
inline void group_schedule::run_members(unsigned sub_phase) {
    row& r = rows_[sub_phase];
    if (r.many != nullptr) return run_many_members(sub_phase);
    const edge_action* const actions = r.actions;
    std::uint64_t bits = r.word;
    r.activations += static_cast<unsigned>(__builtin_popcountll(bits));
    for (; bits != 0; bits &= bits - 1)
        sequencer_.act(actions[static_cast<unsigned>(__builtin_ctzll(bits))]);
}

void group_schedule::run_many_members(unsigned sub_phase) {
    row& r = rows_[sub_phase];
    snapshot_.assign(r.many, r.many + sub_phases_[sub_phase]->n_words);
    for (std::size_t w = 0; w < snapshot_.size(); ++w)
        r.activations += sequencer_.act(r.actions + 64 * w, snapshot_[w]);
}

void group_schedule::run_phases() {
    if (const std::uint64_t edge = now(); has_timers(edge)) {
        visiting_ = 0;
        expire_timers(edge);
    }
    if (sequencer_.follows_blocks())
        visit_sub_phases([this](unsigned k) {
            sequencer_.mark_active(phase_entries_[sub_phases_[k]->phase], *sub_phases_[k]);
            run_members(k);
        });
    else
        visit_sub_phases([this](unsigned k) { run_members(k); });
}

std::uint64_t group_schedule::sleeps_until() const {
    return has_ready() ? 0 : next_timer(now());
}

}  // namespace simtlm::simulation

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/phase_sequencer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace simtlm::simulation {

/// The schedule of a process_group's members: which of them are awake in each sub-phase of the
/// group's phases, and their timers. It visits the sub-phases of an edge in the same order as the
/// sequencer would. The public functions are for the sequencer and for the members.
class alignas(64) group_schedule {
public:
    static constexpr unsigned max_sub_phases = 128;

    /// See process_group.
    group_schedule(const char* name, phase_sequencer& sequencer, unsigned kind,
                   unsigned sub_phases);
    group_schedule(const group_schedule& same_process, unsigned kind);
    ~group_schedule();
    group_schedule(const group_schedule&) = delete;
    group_schedule& operator=(const group_schedule&) = delete;
    /// See process_group.
    void open();
    void close();
    void select_sub_phase(unsigned k);

    // ---- members ----

    bool has(unsigned phase) const { return phase - first_ < phase_entries_.size(); }
    scheduled_phase& entry_of(unsigned phase) { return phase_entries_[phase - first_]; }
    /// @return the member's number within the group
    unsigned add(process_state& p);
    /// Finishes construction after the last member has been added. @param random  if not nullptr,
    /// shuffles the members
    void complete(std::mt19937_64* random);
    bool is_complete() const { return !rows_.empty(); }
    const std::vector<scheduled_phase>& phase_entries() const { return phase_entries_; }
    std::vector<scheduled_phase>& phase_entries() { return phase_entries_; }
    unsigned domain() const { return domain_; }
    unsigned first_phase() const { return first_; }
    /// Calls visit with the phase and the sub-phase of every sub-phase in which a member is awake.
    template <class Visit>
    void for_each_ready(Visit visit) const {
        for (unsigned k = next_ready(0); k < max_sub_phases; k = next_ready(k + 1))
            visit(phase_entries_[sub_phases_[k]->phase], *sub_phases_[k]);
    }

    // ---- statistics ----

    /// Activations of the members in a phase, less those of the group's own process.
    std::uint64_t activations(unsigned phase) const;
    std::uint64_t visits() const { return visits_; }

    // ---- waking ----

    std::uint64_t* word_of(unsigned sub_phase, unsigned member) {
        row& r = rows_[sub_phase];
        return r.many == nullptr ? &r.word : &r.many[member / 64];
    }
    /// Whether no member is awake in a sub-phase.
    bool is_asleep(unsigned sub_phase) const {
        if (rows_.empty()) return true;
        const row& r = rows_[sub_phase];
        if (r.many == nullptr) return r.word == 0;
        return std::all_of(r.many, r.many + sub_phases_[sub_phase]->n_words,
                           [](std::uint64_t w) { return w == 0; });
    }
    /// Notes that a sub-phase now has an awake member.
    inline void sub_phase_awake(unsigned sub_phase);
    /// Notes that a sub-phase has no awake member.
    void sub_phase_asleep(unsigned sub_phase) {
        ready_[sub_phase / 64] &= ~(std::uint64_t{1} << (sub_phase % 64));
    }
    /// Whether the current visit has reached a sub-phase, or passed it.
    bool has_come_to(unsigned sub_phase) const {
        return visiting_ != max_sub_phases && visiting_ >= sub_phase;
    }
    /// Wakes a member at a future cycle. @param who  number of the member  @param at  cycle
    void set_timer(unsigned who, std::uint64_t at);

    // ---- time ----

    /// Number of edges that the group has deferred, see phase_sequencer::decouple().
    const std::uint64_t& edges_deferred() const { return edges_deferred_; }
    /// The current edge as seen by the members, in cycles.
    std::uint64_t now() const { return sequencer_.cycle(domain_) - edges_deferred_; }

    // ---- actions ----

    /// Runs all phases and sub-phases of an edge. The group's own process then sleeps until a
    /// member has something to do.
    void run();
    /// Replays the deferred edges, skipping those at which no member is awake.
    void replay();

private:
    static constexpr unsigned wheel_size = 64;  // cycles; later timers are kept in a list
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    struct timer {
        std::uint64_t at;
        unsigned who;
    };
    /// The data of a sub-phase that a visit needs; two fit in a cache line.
    struct alignas(32) row {
        std::uint64_t word;          // bits of the awake members
        std::uint64_t* many;         // the same, if there are more than 64 members
        const edge_action* actions;  // of the members of its phase
        std::uint64_t activations;
    };
    void create(const char* name, unsigned kind, unsigned sub_phases, process_state* run_by);
    void sleep_until(std::uint64_t until);
    void run_phases();
    /// @return the cycle at which a member next has something to do; 0: the next one
    std::uint64_t sleeps_until() const;
    /// Whether a timer is due at an edge.
    bool has_timers(std::uint64_t now) const {
        return (pending_ >> now % wheel_size & 1u) != 0 || now >= next_later_;
    }
    void expire_timers(std::uint64_t now);
    void run_members(unsigned sub_phase);
    void run_many_members(unsigned sub_phase);
    /// Calls run with the number of every sub-phase that has an awake member when it is reached.
    template <class Run>
    void visit_sub_phases(Run run) {
        for (unsigned w = 0; w < ready_.size(); ++w) {
            std::uint64_t to_come = ~std::uint64_t{0};
            while (const std::uint64_t ready = ready_[w] & to_come) {
                const auto bit = static_cast<unsigned>(__builtin_ctzll(ready));
                to_come = ~std::uint64_t{1} << bit;
                visiting_ = 64 * w + bit;
                run(visiting_);
            }
        }
        visiting_ = max_sub_phases;
    }
    std::uint64_t next_timer(std::uint64_t now) const;
    bool has_ready() const { return (ready_[0] | ready_[1]) != 0; }
    /// @return the first sub-phase from the given one on with an awake member, or max_sub_phases
    unsigned next_ready(unsigned sub_phase) const {
        std::size_t w = sub_phase / 64;
        if (w == ready_.size()) return max_sub_phases;
        std::uint64_t bits = ready_[w] >> (sub_phase % 64) << (sub_phase % 64);
        while (bits == 0) {
            if (++w == ready_.size()) return max_sub_phases;
            bits = ready_[w];
        }
        return static_cast<unsigned>(64 * w) + static_cast<unsigned>(__builtin_ctzll(bits));
    }

    // The fields that a visit needs come first, in two cache lines.
    phase_sequencer& sequencer_;
    std::uint64_t edges_deferred_ = 0;
    unsigned domain_ = 0;
    // Current sub-phase; max_sub_phases: no visit is in progress, and members may wake the group.
    unsigned visiting_ = 0;
    std::array<std::uint64_t, max_sub_phases / 64> ready_{};  // sub-phases with an awake member
    std::uint64_t pending_ = 0;                               // buckets with a timer, one bit each
    std::uint64_t next_later_ = never;  // cycle of the earliest timer in later_
    std::vector<row> rows_;             // by sub-phase
    std::uint64_t visits_ = 0;
    std::unique_ptr<process_state> activity_;  // of the group as a whole
    std::size_t words_ = 0;                    // words in a bit set of all members
    std::vector<std::uint64_t> wheel_;         // members to be woken, by cycle modulo wheel_size
    std::vector<process_state*> members_;

    std::vector<timer> later_;
    std::vector<edge_action> actions_;  // of the members, phase after phase
    std::vector<std::uint64_t> awake_;  // awake members, where a sub-phase has more than 64
    std::vector<std::uint64_t> snapshot_;
    unsigned first_ = 0;                          // first phase of the group
    std::vector<scheduled_phase> phase_entries_;  // by phase, from the first
    std::vector<sub_phase*> sub_phases_;          // in order
};

}  // namespace simtlm::simulation

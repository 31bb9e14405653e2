// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/phase_sequencer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace simtlm::kernel {

/// Blocks that, in the phases of one phase::group_kind, touch nothing but each other: an SM, a
/// memory partition. What two groups do in these phases can then be done in any order, so that one
/// process of SystemC, which belongs to the module under construction, runs all of them in one
/// activation, at the place of the first, instead of one process for each block: less switching,
/// and the state of a group stays in the processor's caches.
///
/// The processes that are made while the group is open, and whose phase is such a one, are its
/// members. They are clocked processes like all others and know nothing of it: they act in the
/// order of their phases and sub-phases, sleep, wake and set timers. Where every process is a
/// thread of SystemC (phase_sequencer::options::clocked_threads) there are no groups.
class alignas(64) process_group {
public:
    /// Opens it.
    /// @param name  of its process, within the module under construction
    /// @param kind  phase::group_kind of its phases
    /// @param sub_phases  in how many sub-phases of its first phase it may run: groups that act one
    ///                    after the other, see select_sub_phase(). Such groups are run by one host
    ///                    thread, and exist where every process is a thread of SystemC, too.
    process_group(const char* name, phase_sequencer& sequencer, unsigned kind,
                  unsigned sub_phases = 1);
    /// Opens one that is run by the process of another group of the same module, which is made for
    /// earlier or later phases. Where one module has such groups, every module that has one has
    /// all.
    process_group(const process_group& same_process, unsigned kind);
    ~process_group();
    process_group(const process_group&) = delete;
    process_group& operator=(const process_group&) = delete;

    /// Processes that are made now, and whose phase is one of its own, become members. Of groups of
    /// one kind, one at a time.
    void open();
    /// All members have been made, or some more will be when it is open again.
    void close();
    /// All its phases are run in the k-th sub-phase of the first of them, after those of the groups
    /// of earlier sub-phases. Called while no group runs. @param k  below the number of sub-phases
    void select_sub_phase(unsigned k);

private:
    friend class phase_sequencer;
    friend class clocked_process;
    static constexpr unsigned wheel_size = 64;  // cycles; later timers are kept in a list
    static constexpr unsigned max_sub_phases = 128;
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    struct timer {
        std::uint64_t at;
        unsigned who;
    };
    bool has(unsigned phase) const { return phase - first_ < slots_.size(); }
    phase_sequencer::slot& slot_of(unsigned phase) { return slots_[phase - first_]; }
    phase_sequencer::slot& slot_in(const phase_sequencer::sub_phase& t) { return slots_[t.phase]; }
    /// What a visit needs of a sub-phase: two in a cache line.
    struct alignas(32) row {
        std::uint64_t word;          // who is awake
        std::uint64_t* many;         // the same, where there are more than 64 members
        const edge_action* actions;  // of the members of its phase
        std::uint64_t activations;
    };
    bool is_complete() const { return !rows_.empty(); }
    std::uint64_t* word_of(unsigned sub_phase, unsigned member) {
        row& r = rows_[sub_phase];
        return r.many == nullptr ? &r.word : &r.many[member / 64];
    }
    bool nobody_in(unsigned sub_phase) const {
        if (rows_.empty()) return true;
        const row& r = rows_[sub_phase];
        if (r.many == nullptr) return r.word == 0;
        return std::all_of(r.many, r.many + sub_phases_[sub_phase]->n_words,
                           [](std::uint64_t w) { return w == 0; });
    }
    void create(const char* name, unsigned kind, unsigned sub_phases, clocked_process* run_by);
    unsigned add(clocked_process& p);
    void complete(std::mt19937_64* random);
    /// Of its members in a phase, less those of the group as a whole.
    std::uint64_t activations(unsigned phase) const;
    /// Someone is awake in a sub-phase now.
    inline void sub_phase_awake(unsigned sub_phase);
    /// Whether the visit under way has come to a sub-phase, or beyond.
    bool has_come_to(unsigned sub_phase) const {
        return visiting_ != max_sub_phases && visiting_ >= sub_phase;
    }
    void sub_phase_asleep(unsigned sub_phase) {
        ready_[sub_phase / 64] &= ~(std::uint64_t{1} << (sub_phase % 64));
    }
    void set_timer(unsigned who, std::uint64_t at);
    /// The edge that its members see.
    std::uint64_t now() const { return sequencer_.cycle(domain_) - behind_; }
    void run();
    void replay();
    void rest(std::uint64_t until);
    void run_phases();
    /// Until when nobody in it has anything to do; 0: somebody has.
    std::uint64_t sleeps_until() const;
    /// Whether timers are due at an edge.
    bool has_timers(std::uint64_t now) const {
        return (pending_ >> now % wheel_size & 1u) != 0 || now >= next_later_;
    }
    void expire_timers(std::uint64_t now);
    void run_members(unsigned sub_phase);
    void run_many_members(unsigned sub_phase);
    /// Calls run with the number of every sub-phase in which someone is awake when it comes to it.
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
    /// Whether someone is awake in a sub-phase.
    bool has_ready() const { return (ready_[0] | ready_[1]) != 0; }
    /// The first sub-phase from one on in which someone is awake; max_sub_phases when there is
    /// none.
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

    // What a visit needs comes first, in two cache lines.
    phase_sequencer& sequencer_;
    std::uint64_t behind_ = 0;  // edges by which it lags, see phase_sequencer::decouple()
    unsigned domain_ = 0;
    unsigned visiting_ =
        0;  // the sub-phase under way; max_sub_phases: none is, and members may wake it
    std::array<std::uint64_t, max_sub_phases / 64> ready_{};  // sub-phases with someone awake
    std::uint64_t pending_ = 0;                               // cycles of the wheel with someone
    std::uint64_t next_later_ = never;                        // the earliest of the later timers
    std::vector<row> rows_;                                   // by sub-phase
    std::uint64_t visits_ = 0;
    std::unique_ptr<clocked_process> activity_;  // of the group as a whole
    std::size_t words_ = 0;                      // for a bit of each member
    std::vector<std::uint64_t> wheel_;           // members to be woken, by cycle modulo wheel_size
    std::vector<clocked_process*> members_;

    std::vector<timer> later_;
    std::vector<edge_action> actions_;  // of the members, phase after phase
    std::vector<std::uint64_t> awake_;  // who is, where a sub-phase has more than 64 members
    std::vector<std::uint64_t> snapshot_;
    unsigned first_ = 0;                                   // phase
    std::vector<phase_sequencer::slot> slots_;             // by phase, from the first
    std::vector<phase_sequencer::sub_phase*> sub_phases_;  // in order
};

}  // namespace simtlm::kernel

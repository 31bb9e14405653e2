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
class process_group {
public:
    /// Opens it.
    /// @param name  of its process, within the module under construction
    /// @param kind  phase::group_kind of its phases
    process_group(const char* name, phase_sequencer& sequencer, unsigned kind);
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
    /// Of a sub-phase, once elaboration has ended.
    const std::uint64_t* words_of(unsigned sub_phase) const {
        return &awake_[first_word_[sub_phase]];
    }
    unsigned count_words(unsigned sub_phase) const {
        return first_word_[sub_phase + 1] - first_word_[sub_phase];
    }
    bool nobody_in(unsigned sub_phase) const {
        return first_word_.empty() ||
               std::all_of(words_of(sub_phase), words_of(sub_phase) + count_words(sub_phase),
                           [](std::uint64_t w) { return w == 0; });
    }
    void create(const char* name, unsigned kind, clocked_process* run_by);
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
    void expire_timers(std::uint64_t now);
    std::uint64_t next_timer(std::uint64_t now) const;
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

    phase_sequencer& sequencer_;
    std::unique_ptr<clocked_process> activity_;  // of the group as a whole
    unsigned first_ = 0;                         // phase
    unsigned domain_ = 0;
    std::uint64_t behind_ =
        0;  // edges that are yet to be made up for: see phase_sequencer::defer()
    std::vector<phase_sequencer::slot> slots_;                // by phase, from the first
    std::vector<phase_sequencer::sub_phase*> sub_phases_;     // in order
    std::array<std::uint64_t, max_sub_phases / 64> ready_{};  // sub-phases with someone awake
    unsigned visiting_ =
        0;  // the sub-phase under way; max_sub_phases: none is, and members may wake it
    // What a visit goes through, side by side in memory.
    std::vector<std::uint64_t> awake_;         // who is, sub-phase after sub-phase
    std::vector<std::uint16_t> first_word_;    // by sub-phase: among those
    std::vector<std::uint16_t> first_action_;  // by sub-phase: of its phase
    std::vector<edge_action> actions_;         // of the members, phase after phase
    std::vector<std::uint64_t> activations_;   // by sub-phase
    std::vector<clocked_process*> members_;
    std::size_t words_ = 0;  // for a bit of each

    std::vector<std::uint64_t> wheel_;  // members to be woken, by cycle modulo wheel_size
    std::uint64_t pending_ = 0;         // cycles of the wheel with someone
    std::vector<timer> later_;
    std::uint64_t next_later_ = never;  // the earliest of these
    std::uint64_t visits_ = 0;
    std::vector<std::uint64_t> snapshot_;
};

}  // namespace simtlm::kernel

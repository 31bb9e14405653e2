// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/process_group.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <systemc>

namespace simtlm::kernel {

/// The clocked behaviour of a block: runs the block's action once per edge of its clock domain, in
/// its phase, while it is awake. The action is run by a process of SystemC, which belongs to the
/// module under construction and has the given name: a method, or a clocked thread with
/// phase_sequencer::options::clocked_threads. The members of a process_group are run by the process
/// of their group instead. No block can tell, and no result depends on it; the action must not
/// wait.
///
/// A block with nothing to do calls sleep(); whoever gives it work calls wake(). A block that knows
/// when it will have work calls wake_at(). A process may wake those of other phases; between two of
/// the same phase nothing may pass, or their order would matter. An action that runs without need
/// must change nothing: with sleeping switched off every action runs on every edge and the results
/// are the same.
class alignas(64) clocked_process {
public:
    /// @param name       of the process, within the module
    /// @param sequencer  of the clock domains
    /// @param phase      the phase in which the action runs
    /// @param action     what happens on an edge
    /// @param awake      whether it runs from the first edge
    /// @param sub_phases      in how many sub-phases of the phase it may run, see
    /// select_sub_phase()
    clocked_process(const char* name, phase_sequencer& sequencer, phase_index phase,
                    edge_action action, bool awake = false, unsigned sub_phases = 1);

    /// Runs on the coming edges: on this one if its phase is yet to come, else from the next.
    void wake() {
        if (group_ == nullptr) return wake_outside_groups();
        if (awake()) return;
        *word_ |= mask();
        group_->sub_phase_awake(sub_phase_number_);
    }

    /// No longer runs until woken. No effect when sleeping is switched off.
    void sleep() {
        if (sequencer_.options_.sleeping) clear_awake();
    }

    /// Acts in the k-th sub-phase of its phase from now on: the order of blocks that act one after
    /// the other. When that sub-phase of the current edge is yet to come it runs (again) on this
    /// edge.
    void select_sub_phase(unsigned k) {
        if (k == selected_sub_phase()) return;
        const bool was_awake = awake();
        clear_awake();
        if (group_ != nullptr && group_->is_complete())
            move_to_row(k);
        else
            join_sub_phase(k);
        if (was_awake) wake();
    }
    unsigned selected_sub_phase() const {
        return group_ != nullptr ? sub_phase_number_ - first_number_ : selected_;
    }
    /// Whether the current edge has come to the k-th sub-phase of the phase, or beyond.
    bool sub_phase_has_passed(unsigned k) const {
        if (!sequencer_.stepping_) return true;
        return sequencer_.visiting_ >= first_place_ + k ||
               (group_ != nullptr && group_->has_come_to(first_number_ + k));
    }

    /// Wakes at an edge to come of the process's own domain. @param at  cycle of that domain
    void wake_at(std::uint64_t at) {
        if (at <= now())
            wake();
        else
            sequencer_.set_timer(*this, domain_, at);
    }

    /// sleep() until a cycle of the own domain (or until woken).
    void sleep_until(std::uint64_t at) {
        if (at <= now() + 1) return;
        sleep();
        wake_at(at);
    }

    bool awake() const { return (__atomic_load_n(word_, __ATOMIC_RELAXED) >> bit_ & 1u) != 0; }

    /// The current edge of the process's own domain, cycles.
    std::uint64_t now() const { return sequencer_.cycle(domain_) - *behind_; }

    /// Local time: that of the edge now(). Before sc_time_stamp() while edges of a decoupled domain
    /// are replayed, else the same.
    sc_core::sc_time local_time() const {
        return *behind_ == 0 ? sc_core::sc_time_stamp()
                             : sequencer_.source_.deferred_time(*behind_);
    }

private:
    friend class phase_sequencer;
    friend class process_group;

    /// @param run_by  whose process runs this one's action, too
    clocked_process(const char* name, phase_sequencer& sequencer, phase_index phase,
                    edge_action action, bool awake, unsigned sub_phases, clocked_process* run_by);
    void spawn(const char* name);
    /// The process that runs it is to run this action, when it is triggered the next time.
    void have_run() {
        clocked_process& runner = run_by_ != nullptr ? *run_by_ : *this;
        runner.guest_ = this;
        runner.has_guest_ = true;
    }
    /// Triggers the process that runs it.
    sc_core::sc_event* start_event() const {
        return (run_by_ != nullptr ? *run_by_ : *this).start_.get();
    }
    void wake_outside_groups() {
        if (awake()) return;
        if (sequencer_.parallel_) return sequencer_.wake_in_parallel(*this);
        *word_ |= mask();
        ++sub_phase_->awake;
    }
    void clear_awake() {
        if (!awake()) return;
        if (group_ == nullptr) {
            if (sequencer_.parallel_) return sequencer_.sleep_in_parallel(*this);
            *word_ &= ~mask();
            --sub_phase_->awake;
            return;
        }
        *word_ &= ~mask();
        if (*word_ == 0 && (only_word_ || group_->nobody_in(sub_phase_number_)))
            group_->sub_phase_asleep(sub_phase_number_);
    }
    std::uint64_t mask() const { return std::uint64_t{1} << bit_; }
    /// @pre asleep, or in the same sub-phase, whose words have moved
    void join_sub_phase(unsigned k) {
        selected_ = k;
        sub_phase_ = &slot_.sub_phases[k];
        first_place_ = slot_.sub_phases[0].place;
        first_number_ = static_cast<std::uint8_t>(slot_.sub_phases[0].number);
        sub_phase_number_ = static_cast<std::uint8_t>(first_number_ + k);
        only_word_ = sub_phase_->n_words == 1;
        word_ = sub_phase_->word(index_);
        bit_ = static_cast<std::uint8_t>(index_ % 64);
    }
    /// The same, shorter, in a group that is complete. @pre asleep
    void move_to_row(unsigned k) {
        sub_phase_number_ = static_cast<std::uint8_t>(first_number_ + k);
        word_ = group_->word_of(sub_phase_number_, index_);
    }

    // What running, sleeping, waking and timers need is in one cache line.
    phase_sequencer& sequencer_;
    process_group* const group_;         // nullptr: none
    std::uint64_t* word_ = nullptr;      // of its sub-phase, with a bit of its own
    const std::uint64_t* const behind_;  // edges by which its group lags
    const edge_action action_;
    unsigned index_ = 0;                 // among the members of the phase
    unsigned first_place_ = 0;           // of the first sub-phase of the phase
    std::uint16_t number_ = 0;           // among the members of the group
    std::uint8_t first_number_ = 0;      // of the first sub-phase, in a group
    std::uint8_t sub_phase_number_ = 0;  // of its own
    std::uint8_t bit_ = 0;               // in the word
    std::uint8_t domain_;
    bool only_word_ = false;  // of the sub-phase
    bool has_guest_ = false;

    // For construction, and for processes outside groups.
    phase_sequencer::slot& slot_;                      // its phase
    phase_sequencer::sub_phase* sub_phase_ = nullptr;  // the sub-phase it acts in
    const clocked_process* guest_ = nullptr;  // that its process is to run now, if it has one
    unsigned selected_ = 0;                   // which sub-phase it acts in, outside groups
    unsigned place_ = 0;    // among those of its phase, in the order in which they were made
    unsigned chunk_;        // of the design
    unsigned watched_ = 0;  // number of its block, see phase_sequencer::watch()
    std::unique_ptr<sc_core::sc_event> start_;  // triggers its process, which a member lacks
    clocked_process* const run_by_;             // nullptr: by a process of its own, or a group
    const sc_core::sc_object* const owner_;     // the module under construction when it was made
    const sc_core::sc_object* block_;           // the same, unless the process is that of a group
};

inline void process_group::sub_phase_awake(unsigned sub_phase) {
    ready_[sub_phase / 64] |= std::uint64_t{1} << (sub_phase % 64);
    if (visiting_ == max_sub_phases) activity_->wake();  // else it is awake
}

}  // namespace simtlm::kernel

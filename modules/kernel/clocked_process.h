// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/process_group.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <systemc>

namespace simtlm::kernel {

/// The clocked thread of a block: a process of the module that is under construction, which runs
/// the block's action once per edge of its clock domain, in its phase, while it is awake. No module
/// of its own: a large GPU has thousands. Whether it is a thread process of SystemC or called by
/// the sequencer is decided here (phase_sequencer::options::clocked_threads) and changes no result;
/// the action must not wait.
///
/// A block with nothing to do calls sleep(); whoever gives it work calls wake(). A block that knows
/// when it will have work calls wake_at(). A process may wake those of other phases; between two of
/// the same phase nothing may pass, or their order would matter. An action that runs without need
/// must change nothing: with sleeping switched off every action runs on every edge and the results
/// are the same.
class clocked_process {
public:
    /// @param name       of the process, within the module
    /// @param sequencer  of the clock domains
    /// @param phase      the phase in which the action runs
    /// @param action     what happens on an edge
    /// @param awake      whether it runs from the first edge
    /// @param turns      in how many turns of the phase it may run, see select_turn()
    clocked_process(const char* name, phase_sequencer& sequencer, phase_index phase,
                    edge_action action, bool awake = false, unsigned turns = 1);

    /// Runs on the coming edges: on this one if its phase is yet to come, else from the next.
    void wake() {
        if (group_ == nullptr) return wake_outside_groups();
        if (awake()) return;
        *word_ |= bit_;
        group_->turn_awake(turn_number_);
    }

    /// No longer runs until woken. No effect when sleeping is switched off.
    void sleep() {
        if (sequencer_.options_.sleeping) clear_awake();
    }

    /// Acts in the k-th turn of its phase from now on: the order of blocks that act one after the
    /// other. When that turn of the current edge is yet to come it runs (again) on this edge.
    void select_turn(unsigned k) {
        if (&slot_.turns[k] == turn_) return;
        const bool was_awake = awake();
        clear_awake();
        join_turn(k);
        if (was_awake) wake();
    }
    unsigned selected_turn() const { return selected_; }
    /// Whether the current edge has come to the k-th turn of the phase, or beyond.
    bool turn_has_passed(unsigned k) const {
        const phase_sequencer::turn& t = slot_.turns[k];
        if (!sequencer_.stepping_) return true;
        return sequencer_.visiting_ >= t.place ||
               (group_ != nullptr && group_->has_come_to(t.number));
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

    bool awake() const { return (__atomic_load_n(word_, __ATOMIC_RELAXED) & bit_) != 0; }

    /// The current edge of the process's own domain, cycles.
    std::uint64_t now() const { return sequencer_.cycle(domain_) - *behind_; }

private:
    friend class phase_sequencer;
    friend class process_group;

    void make_thread(const char* name);
    void wake_outside_groups() {
        if (awake()) return;
        if (sequencer_.parallel_) return sequencer_.wake_in_parallel(*this);
        *word_ |= bit_;
        ++turn_->awake;
    }
    void clear_awake() {
        if (!awake()) return;
        if (group_ == nullptr) {
            if (sequencer_.parallel_) return sequencer_.sleep_in_parallel(*this);
            *word_ &= ~bit_;
            --turn_->awake;
            return;
        }
        *word_ &= ~bit_;
        if (*word_ == 0 && (only_word_ || group_->nobody_in(turn_number_)))
            group_->turn_asleep(turn_number_);
    }
    /// @pre asleep, or in the same turn, whose words have moved
    void join_turn(unsigned k) {
        selected_ = k;
        turn_ = &slot_.turns[k];
        turn_number_ = turn_->number;
        only_word_ = turn_->n_words == 1;
        word_ = turn_->word(index_);
        bit_ = std::uint64_t{1} << (index_ % 64);
    }

    // What sleeping and waking need comes first.
    phase_sequencer& sequencer_;
    process_group* const group_;     // nullptr: none
    std::uint64_t* word_ = nullptr;  // of its turn, with a bit of its own
    std::uint64_t bit_ = 0;
    unsigned turn_number_ = 0;               // in a group
    bool only_word_ = false;                 // of the turn
    phase_sequencer::slot& slot_;            // its phase
    phase_sequencer::turn* turn_ = nullptr;  // the turn it acts in
    unsigned selected_ = 0;                  // which one that is
    const std::uint64_t* const behind_;      // edges that its group is
    unsigned domain_;
    unsigned index_;        // among the members of the phase
    unsigned number_ = 0;   // among the members of the group
    unsigned chunk_;        // of the design
    unsigned watched_ = 0;  // number of its block, see phase_sequencer::watch()
    const edge_action action_;
    std::unique_ptr<sc_core::sc_event> edge_;  // of a thread process
    const sc_core::sc_object* block_;
};

inline void process_group::turn_awake(unsigned turn) {
    ready_[turn / 64] |= std::uint64_t{1} << (turn % 64);
    if (visiting_ == max_turns) activity_->wake();  // else it is awake
}

}  // namespace simtlm::kernel

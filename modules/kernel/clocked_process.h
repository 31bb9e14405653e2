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
        if (group_ == nullptr && sequencer_.side_by_side_) {
            if (!awake()) sequencer_.wake_later(*this);
            return;
        }
        std::uint64_t& word = turn_->word(index_);
        const std::uint64_t bit = std::uint64_t{1} << (index_ % 64);
        if ((word & bit) != 0) return;
        word |= bit;
        if (turn_->awake++ == 0 && turn_->group != nullptr) turn_->group->turn_awake(turn_->number);
    }

    /// No longer runs until woken. No effect when sleeping is switched off.
    void sleep() {
        if (sequencer_.options_.sleeping) clear_awake();
    }

    /// Acts in the k-th turn of its phase from now on: the order of blocks that act one after the
    /// other. When that turn of the current edge is yet to come it runs (again) on this edge.
    void select_turn(unsigned k) {
        phase_sequencer::turn& chosen = slot_.turns[k];
        if (&chosen == turn_) return;
        const bool was_awake = awake();
        clear_awake();
        turn_ = &chosen;
        selected_ = k;
        if (was_awake) wake();
    }
    unsigned selected_turn() const { return selected_; }
    /// Whether the current edge has come to the k-th turn of the phase, or beyond.
    bool turn_has_passed(unsigned k) const {
        const unsigned here = group_ == nullptr ? sequencer_.visiting_
                                                : std::max(sequencer_.visiting_, group_->visiting_);
        return !sequencer_.stepping_ || here >= slot_.turns[k].place;
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

    bool awake() const { return (turn_->word(index_) >> (index_ % 64) & 1u) != 0; }

    /// The current edge of the process's own domain, cycles.
    std::uint64_t now() const { return sequencer_.cycle(domain_); }

private:
    friend class phase_sequencer;
    friend class process_group;

    void make_thread(const char* name);
    void clear_awake() {
        std::uint64_t& word = turn_->word(index_);
        const std::uint64_t bit = std::uint64_t{1} << (index_ % 64);
        if ((word & bit) == 0) return;
        word &= ~bit;
        if (--turn_->awake == 0 && turn_->group != nullptr)
            turn_->group->turn_asleep(turn_->number);
    }

    phase_sequencer& sequencer_;
    const edge_action action_;
    process_group* const group_;               // nullptr: none
    std::unique_ptr<sc_core::sc_event> edge_;  // of a thread process
    phase_sequencer::slot& slot_;              // its phase
    phase_sequencer::turn* turn_ = nullptr;    // the turn it acts in
    unsigned selected_ = 0;                    // which one that is
    unsigned domain_;
    unsigned index_;        // among the members of the phase
    unsigned number_ = 0;   // among the members of the group
    unsigned watched_ = 0;  // number of its block, see phase_sequencer::watch()
    const sc_core::sc_object* block_;
};

inline void process_group::turn_awake(unsigned turn) {
    ready_[turn / 64] |= std::uint64_t{1} << (turn % 64);
    if (visiting_ == 0) activity_->wake();  // else it is awake
}

}  // namespace simtlm::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/phase_sequencer.h"

#include <cstdint>
#include <systemc>

namespace simtlm::kernel {

/// A member function of a block, to be called on a clock edge.
struct edge_action {
    void* self;
    void (*call)(void*);
};

/// edge_action of a member function: `on_edge<&warp_scheduler::cycle>(this)`.
template <auto Member, class Block>
edge_action on_edge(Block* self) {
    return {self, [](void* p) { (static_cast<Block*>(p)->*Member)(); }};
}

/// How a process is made: a thread has a stack of its own, a method runs on the kernel's. Blocks
/// that come by the thousand and do little are `light`: methods, for the time and memory of their
/// stacks, unless the sequencer is told to have threads only. Nothing else depends on it.
enum class process_kind : std::uint8_t { thread, light };

/// The clocked thread of a block: a thread (or light) process of the module that is under
/// construction, which runs the block's action once per edge of its clock domain, in its phase,
/// while it is awake. No module of its own: a large GPU has thousands.
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
                    edge_action action, bool awake = false, unsigned turns = 1,
                    process_kind kind = process_kind::thread);

    /// Runs on the coming edges: on this one if its phase is yet to come, else from the next.
    void wake() {
        std::uint64_t& word = turn_->awake_bits[index_ / 64];
        const std::uint64_t bit = std::uint64_t{1} << (index_ % 64);
        turn_->awake += (word & bit) == 0 ? 1u : 0u;
        word |= bit;
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
        return !sequencer_.stepping_ || sequencer_.visiting_ >= slot_.turns[k].place;
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

    bool awake() const { return (turn_->awake_bits[index_ / 64] >> (index_ % 64) & 1u) != 0; }

    /// The current edge of the process's own domain, cycles.
    std::uint64_t now() const { return sequencer_.cycle(domain_); }

private:
    friend class phase_sequencer;

    void clear_awake() {
        std::uint64_t& word = turn_->awake_bits[index_ / 64];
        const std::uint64_t bit = std::uint64_t{1} << (index_ % 64);
        turn_->awake -= (word & bit) != 0 ? 1u : 0u;
        word &= ~bit;
    }

    phase_sequencer& sequencer_;
    sc_core::sc_event edge_;
    phase_sequencer::slot& slot_;  // its phase
    phase_sequencer::turn* turn_;  // the turn it acts in
    unsigned selected_ = 0;        // which one that is
    unsigned domain_;
    unsigned index_;        // among the members of the phase
    unsigned watched_ = 0;  // number of its block, see phase_sequencer::watch()
    const sc_core::sc_object* block_;
};

}  // namespace simtlm::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/process_group.h"
#include "modules/simulation/process_state.h"

#include <cstdint>
#include <systemc>

namespace simtlm::simulation {

/// The clocked behaviour of a block: while awake, runs the block's action once per edge of its
/// clock domain, in its phase. The action is run by a SystemC process with the given name that
/// belongs to the module under construction: a method process, or a clocked thread with
/// phase_sequencer::options::clocked_threads. Members of a process_group are run by the process of
/// their group instead. Results do not depend on this choice. The action must not call wait().
///
/// An idle block calls sleep(); a block that gives it work calls wake(). A block that knows when it
/// will have work calls wake_at(). A process may wake processes of other phases; processes of the
/// same phase must not interact, because their order is unspecified. A redundant activation must
/// not change any state: with sleeping disabled, every action runs on every edge, and the results
/// are the same.
class clocked_process {
public:
    /// @param name        of the process, within the module
    /// @param sequencer   of the clock domains
    /// @param phase       the phase in which the action runs
    /// @param action      called on each edge
    /// @param awake       whether the process is awake at the first edge
    /// @param sub_phases  number of sub-phases of the phase in which it may run, see
    ///                    select_sub_phase()
    clocked_process(const char* name, phase_sequencer& sequencer, phase_index phase,
                    edge_action action, bool awake = false, unsigned sub_phases = 1)
        : state_(name, sequencer, phase, action, awake, sub_phases, nullptr) {}

    /// Wakes the process: it runs on the current edge if its phase has not been visited yet,
    /// otherwise from the next edge.
    void wake() { state_.wake(); }

    /// Puts the process to sleep until it is woken. No effect if sleeping is disabled.
    void sleep() { state_.sleep(); }

    /// Selects the k-th sub-phase of the phase for this and later edges, which orders blocks that
    /// act one after the other. If that sub-phase of the current edge has not been visited yet, the
    /// process runs on this edge, even if it has run before.
    void select_sub_phase(unsigned k) { state_.select_sub_phase(k); }
    unsigned selected_sub_phase() const { return state_.selected_sub_phase(); }
    /// Whether the current edge has reached the k-th sub-phase of the phase, or passed it.
    bool sub_phase_has_passed(unsigned k) const { return state_.sub_phase_has_passed(k); }

    /// Wakes the process at a future edge of its own clock domain. @param at  cycle of that domain
    void wake_at(std::uint64_t at) { state_.wake_at(at); }

    /// Sleeps until a cycle of the own domain, or until woken. @param at  cycle of that domain
    void sleep_until(std::uint64_t at) { state_.sleep_until(at); }

    bool awake() const { return state_.is_awake(); }

    /// Notes that the current activation has changed nothing but counters of waiting, for
    /// --profile-kernel.
    void note_idle() { ++state_.idle_activations; }

    /// The current edge of the process's own domain, in cycles.
    std::uint64_t now() const { return state_.now(); }

    /// Local time of the edge now(). Earlier than sc_time_stamp() while edges of a decoupled domain
    /// are replayed, otherwise equal to it.
    sc_core::sc_time local_time() const {
        return *state_.edges_deferred == 0 ? sc_core::sc_time_stamp()
                                           : state_.sequencer.deferred_time(*state_.edges_deferred);
    }

private:
    process_state state_;
};

}  // namespace simtlm::simulation

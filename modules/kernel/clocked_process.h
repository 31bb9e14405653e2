// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/process_group.h"
#include "modules/kernel/process_state.h"

#include <cstdint>
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
class clocked_process {
public:
    /// @param name        of the process, within the module
    /// @param sequencer   of the clock domains
    /// @param phase       the phase in which the action runs
    /// @param action      what happens on an edge
    /// @param awake       whether it runs from the first edge
    /// @param sub_phases  number of sub-phases of the phase in which it may run, see
    ///                    select_sub_phase()
    clocked_process(const char* name, phase_sequencer& sequencer, phase_index phase,
                    edge_action action, bool awake = false, unsigned sub_phases = 1)
        : state_(name, sequencer, phase, action, awake, sub_phases, nullptr) {}

    /// Runs on the coming edges: on this one if its phase is yet to come, else from the next.
    void wake() { state_.wake(); }

    /// No longer runs until woken. No effect when sleeping is switched off.
    void sleep() { state_.sleep(); }

    /// Acts in the k-th sub-phase of its phase from now on: the order of blocks that act one after
    /// the other. When that sub-phase of the current edge is yet to come it runs (again) on this
    /// edge.
    void select_sub_phase(unsigned k) { state_.select_sub_phase(k); }
    unsigned selected_sub_phase() const { return state_.selected_sub_phase(); }
    /// Whether the current edge has come to the k-th sub-phase of the phase, or beyond.
    bool sub_phase_has_passed(unsigned k) const { return state_.sub_phase_has_passed(k); }

    /// Wakes at an edge to come of the process's own domain. @param at  cycle of that domain
    void wake_at(std::uint64_t at) { state_.wake_at(at); }

    /// sleep() until a cycle of the own domain (or until woken).
    void sleep_until(std::uint64_t at) { state_.sleep_until(at); }

    bool awake() const { return state_.is_awake(); }

    /// The current edge of the process's own domain, cycles.
    std::uint64_t now() const { return state_.now(); }

    /// Local time: that of the edge now(). Before sc_time_stamp() while edges of a decoupled domain
    /// are replayed, else the same.
    sc_core::sc_time local_time() const {
        return *state_.behind == 0 ? sc_core::sc_time_stamp()
                                   : state_.sequencer.deferred_time(*state_.behind);
    }

private:
    process_state state_;
};

}  // namespace simtlm::kernel

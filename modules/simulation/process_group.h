// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/group_schedule.h"

namespace simtlm::simulation {

/// Blocks that access nothing but each other's state in the phases of one phase::group_kind: an SM,
/// a memory partition. Two groups can then run these phases in any order, so that a single SystemC
/// process, which belongs to the module under construction, runs all of them in one activation, at
/// the position of the first, instead of one process per block. This saves process switches and
/// keeps the state of a group in the processor's caches.
///
/// Processes that are created while the group is open, and whose phase is of this kind, become
/// members. They behave like all other clocked processes: they run in the order of their phases and
/// sub-phases, sleep, wake and set timers. If every process is a SystemC thread
/// (phase_sequencer::options::clocked_threads), there are no groups.
class process_group {
public:
    /// Creates a group and opens it.
    /// @param name        of its process, within the module under construction
    /// @param kind        phase::group_kind of its phases
    /// @param sub_phases  number of sub-phases of its first phase in which the group may run, for
    ///                    groups that act one after the other, see select_sub_phase(). Such groups
    ///                    run on one host thread, and exist even if every process is a SystemC
    ///                    thread.
    process_group(const char* name, phase_sequencer& sequencer, unsigned kind,
                  unsigned sub_phases = 1)
        : schedule_(name, sequencer, kind, sub_phases) {}
    /// Creates and opens a group that is run by the process of another group of the same module,
    /// whose phases are earlier or later. If one module has such a pair of groups, every module
    /// with a group of the same kind must have it.
    process_group(const process_group& same_process, unsigned kind)
        : schedule_(same_process.schedule_, kind) {}

    /// Opens the group: processes created from now on whose phase is one of its own become members.
    /// Only one group of a kind may be open at a time.
    void open() { schedule_.open(); }
    /// Closes the group after its members have been created; open() may be called again to add
    /// more.
    void close() { schedule_.close(); }
    /// Runs all phases of the group in the k-th sub-phase of the first one, after the groups of
    /// earlier sub-phases. Must not be called while a group is running. @param k  less than the
    /// number of sub-phases
    void select_sub_phase(unsigned k) { schedule_.select_sub_phase(k); }

private:
    group_schedule schedule_;
};

}  // namespace simtlm::simulation

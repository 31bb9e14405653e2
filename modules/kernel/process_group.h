// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/group_schedule.h"

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
    /// @param sub_phases  in how many sub-phases of its first phase it may run: groups that act one
    ///                    after the other, see select_sub_phase(). Such groups are run by one host
    ///                    thread, and exist where every process is a thread of SystemC, too.
    process_group(const char* name, phase_sequencer& sequencer, unsigned kind,
                  unsigned sub_phases = 1)
        : schedule_(name, sequencer, kind, sub_phases) {}
    /// Opens one that is run by the process of another group of the same module, which is made for
    /// earlier or later phases. Where one module has such groups, every module that has one has
    /// all.
    process_group(const process_group& same_process, unsigned kind)
        : schedule_(same_process.schedule_, kind) {}

    /// Processes that are made now, and whose phase is one of its own, become members. Of groups of
    /// one kind, one at a time.
    void open() { schedule_.open(); }
    /// All members have been made, or some more will be when it is open again.
    void close() { schedule_.close(); }
    /// All its phases are run in the k-th sub-phase of the first of them, after those of the groups
    /// of earlier sub-phases. Called while no group runs. @param k  below the number of sub-phases
    void select_sub_phase(unsigned k) { schedule_.select_sub_phase(k); }

private:
    group_schedule schedule_;
};

}  // namespace simtlm::kernel

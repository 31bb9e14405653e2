// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/phase.h"

#include <cstdint>
#include <memory>
#include <random>
#include <systemc>
#include <vector>

namespace simtlm::simulation {

struct process_state;

/// The processes that run when a phase is visited or, if the phase has sub-phases, in its k-th
/// visit. Maintained by the phase sequencer, and by groups for their members.
struct sub_phase {
    unsigned place = 0;  ///< position among all sub-phases of all phases, ascending from 1
    unsigned awake = 0;  ///< number of awake processes, outside groups
    std::uint64_t* words = nullptr;  ///< bit set of the awake processes, one bit per member of the
                                     ///< phase
    unsigned n_words = 0;
    unsigned stride = 1;                ///< distance between two words
    unsigned number = 0;                ///< among the sub-phases of a group
    unsigned phase = 0;                 ///< phase of the group, relative to its first
    std::vector<std::uint64_t> memory;  ///< storage of the words, unless a group provides it

    std::uint64_t* word(unsigned member) const { return &words[member / 64 * stride]; }
    /// Reads a word that other threads may be changing.
    std::uint64_t awake_in(unsigned nth) const {
        return __atomic_load_n(&words[nth * stride], __ATOMIC_RELAXED);
    }
    void reserve(unsigned members) {
        memory.resize((members + 63) / 64);
        words = memory.data();
        n_words = static_cast<unsigned>(memory.size());
    }
    /// Places each word in a cache line of its own.
    void make_lines(unsigned lines);
};

/// A phase of a sequencer or of a group with its members, the processes that act in it. Complete
/// after elaboration.
struct scheduled_phase {
    explicit scheduled_phase(const phase& p) : what(p) {}

    phase what;
    std::vector<process_state*> members;     ///< nullptr: unused place, never awake
    std::vector<edge_action> actions;        ///< of the members
    std::vector<sc_core::sc_event*> starts;  ///< events that trigger the members' SystemC processes
    std::unique_ptr<sc_core::sc_event> start_all;  ///< event that triggers the processes of all
                                                   ///< members
    bool uses_shared_processes =
        false;                      ///< some members' actions are run by processes of other members
    bool shares_processes = false;  ///< members of other phases, in the same places, are run by
                                    ///< these processes
    const scheduled_phase* processes = nullptr;  ///< phase whose processes run the members: usually
                                                 ///< this one
    bool shared = false;                         ///< host threads may run it in a parallel region
    bool one_thread = false;     ///< its processes access state beyond their partition
    unsigned shared_number = 0;  ///< index among the shared phases
    std::vector<sub_phase> sub_phases;
    /// If shared: the words per host thread, as many as the largest chunk has members; bit k of a
    /// word belongs to the thread's own chunk k.
    unsigned words_per_thread = 0;

    /// Adds a member. @return its index
    unsigned join(process_state& p, unsigned sub_phases_wanted);
    /// Reorders the members.
    template <class Rearrange>
    void rearrange(Rearrange how);
    /// Reorders the members at random.
    void shuffle(std::mt19937_64& random);
    /// Sets `processes`: this phase, or the phase whose members' processes run the members at the
    /// same indices.
    void find_processes();
    bool starts_shared() const { return uses_shared_processes && processes == this; }
    /// Places members that the same host thread usually runs in words, and thereby cache lines, of
    /// their own. The members of one chunk use the same bit of consecutive words.
    void lay_out_by_chunk(unsigned threads, unsigned chunks_per_thread);
    /// Finishes construction after the last process has joined. @param number  of the phase
    void complete(unsigned number);
};

/// An entry in the order in which a step visits phases and sub-phases.
struct phase_visit {
    sub_phase* who;
    const scheduled_phase* of;
    const edge_action* actions;  ///< of the members, to be run in this visit
};

}  // namespace simtlm::simulation

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/phase.h"

#include <cstdint>
#include <memory>
#include <random>
#include <systemc>
#include <vector>

namespace simtlm::kernel {

struct process_state;

/// The processes that run when a phase is visited; where a phase has sub-phases, in the k-th visit.
/// Kept by the phase sequencer, and by groups for their members.
struct sub_phase {
    unsigned place = 0;              ///< among all sub-phases of all phases, ascending, from 1 on
    unsigned awake = 0;              ///< number of awake processes, outside groups
    std::uint64_t* words = nullptr;  ///< awake processes: a bit for each member of the phase
    unsigned n_words = 0;
    unsigned stride = 1;                ///< between two words
    unsigned number = 0;                ///< among the sub-phases of a group
    unsigned phase = 0;                 ///< ... of the group, from its first
    std::vector<std::uint64_t> memory;  ///< for the words, where a group has none for them

    std::uint64_t* word(unsigned member) const { return &words[member / 64 * stride]; }
    /// A word that other threads may be changing.
    std::uint64_t awake_in(unsigned nth) const {
        return __atomic_load_n(&words[nth * stride], __ATOMIC_RELAXED);
    }
    void make_room(unsigned members) {
        memory.resize((members + 63) / 64);
        words = memory.data();
        n_words = static_cast<unsigned>(memory.size());
    }
    /// Words that lie in a cache line each.
    void make_lines(unsigned lines);
};

/// A phase of a sequencer, or of a group, with the processes that act in it: its members. Complete
/// when elaboration has ended.
struct phase_slot {
    explicit phase_slot(const phase& p) : what(p) {}

    phase what;
    std::vector<process_state*> members;           ///< nullptr: none, which is never awake
    std::vector<edge_action> actions;              ///< of the members
    std::vector<sc_core::sc_event*> starts;        ///< trigger their SystemC processes
    std::unique_ptr<sc_core::sc_event> start_all;  ///< triggers those of all members
    bool has_guests = false;     ///< members whose action another member's process runs
    bool has_followers = false;  ///< slots whose members its processes run at the same places
    const phase_slot* processes = nullptr;  ///< whose processes run the members: mostly its own
    bool shared = false;                    ///< host threads may run it in a parallel region
    bool one_thread = false;                ///< its processes touch more than their own partition
    unsigned shared_number = 0;             ///< among those that are shared
    std::vector<sub_phase> sub_phases;
    /// If shared: for each host thread as many words as a chunk has members at most, with a bit for
    /// every chunk that the thread begins with.
    unsigned words_per_thread = 0;

    /// @return the place of the process among the members
    unsigned join(process_state& p, unsigned sub_phases_wanted);
    /// Gives the members other places.
    template <class Rearrange>
    void rearrange(Rearrange how);
    void shuffle(std::mt19937_64& random);
    /// Finds whose processes run the members: its own, or those of the members of another slot at
    /// the same places.
    void find_processes();
    bool starts_guests() const { return has_guests && processes == this; }
    /// Gives members that one host thread mostly runs words, and thereby cache lines, of their own;
    /// those of a chunk have the same bit of words that follow one another.
    void lay_out_by_chunk(unsigned threads, unsigned chunks_per_thread);
    /// The last process has joined. @param number  of the phase
    void complete(unsigned number);
};

/// A place in the order in which a step visits phases and sub-phases.
struct phase_visit {
    sub_phase* who;
    const phase_slot* of;
    const edge_action* actions;  ///< of the members, in this visit
};

}  // namespace simtlm::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/group_schedule.h"

#include <cstdint>
#include <memory>
#include <systemc>

namespace simtlm::simulation {

/// The internal state of a clocked_process for the phase sequencer, groups and the parallel region:
/// its bit among the awake processes of its phase, its position, and the SystemC process that runs
/// it. Blocks only use the clocked_process.
struct alignas(64) process_state {
    /// @param run_by  process whose SystemC process runs this one's action; nullptr: it has its own
    process_state(const char* name, phase_sequencer& sequencer, phase_index phase,
                  edge_action action, bool awake, unsigned sub_phases, process_state* run_by);
    process_state(const process_state&) = delete;
    process_state& operator=(const process_state&) = delete;

    // Fields used by running, sleeping, waking and timers, in one cache line.
    phase_sequencer& sequencer;
    group_schedule* const group;                ///< nullptr: not a member of a group
    std::uint64_t* word = nullptr;              ///< word of its sub-phase that holds its bit
    const std::uint64_t* const edges_deferred;  ///< number of edges that its group has deferred
    const edge_action action;
    unsigned index = 0;                 ///< among the members of the phase
    unsigned first_place = 0;           ///< position of the first sub-phase of the phase
    std::uint16_t number = 0;           ///< among the members of the group
    std::uint8_t first_number = 0;      ///< of the first sub-phase, in a group
    std::uint8_t sub_phase_number = 0;  ///< of the current sub-phase
    std::uint8_t bit = 0;               ///< index in the word
    std::uint8_t domain = 0;
    bool only_word = false;  ///< whether it is the only word of the sub-phase
    bool has_next = false;

    // Fields for construction, and for processes outside groups.
    scheduled_phase& phase_entry;         ///< its phase
    sub_phase* acts_in = nullptr;         ///< its sub-phase
    const process_state* next = nullptr;  ///< whose action its SystemC process runs in its next
                                          ///< activation
    unsigned selected = 0;                ///< selected sub-phase, outside groups
    unsigned place = 0;                   ///< index in the phase, in order of creation
    unsigned chunk;                       ///< of the parallel region
    unsigned watched = 0;                 ///< number of its block, see phase_sequencer::watch()
    const phase_index phase;              ///< that it acts in
    std::uint64_t idle_activations = 0;   ///< see clocked_process::note_idle()
    std::unique_ptr<sc_core::sc_event> start;  ///< triggers its SystemC process; nullptr: run_by's
    process_state* const run_by;
    const sc_core::sc_object* const owner;  ///< the module under construction at its creation
    const sc_core::sc_object* block;        ///< the same, or nullptr for the process of a group

    std::uint64_t mask() const { return std::uint64_t{1} << bit; }
    [[gnu::always_inline]] bool is_awake() const {
        return (__atomic_load_n(word, __ATOMIC_RELAXED) >> bit & 1u) != 0;
    }
    /// Wakes the process, if it is asleep.
    void wake() {
        if (group == nullptr) return wake_outside_groups();
        if (is_awake()) return;
        *word |= mask();
        group->sub_phase_awake(sub_phase_number);
    }
    void wake_outside_groups() {
        if (is_awake()) return;
        if (sequencer.parallel()) return sequencer.region().wake(*this);
        *word |= mask();
        ++acts_in->awake;
    }
    /// Lets the process sleep until it is woken, unless sleeping is disabled.
    void sleep() {
        if (sequencer.sleeping_enabled()) clear_awake();
    }
    void clear_awake() {
        if (!is_awake()) return;
        if (group == nullptr) {
            if (sequencer.parallel()) return sequencer.region().sleep(*this);
            *word &= ~mask();
            --acts_in->awake;
            return;
        }
        *word &= ~mask();
        if (*word == 0 && (only_word || group->is_asleep(sub_phase_number)))
            group->sub_phase_asleep(sub_phase_number);
    }

    /// The current edge of its domain, in cycles.
    std::uint64_t now() const { return sequencer.cycle(domain) - *edges_deferred; }
    /// Wakes the process in a cycle of its domain, or now if that cycle has begun.
    void wake_at(std::uint64_t at) {
        if (at <= now()) return wake();
        if (group != nullptr) return group->set_timer(number, at);
        sequencer.set_timer(*this, at);
    }
    /// Lets the process sleep until a cycle of its domain.
    void sleep_until(std::uint64_t at) {
        if (at <= now() + 1) return;
        sleep();
        wake_at(at);
    }

    /// Moves the process to a sub-phase of its phase. It stays awake or asleep.
    void select_sub_phase(unsigned k) {
        if (k == selected_sub_phase()) return;
        const bool was_awake = is_awake();
        clear_awake();
        if (group != nullptr && group->is_complete())
            move_to_row(k);
        else
            join_sub_phase(k);
        if (was_awake) wake();
    }
    unsigned selected_sub_phase() const {
        return group != nullptr ? sub_phase_number - first_number : selected;
    }
    /// Whether the current step has reached or passed sub-phase k of the process's phase.
    bool sub_phase_has_passed(unsigned k) const {
        return sequencer.has_visited(first_place + k) ||
               (group != nullptr && group->has_come_to(first_number + k));
    }
    /// @pre asleep, or in the same sub-phase, whose words have moved
    void join_sub_phase(unsigned k) {
        selected = k;
        acts_in = &phase_entry.sub_phases[k];
        first_place = phase_entry.sub_phases[0].place;
        first_number = static_cast<std::uint8_t>(phase_entry.sub_phases[0].number);
        sub_phase_number = static_cast<std::uint8_t>(first_number + k);
        only_word = acts_in->n_words == 1;
        word = acts_in->word(index);
        bit = static_cast<std::uint8_t>(index % 64);
    }
    /// Faster variant of join_sub_phase() for complete groups. @pre asleep
    void move_to_row(unsigned k) {
        sub_phase_number = static_cast<std::uint8_t>(first_number + k);
        word = group->word_of(sub_phase_number, index);
    }

    /// Makes the SystemC process that runs it execute this action in its next activation.
    void run_next() {
        process_state& runner = run_by != nullptr ? *run_by : *this;
        runner.next = this;
        runner.has_next = true;
    }
    /// @return the event that triggers the SystemC process that runs it
    sc_core::sc_event* start_event() const {
        return (run_by != nullptr ? *run_by : *this).start.get();
    }

private:
    void spawn(const char* name);
};

inline void group_schedule::sub_phase_awake(unsigned sub_phase) {
    ready_[sub_phase / 64] |= std::uint64_t{1} << (sub_phase % 64);
    if (visiting_ == max_sub_phases) activity_->wake();  // otherwise it is awake already
}

}  // namespace simtlm::simulation

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/simulation/parallel_region.h"
#include "modules/simulation/phase_table.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtlm::simulation {

class phase_sequencer;
struct process_state;

/// Runs the phases of a step in order: starts the SystemC processes of each phase with an awake
/// process, or has a parallel_region run the phase and those after it. Part of phase_sequencer.
class step_runner {
public:
    /// @param sequencer  that begins and ends the steps @param region  of its host threads
    step_runner(phase_sequencer& sequencer, parallel_region& region)
        : sequencer_(sequencer), region_(region) {}

    /// Begins a step. @param visits  its sub-phases, in order; must outlive the step
    void begin(const std::vector<phase_visit>& visits);
    /// What start_next_phase() has done.
    enum class started : std::uint8_t {
        nothing,    ///< no phase with an awake process is left
        processes,  ///< they run in the next delta cycle
        region,     ///< a parallel region has run the phase
        postponed,  ///< the phase starts once the current process has ended
    };
    /// Starts the next phase with an awake process.
    /// @param ended  the process of a phase that is running now, or nullptr
    started start_next_phase(const process_state* ended);
    /// Runs the actions of a process that start_next_phase() has started.
    /// @return whether it was the last one of its phase
    bool run(process_state& runner);
    /// Whether some phase of the step has been visited.
    bool has_visited_any() const { return visited_; }
    /// Position of the running process in the order of the step's visits and of process creation; 0
    /// if none is running.
    std::uint64_t order_of_running() const {
        return running_process_ != nullptr ? order_of(*running_visit_, *running_process_) : 0;
    }

private:
    std::size_t end_of_processes(std::size_t first) const;
    void start_processes(const phase_visit& v);
    void run_phases_of(const process_state& p);
    std::size_t run_parallel_region();
    std::uint64_t order_of(const phase_visit& v, const process_state& p) const;

    phase_sequencer& sequencer_;
    parallel_region& region_;
    const std::vector<phase_visit>* visits_ = nullptr;  // of the current step
    std::size_t position_ = 0;
    unsigned running_ = 0;                // processes started in the phase that have not ended yet
    std::vector<std::uint64_t> started_;  // one bit per member of the phase that is to run
    const phase_visit* begin_ = nullptr;  // first visit that the started processes run
    const phase_visit* end_ = nullptr;    // end of these visits
    bool own_actions_ = false;            // they run only begin_, and each its own action
    bool visited_ = false;
    const process_state* running_process_ = nullptr;  // whose action is running, and in which visit
    const phase_visit* running_visit_ = nullptr;
};

}  // namespace simtlm::simulation

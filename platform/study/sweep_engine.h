// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/sweep_plan.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// Outcome of a run of a sweep, stored in its folder as status.json.
struct sweep_outcome {
    int code = 0;     ///< exit code; -SIGNAL if a signal ended it
    double wall = 0;  ///< seconds
    double user = 0;
    long peak_kb = 0;     ///< peak memory
    std::string message;  ///< why it failed; empty on success

    bool ok() const { return message.empty(); }
};

/// The stored outcome of a run, if it completed with its current fingerprint.
std::optional<sweep_outcome> outcome_of(const sweep_run& run);

/// Stores the outcome of a run in its folder, where outcome_of() finds it.
/// @throws support::output_error
void write_outcome(const sweep_run& run, const sweep_outcome& outcome);

/// Executes runs as local processes, several in parallel. Each has a process group of its own. A
/// run
/// is complete when it has ended and its status is written; one that a signal to this process
/// interrupts is repeated by the next call.
/// @param ended  called after each run
/// @return the signal that ended execution early; 0: all runs have been executed
int run_locally(const std::vector<const sweep_run*>& runs, unsigned parallel, unsigned timeout,
                const std::function<void(const sweep_run&, const sweep_outcome&)>& ended);

/// Submits runs to Slurm as job arrays and waits until none of them is left in the queue. Jobs
/// submitted by an earlier call that was killed are waited for first and not submitted again.
/// @param tool  simtlm-sweep, which executes a task of the array
/// @throws support::user_error  if sbatch or squeue fail
void run_by_slurm(const sweep_plan& plan,
                  const std::function<std::vector<const sweep_run*>()>& left, unsigned parallel,
                  const std::string& tool);

/// Executes one task of an array. @return the signal that ended it early, or 0
int run_task(const std::string& task_file, std::size_t index);

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/sweep_plan.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// How a run of a sweep has ended; kept in its folder as status.json.
struct sweep_outcome {
    int code = 0;     ///< exit code; -SIGNAL when a signal ended it
    double wall = 0;  ///< seconds
    double user = 0;
    long peak_kb = 0;     ///< of memory
    std::string message;  ///< why it failed; empty: it did not

    bool ok() const { return message.empty(); }
};

/// What a run has left, if it has come to its end with the fingerprint that it has now.
std::optional<sweep_outcome> outcome_of(const sweep_run& run);

/// Keeps how a run has ended in its folder, where outcome_of() finds it.
/// @throws kernel::output_error
void write_outcome(const sweep_run& run, const sweep_outcome& outcome);

/// Runs, some at a time, as processes of this machine. Each has a process group of its own. A run
/// counts when it has ended and its status is written; one that a signal to this process cuts off
/// runs again next time.
/// @param ended  called after each run
/// @return the signal that ended it early; 0: all have run
int run_locally(const std::vector<const sweep_run*>& runs, unsigned parallel, unsigned timeout,
                const std::function<void(const sweep_run&, const sweep_outcome&)>& ended);

/// Hands runs to Slurm as job arrays and waits until it has none of them any more. Jobs that an
/// earlier call, since killed, has handed in are waited for first, and not handed in again.
/// @param tool  simtlm-sweep, which runs a task of the array
/// @throws kernel::user_error when sbatch or squeue fail
void run_by_slurm(const sweep_plan& plan,
                  const std::function<std::vector<const sweep_run*>()>& left, unsigned parallel,
                  const std::string& tool);

/// One task of an array. @return the signal that ended it early, or 0
int run_task(const std::string& task_file, std::size_t index);

}  // namespace simtlm::platform::study

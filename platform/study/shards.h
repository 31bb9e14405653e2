// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/sweep_plan.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// Kernels by their place in the list of an application, from 1; both ends are included.
struct kernel_range {
    std::uint64_t first = 0, last = 0;
};

/// Splits a list of kernels into at most `shards` contiguous ranges, none of them empty, such that
/// the heaviest range is as light as it can be. @param weights  of the kernels; 0 counts as 1
std::vector<kernel_range> balanced_shards(const std::vector<std::uint64_t>& weights,
                                          unsigned shards);

/// Warp instructions of the launches that a run without time has reported, in their order.
std::vector<std::uint64_t> launch_counts(const std::string& report);

/// What the kernels of a recorded list take, relative to one another.
using trace_weights = std::function<std::vector<std::uint64_t>(const std::string& list)>;

/// Runs without time that count the instructions of the launches of a program: one for each run of
/// the plan that is split into shards and is no trace.
std::vector<sweep_run> counting_runs(const sweep_plan& plan);

/// The simulations that a plan comes down to: its runs, and in place of a run in shards a run of
/// each range of kernels. A program whose launches have not been counted has none.
/// @throws kernel::user_error  a list cannot be read
std::vector<sweep_run> timed_runs(const sweep_plan& plan, const trace_weights& weights_of_trace);

/// Merges the shards of each run whose shards have all ended, and writes statistics.json and
/// status.json in its folder: host time is the sum of that of its shards, memory their greatest. A
/// run with a failed shard has failed.
/// @throws kernel::output_error
void merge_shards(const sweep_plan& plan, const trace_weights& weights_of_trace);

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/sweep_plan.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// Kernels by position in the list of an application, from 1; both ends are included.
struct kernel_range {
    std::uint64_t first = 0, last = 0;
};

/// Splits a list of kernels into at most `shards` contiguous, non-empty ranges that minimise the
/// weight of the heaviest range. @param weights  of the kernels; 0 counts as 1
std::vector<kernel_range> balanced_shards(const std::vector<std::uint64_t>& weights,
                                          unsigned shards);

/// Warp instructions of the launches that a functional run has reported, in order.
std::vector<std::uint64_t> launch_counts(const std::string& report);

/// Returns the relative costs of the kernels of a trace list.
using trace_weights = std::function<std::vector<std::uint64_t>(const std::string& list)>;

/// Functional runs that count the instructions of a program's launches: one for each run of the
/// plan that is split into shards and does not use a trace.
std::vector<sweep_run> counting_runs(const sweep_plan& plan);

/// The simulations of a plan: its runs, where a sharded run is replaced by one run per range of
/// kernels. A program whose launches have not been counted yet has none.
/// @throws support::user_error  if a list cannot be read
std::vector<sweep_run> timed_runs(const sweep_plan& plan, const trace_weights& weights_of_trace);

/// Merges the shards of each run whose shards have all ended, and writes statistics.json and
/// status.json in its folder: host time is the sum over the shards, memory the maximum. A run
/// with a failed shard has failed.
/// @throws support::output_error
void merge_shards(const sweep_plan& plan, const trace_weights& weights_of_trace);

}  // namespace simtlm::platform::study

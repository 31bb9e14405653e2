// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/kernel_analysis.h"

#include <vector>

namespace simtlm::platform::study {

/// Completes the analysis of a kernel: its findings, ordered by the estimated speed-up without
/// each, its occupancy table and what limits it. @pre times, slots and memory have been measured
void find_reasons(const json& kernel, const gpu_limits& limits, kernel_analysis& a);

/// Findings about a whole run: launch overhead, and work that is unevenly distributed over SMs or
/// memory channels.
std::vector<finding> findings_of_run(const statistics_run& run,
                                     const std::vector<kernel_analysis>& kernels);

}  // namespace simtlm::platform::study

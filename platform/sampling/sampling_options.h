// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

#include <cstdint>
#include <string>

namespace simtlm::platform {

/// Which kernels of a run are simulated, and for how long (--sample, --sample-stable).
struct sampling_options {
    bool groups = false;      ///< --sample: only representatives of groups of kernels
    double budget = 0.05;     ///< share of the estimated work of the run that samples may use
    double similarity = 0.1;  ///< maximum relative difference within a group
    std::uint64_t first = 0;  ///< simulates this many launches of each group, the first; 0: spread
    /// Launches are not executed if they are not simulated and would execute at least this many
    /// warp instructions; 0: all are executed.
    std::uint64_t skip = 0;
    std::uint64_t from = 0;  ///< launches before this one, counted from 1, are not executed
    bool stable = false;     ///< --sample-stable: a kernel ends once its rate is stable
    double spread = 0.02;    ///< maximum relative standard deviation of a stable rate
    std::string json;        ///< file for the projection of every kernel; empty: none

    bool any() const { return groups || stable; }
    /// @throws support::user_error
    static sampling_options of(const option_values& values);
};

}  // namespace simtlm::platform

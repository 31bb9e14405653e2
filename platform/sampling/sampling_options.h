// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/options/options.h"

#include <string>

namespace simtlm::platform {

/// --sample and its kin: which kernels of a run are simulated, and how far.
struct sampling_options {
    bool groups = false;      ///< --sample: representatives of groups of kernels alone
    double budget = 0.05;     ///< of the estimated work of the run, that samples may take
    double similarity = 0.1;  ///< relative difference within a group
    bool stable = false;      ///< --sample-stable: a kernel ends when its rate is stable
    double spread = 0.02;     ///< relative standard deviation of a rate that is stable
    std::string json;         ///< file of the projection, kernel by kernel; empty: none

    bool any() const { return groups || stable; }
    /// @throws kernel::user_error
    static sampling_options of(const option_values& values);
};

}  // namespace simtlm::platform

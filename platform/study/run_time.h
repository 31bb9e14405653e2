// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

namespace simtlm::platform::study {

/// The mean core clock of a run, in Hz, which a power limit lowers; 0 if unknown.
double mean_core_hz(const statistics_run& run);

/// Simulated time of a run, in seconds, which unlike cycles can be compared between GPUs of
/// different clocks; 0 if the file does not contain the core clock.
struct run_time {
    double execution = 0;  ///< at least one kernel was executing: thread blocks were resident
    double launch = 0;     ///< the rest: launch latencies and copies between kernels

    static run_time of(const statistics_run& run);
};

}  // namespace simtlm::platform::study

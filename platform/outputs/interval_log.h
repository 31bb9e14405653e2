// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::platform {

class gpu;

/// A rate or ratio sampled by --interval, for docs/statistics-files.md and the file headers.
/// Computed from counters (platform/report/report.h) as the sum of `numerator` minus the sum of
/// `less`, divided by the sum of `denominator`, all over the sampling interval.
struct interval_metric {
    const char* name;
    const char* unit;
    const char* meaning;
    const char* kind;  ///< kinds of the blocks that have the counters
    std::vector<const char*> numerator;
    std::vector<const char*> less;
    std::vector<const char*> denominator;  ///< empty: core cycles, or seconds for bandwidths
    bool bandwidth = false;                ///< converts DRAM atoms to GB/s
};
const std::vector<interval_metric>& interval_metrics();

/// --interval: periodically samples IPC, occupancy, stalls, hit rates and bandwidth of the whole
/// GPU, of every SM, L2 slice and DRAM channel, and selected counters. Writes CSV, SQLite or both;
/// the files get their names when finish() succeeds.
///
/// It accesses the GPU only through const functions and observers and changes no statistics.
class interval_log {
public:
    /// Construct after the GPU has been built and before the simulation starts.
    /// @throws support::user_error  if a file cannot be created
    interval_log(gpu& device, const interval_config& how);
    ~interval_log();

    /// Takes a final sample and completes the files. @throws support::output_error
    void finish();

private:
    class recording;
    std::unique_ptr<recording> recording_;
};

/// Returns the log that the options request, or nullptr.
std::unique_ptr<interval_log> attach_interval_log(gpu& device, const interval_config& how);

}  // namespace simtlm::platform

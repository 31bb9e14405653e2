// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::platform {

class gpu;

/// A rate or ratio that --interval samples, for docs/statistics-files.md and the header of the
/// files. Computed from counters (platform/report/report.h): the sum of `numerator` less that of
/// `less`, over the sum of `denominator`, all of them since the sample before.
struct interval_metric {
    const char* name;
    const char* unit;
    const char* meaning;
    const char* kind;  ///< of the blocks that have the counters
    std::vector<const char*> numerator;
    std::vector<const char*> less;
    std::vector<const char*> denominator;  ///< empty: core cycles, or seconds of bandwidths
    bool bandwidth = false;                ///< atoms of DRAM to GB/s
};
const std::vector<interval_metric>& interval_metrics();

/// --interval: samples IPC, occupancy, stalls, hit rates and bandwidth of the whole GPU, of every
/// SM, L2 slice and DRAM channel, and counters of the user's choice, every so many core cycles.
/// Writes CSV, SQLite or both; the files appear under their names when finish() has succeeded.
///
/// Sees the GPU only through const accessors and observers, and changes no statistic.
class interval_log {
public:
    /// To be made when the GPU is built, before the simulation starts.
    /// @throws kernel::user_error when a file cannot be created
    interval_log(gpu& device, const interval_config& how);
    ~interval_log();

    /// Takes a last sample and completes the files. @throws kernel::output_error
    void finish();

private:
    class recording;
    std::unique_ptr<recording> recording_;
};

/// The samples that the options ask for, or nothing.
std::unique_ptr<interval_log> attach_interval_log(gpu& device, const interval_config& how);

}  // namespace simtlm::platform

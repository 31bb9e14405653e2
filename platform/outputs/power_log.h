// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/outputs/statistics_files.h"

#include <memory>

namespace simtlm::platform {

class gpu;

/// Drives the power model and writes its files: the report by kernel in AccelWattch's format
/// (--power-report), traces of every window, and periods of steady power.
///
/// Windows end every -gpgpu_runtime_stat core cycles, and with every report.
class power_log {
public:
    /// Construct after the GPU has been built and before the simulation starts.
    /// @pre the GPU has a power model. @throws support::user_error  if a file cannot be written
    explicit power_log(gpu& device);
    ~power_log();

    /// A report has been made: the windows since the previous one belong to this kernel.
    /// @throws support::user_error  if the file of hardware counters has no row for it
    void kernel_ended(const kernel_record& kernel);
    /// Completes the files. @throws support::output_error
    void finish();

private:
    class recording;
    std::unique_ptr<recording> recording_;
};

/// The log of a GPU with a power model, else nullptr.
std::unique_ptr<power_log> attach_power_log(gpu& device);

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <memory>

namespace simtlm::platform {

class gpu;

/// The log that GPGPU-Sim writes for AerialVision's time-lapse view (-visualizer_enabled,
/// -visualizer_outputfile, -visualizer_zlevel): a sample every so many core cycles
/// (-gpgpu_runtime_stat), of lines NAME: NUMBERS, compressed as gzip does. docs/statistics-files.md
/// lists the names.
///
/// Sees the GPU only through const accessors and observers, and changes no statistic.
class visualizer_log {
public:
    /// @throws kernel::user_error when the file cannot be created
    visualizer_log(gpu& device, const run_config& how);
    ~visualizer_log();

    /// Takes a last sample and completes the file. @throws kernel::output_error
    void finish();

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// The log that the options ask for, or nothing. Call it once the GPU is built and before the
/// simulation starts.
std::unique_ptr<visualizer_log> attach_visualizer_log(gpu& device, const run_config& how);

}  // namespace simtlm::platform

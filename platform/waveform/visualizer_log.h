// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <memory>

namespace simtlm::platform {

class gpu;

/// Writes the log for AerialVision's time-lapse view in the format of GPGPU-Sim
/// (-visualizer_enabled, -visualizer_outputfile, -visualizer_zlevel): periodic samples
/// (-gpgpu_runtime_stat) of lines NAME: NUMBERS, compressed with gzip. docs/statistics-files.md
/// lists
/// the names.
///
/// It accesses the GPU only through const functions and observers and changes no statistics.
class visualizer_log {
public:
    /// @throws support::user_error  if the file cannot be created
    visualizer_log(gpu& device, const run_config& how);
    ~visualizer_log();

    /// Takes a final sample and completes the file. @throws support::output_error
    void finish();

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// Returns the log that the options request, or nullptr. Call after the GPU has been built and
/// before the simulation starts.
std::unique_ptr<visualizer_log> attach_visualizer_log(gpu& device, const run_config& how);

}  // namespace simtlm::platform

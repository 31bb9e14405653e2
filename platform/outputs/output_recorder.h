// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace simtlm::platform {

class gpu;

/// Writes the files that options request for a GPU of a SystemC platform, as the executable does:
/// statistics (--stats-json, --stats-csv, --stats-csv-long), samples (--interval), the profile of
/// the instructions, waveforms and timelines. It takes the finished kernels of
/// gpu::commands().take_finished().
class output_recorder {
public:
    /// Construct after the GPU and before the simulation starts.
    /// @param options        those of the GPU, as for configure()
    /// @param config_folder  folder of the presets, as for configure()
    /// @throws support::user_error  if a file cannot be written
    output_recorder(gpu& device, const std::vector<std::string>& options,
                    const std::string& config_folder = {});
    /// Calls finish() if that has not been done; errors are reported as warnings of SystemC.
    ~output_recorder();
    output_recorder(const output_recorder&) = delete;
    output_recorder& operator=(const output_recorder&) = delete;

    /// Completes the files. Call while the simulation is stopped or paused, before the GPU is
    /// destroyed. @param ended  why the run has ended, for the statistics files
    /// @throws support::output_error  after the remaining files have been written
    void finish(const std::string& ended = "finished");

private:
    class recording;
    std::unique_ptr<recording> recording_;
};

}  // namespace simtlm::platform

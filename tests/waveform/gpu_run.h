// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_pipeline/simt_sm.h"
#include "platform/gpu/gpu_blocks.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::test {

/// A temporary folder for a test's files, removed at the end.
class scratch_folder {
public:
    scratch_folder();
    ~scratch_folder();
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// A whole GPU that runs a trace of traces/. One per process: SystemC starts only once.
class gpu_run {
public:
    /// @param trace      folder of traces/
    /// @param arguments  added to the command line
    /// @param core       makes the SMs; empty: those of the preset
    gpu_run(const std::string& trace, std::vector<std::string> arguments,
            core::multiprocessor_maker core = {});

    platform::gpu& device() { return *device_; }
    const platform::run_config& how() const { return device_->config().run; }
    /// Runs to the end of the trace, or for a number of microseconds.
    void run(double microseconds = 0);
    /// All statistics of all blocks, as text.
    std::string statistics();
    std::uint64_t issued(core::simt_pipeline::simt_sm& sm);
    /// @pre they are SIMT pipelines
    std::vector<core::simt_pipeline::simt_sm*> sms();

private:
    std::unique_ptr<platform::gpu> device_;
};

}  // namespace simtlm::test

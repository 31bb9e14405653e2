// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/gpu.h"
#include "platform/options/options.h"
#include "platform/outputs/gpu_files.h"
#include "platform/report/report.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace simtlm::platform {

/// Where a run is to be saved, and from where it goes on: --checkpoint, --checkpoint-at, --resume,
/// and the reference's options for them.
struct checkpoint_options {
    std::string write;          ///< file; empty: none
    std::uint64_t kernels = 0;  ///< that have finished before it is written
    std::string resume;         ///< file; empty: from the start

    bool any() const { return !write.empty() || !resume.empty(); }
    /// @throws kernel::user_error
    static checkpoint_options of(const option_values& values);
    /// Other options that ask for what is not saved in checkpoints.
    /// @param debugs  the debugger or trace streams are on
    /// @throws kernel::user_error
    void check(const option_values& values, const gpu_config& config, bool debugs) const;
};

/// State of what runs, beside that of the GPU: the memory of a program. Empty: there is none.
using workload_state = std::function<void(kernel::archive&)>;

/// A run that has been saved between two kernels: a line of text that says what it is, the options
/// that the state depends on as JSON, and the state of the GPU, packed (docs/checkpoints.md).
///
/// Time goes on where the run had come to: the GPU of a new process is idle up to time(), which
/// costs little since idle clocks are gated, and then gets the state. Whatever waits for a time to
/// come finds out anew.
class checkpoint {
public:
    /// Saves a run. @pre device.at_rest(), at the end of a step with an edge of the core clock;
    /// clocks have not been gated since the last kernel ended
    /// @param options   of the run
    /// @param host_log  of a host program: what it has seen of the GPU, for its run in the process
    ///                  that resumes; empty: there is no such program
    /// @throws kernel::user_error, kernel::output_error
    static void write(const std::string& file, gpu& device, gpu_files& files, reporter& reports,
                      const option_values& options, const workload_state& workload,
                      const std::string& host_log = {});

    /// Reads a file. @throws kernel::user_error when it is none, or damaged
    static checkpoint read(const std::string& file);

    /// @throws kernel::user_error naming the first option that differs from those of the saved run
    void check(const option_values& options) const;
    /// Up to when a GPU has to be idle before it is restored.
    sc_core::sc_time time() const { return sc_core::sc_time::from_value(time_); }
    /// Kernels that had finished.
    std::uint64_t kernels() const { return kernels_; }
    /// What was given to write(); empty: the run was that of a trace or of a file of launches.
    const std::string& host_log() const { return host_log_; }
    /// Gives a GPU the state. Its commands are submitted, and proceed afterwards.
    /// @pre the time is time(), between steps, synchronized
    /// @throws kernel::user_error
    void restore(gpu& device, gpu_files& files, reporter& reports, const workload_state& workload);

private:
    std::string file_;
    std::map<std::string, std::string> options_;
    std::uint64_t time_ = 0;  // in units of the time resolution
    std::uint64_t kernels_ = 0;
    std::string host_log_;
    std::string state_;
};

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/gpu_blocks.h"
#include "platform/options/options.h"
#include "platform/outputs/checkpoint_file.h"
#include "platform/outputs/configuration_difference.h"
#include "platform/outputs/gpu_files.h"
#include "platform/report/report.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace simtlm::platform {

/// When a run is saved and what it resumes from: --checkpoint, --checkpoint-at, --resume, and the
/// corresponding options of GPGPU-Sim.
struct checkpoint_options {
    std::string write;          ///< file; empty: none
    std::uint64_t kernels = 0;  ///< number of completed kernels at which it is written
    std::uint64_t blocks = 0;   ///< thread blocks placed after them; 0: between two kernels
    std::string resume;         ///< file; empty: from the start

    bool any() const { return !write.empty() || !resume.empty(); }
    /// @throws support::user_error
    static checkpoint_options of(const option_values& values);
    /// Rejects options for features whose state is not saved in checkpoints.
    /// @param debugs  the debugger or trace streams are enabled
    /// @throws support::user_error
    void check(const option_values& values, const gpu_config& config, bool debugs) const;
};

/// Saves or restores state outside the GPU, such as the memory of a program. May be empty.
using workload_state = std::function<void(support::archive&)>;

/// A run saved between two kernels: a line of text with a checksum of the rest, the options that
/// the state depends on as JSON, and the compressed state of the GPU (docs/checkpoints.md).
///
/// Simulated time continues from the saved time: the GPU of a new process idles up to time(), which
/// is fast since idle clocks are gated, and then receives the state. Scheduled wake-ups are not
/// saved; blocks determine them again.
class checkpoint {
public:
    /// Saves a run. @pre device.at_rest(), at the end of a step with a core clock edge; clocks
    /// have not been gated since the last kernel ended
    /// @param options   of the run
    /// @param host_log  for a host program, its observations of the GPU, which are replayed on
    ///                  resume; empty if there is no host program
    /// @throws support::user_error, support::output_error
    static void write(const std::string& file, gpu& device, gpu_files& files, reporter& reports,
                      const option_values& options, const workload_state& workload,
                      const std::string& host_log = {});

    /// Reads a file. @throws support::user_error  if it is not a checkpoint or is damaged
    static checkpoint read(const std::string& file);

    /// Compares the configuration with that of the saved run.
    /// @param config  made from the options
    /// @throws support::user_error  with the first option that differs; with --resume-what-if only
    ///         if it defines the workload
    void check(const option_values& options, const gpu_config& config);
    /// Time up to which a GPU must be idle before it is restored.
    sc_core::sc_time time() const { return sc_core::sc_time::from_value(contents_.time); }
    /// Number of completed kernels.
    std::uint64_t kernels() const { return contents_.kernels; }
    /// The host_log passed to write(); empty for a run of a trace or a launch file.
    const std::string& host_log() const { return contents_.host_log; }
    /// Restores the state of a GPU whose commands have been submitted; they proceed afterwards.
    /// @pre the simulation time is time(), between steps, synchronized
    /// @throws support::user_error
    void restore(gpu& device, gpu_files& files, reporter& reports, const workload_state& workload);
    /// With --resume-what-if: what has been restored. Its counters begin at the checkpoint.
    const std::optional<resumption>& resumed_elsewhere() const { return resumption_; }

private:
    void transfer(gpu& device, gpu_files& files, const workload_state& workload);

    std::string file_;
    configuration_difference difference_;
    bool other_configuration_ = false;  // permitted
    std::optional<resumption> resumption_;
    checkpoint_contents contents_;
};

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/outputs/checkpoint.h"
#include "platform/outputs/gpu_files.h"
#include "platform/report/compact.h"
#include "platform/report/report.h"
#include "sc_main/progress.h"

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

namespace simtlm {

/// Output of a run: reports on stdout, statistics files, notes and the summary on stderr.
class output {
public:
    /// Prints the version of the simulator.
    /// @param files    of that GPU; must outlive this object
    /// @param started  start time of the process
    output(platform::gpu& device, platform::gpu_files& files, progress& line,
           std::chrono::steady_clock::time_point started);

    /// Prints a note or a warning, each text once; nothing with --quiet or without text. Written to
    /// stdout if stderr is not a terminal and the run is complete, because scripts treat output on
    /// stderr as a failure.
    void note(const std::string& kind, const std::string& text);
    /// Prints the report of a completed kernel.
    void kernel_ended(const dispatch::finished_kernel& kernel);
    /// The run has ended: reports what has been counted since the last kernel, if anything, and
    /// writes the recordings, the statistics files and the summary.
    /// @param ended  "finished", "-gpgpu_max_cycle", "deadlock", "interrupted" or "failed"
    /// @throws support::output_error  after the remaining output has been written
    void run_ended(const std::string& ended);

    /// Saves the run. @pre device.at_rest() @throws support::user_error, support::output_error
    void save(const std::string& file, const platform::option_values& options,
              const platform::workload_state& workload);
    /// Restores a saved run; its reports and files are continued.
    /// @throws support::user_error
    void resume(platform::checkpoint& saved, const platform::workload_state& workload);

private:
    void print(const platform::kernel_record* kernel);
    void print_rest();
    void summary() const;
    double seconds() const;

    platform::gpu& device_;
    const platform::run_config& config_;
    progress& line_;
    std::chrono::steady_clock::time_point started_;
    platform::reporter reporter_;
    platform::gpu_files& files_;
    platform::compact_text compact_;
    std::uint64_t reported_cycles_ = ~std::uint64_t{0};
    std::uint64_t kernels_ = 0;
    bool incomplete_ = false;  ///< the run ended early for an unrequested reason
    std::set<std::string> noted_;
};

/// --profile-kernel: prints the activity of the simulation kernel on stderr.
void print_activity(const simulation::phase_sequencer& sequencer, double seconds);

}  // namespace simtlm

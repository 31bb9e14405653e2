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

/// Everything a run says: reports on stdout, files of statistics, notes and the summary on stderr.
class output {
public:
    /// Prints which simulator this is.
    /// @param files    of that GPU, as long as this object
    /// @param started  when the process did
    output(platform::gpu& device, platform::gpu_files& files, progress& line,
           std::chrono::steady_clock::time_point started);

    /// A note or a warning, each text once; nothing with --quiet. Goes to stdout where stderr is no
    /// terminal, unless the run is incomplete: scripts take what is on stderr for a failure.
    void note(const std::string& kind, const std::string& text);
    /// Prints the report of a kernel that has ended.
    void kernel_ended(const dispatch::finished_kernel& kernel);
    /// The run has ended: prints what was counted since the last kernel, if anything, writes the
    /// files of statistics and the summary.
    /// @param ended  "finished", "-gpgpu_max_cycle", "deadlock", "interrupted" or "failed"
    /// @throws kernel::output_error, after all that can be written has been
    void run_ended(const std::string& ended);

    /// Saves the run. @pre device.at_rest() @throws kernel::user_error, kernel::output_error
    void save(const std::string& file, const platform::option_values& options,
              const platform::workload_state& workload);
    /// Gives the GPU the state of a saved run, of which reports and files go on.
    /// @throws kernel::user_error
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
    platform::report last_;
    std::uint64_t reported_cycles_ = ~std::uint64_t{0};
    std::uint64_t kernels_ = 0;
    bool incomplete_ = false;  ///< the run has ended, and not as asked for
    std::set<std::string> noted_;
};

/// --profile-kernel: what the simulation kernel was made to do, on stderr.
void print_activity(const kernel::phase_sequencer& sequencer, double seconds);

}  // namespace simtlm

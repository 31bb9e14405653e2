// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/dispatch/command_processor.h"
#include "modules/kernel/archive_fwd.h"
#include "platform/gpu/gpu.h"
#include "platform/outputs/interval_log.h"
#include "platform/outputs/statistics_files.h"
#include "platform/waveform/instruction_profile.h"
#include "platform/waveform/timeline.h"
#include "platform/waveform/visualizer_log.h"
#include "platform/waveform/waveform.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform {

/// All files that a run leaves of one GPU, but for its reports: waveform, timeline, AerialVision's
/// log, the profile of instructions, files of statistics. What is not asked for is not there.
class gpu_files {
public:
    /// To be made when the GPU is built, before the simulation starts.
    /// @param options  as long as this object, as @p device
    /// @throws kernel::user_error  a file cannot be written
    gpu_files(gpu& device, const option_values& options, provenance from);

    /// A report has been made. @param kernel  nullptr: of no kernel
    void add(const report& report, const kernel_record* kernel);
    /// What a host program does, for the timeline; calls may come from any thread.
    void add(const host_activity& activity) {
        if (timeline_) timeline_->add(activity);
    }
    /// The simulation goes on no more: completes what was recorded of it.
    /// @throws kernel::user_error, kernel::output_error
    void finish_recordings();
    /// Writes statistics. A file that fails keeps no other one from being written.
    /// @param ended  why the run has ended: "finished", ...
    /// @throws kernel::output_error
    void write(const std::string& ended);
    /// Rows of statistics are collected for a checkpoint.
    void keep_rows() { statistics_.keep_rows(); }
    /// What the files of statistics have so far.
    void checkpoint(kernel::archive& a) { statistics_.checkpoint(a); }
    /// What the user should know of the recordings. @pre finish_recordings()
    std::vector<std::string> remarks() const;

private:
    const run_config& config_;
    std::unique_ptr<waveform_writer> waves_;
    std::unique_ptr<timeline_writer> timeline_;
    std::unique_ptr<visualizer_log> log_;
    std::unique_ptr<instruction_profile> profile_;
    std::unique_ptr<interval_log> intervals_;
    statistics_files statistics_;
};

kernel_record record_of(const dispatch::finished_kernel& kernel);
/// The kernel during which a run has ended: the first launched of those that run, if any does.
std::optional<kernel_record> record_of_unfinished(gpu& device);

/// The first lines of the reports, in which Accel-Sim's scripts find the build.
std::string opening_lines(const provenance::program_build& build);

/// The last line of the reports. Scripts take "exit detected" for a whole run, so that no other
/// ending has it. @param ended  "finished", "-gpgpu_max_cycle" or any other reason
std::string closing_line(const std::string& ended);

/// Tells the files of several GPUs apart: puts the number before the ending of every name.
/// FILE.json -> FILE.gpu1.json
void number_files(run_config& config, unsigned number);

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/dispatch/command_processor.h"
#include "modules/support/archive_fwd.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/outputs/interval_log.h"
#include "platform/outputs/power_log.h"
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

/// All output files of a run for one GPU except its reports: waveform, timeline, AerialVision log,
/// instruction profile and statistics files. Only requested files are written.
class gpu_files {
public:
    /// Construct after the GPU has been built and before the simulation starts.
    /// @param options  must outlive this object, as must `device`
    /// @throws support::user_error  if a file cannot be written
    gpu_files(gpu& device, const option_values& options, provenance from);

    /// A report has been made. @param kernel  nullptr if it does not belong to a kernel
    void add(const report& report, const kernel_record* kernel);
    /// Adds an activity of a host program to the timeline. Thread-safe.
    void add(const host_activity& activity) {
        if (timeline_) timeline_->add(activity);
    }
    /// Replaces the input files of the run that statistics files list.
    void set_inputs(std::vector<provenance::file> inputs) {
        statistics_.set_inputs(std::move(inputs));
    }
    /// The simulation has ended: completes the recordings. An error in one does not prevent the
    /// others from being written. @throws support::output_error
    void finish_recordings();
    /// Writes the statistics files. An error in one does not prevent the others from being written.
    /// @param ended  why the run has ended: "finished", ...
    /// @throws support::output_error
    void write(const std::string& ended);
    /// Collects rows of statistics even if no file is requested, for a checkpoint.
    void keep_rows() { statistics_.keep_rows(); }
    /// Saves or restores the rows collected so far.
    void checkpoint(support::archive& a) { statistics_.checkpoint(a); }
    /// The run continues a checkpoint with another configuration.
    void set_resumption(resumption r) { statistics_.set_resumption(std::move(r)); }
    /// Remarks on the recordings for the user. @pre finish_recordings()
    std::vector<std::string> remarks() const;

private:
    const run_config& config_;
    std::unique_ptr<waveform_writer> waves_;
    std::unique_ptr<timeline_writer> timeline_;
    std::unique_ptr<visualizer_log> log_;
    std::unique_ptr<instruction_profile> profile_;
    std::unique_ptr<interval_log> intervals_;
    std::unique_ptr<power_log> power_;
    statistics_files statistics_;
};

/// The statistics record of a completed kernel.
kernel_record record_of(const dispatch::finished_kernel& kernel, const gpu& device);
/// The kernel that was running when the run ended, the first launched if there are several.
std::optional<kernel_record> record_of_unfinished(gpu& device);

/// First lines of the reports, from which Accel-Sim's scripts identify the build.
std::string opening_lines(const provenance::program_build& build);

/// Last line of the reports. Scripts recognise a complete run by "exit detected", so it is used
/// only for one. @param ended  "finished", "-gpgpu_max_cycle" or any other reason
std::string closing_line(const std::string& ended);

/// Makes file names of several GPUs unique by inserting the number before the extension: FILE.json
/// -> FILE.gpu1.json
void number_files(run_config& config, unsigned number);

}  // namespace simtlm::platform

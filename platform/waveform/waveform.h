// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::platform {

class gpu;

/// The waveform of a GPU (--vcd, --vcd-scope, --vcd-window): what is recorded of every block, and
/// the files beside the dump that make it readable in GTKWave: FILE.gtkw, which groups the signals,
/// and FILE.NAME.translate, which name the values of enumerations. docs/waveforms.md lists the
/// signals.
///
/// Sees the GPU only through const accessors and observers. Lives from before the simulation starts
/// until finish() or its end, and not longer than the GPU.
class waveform_writer {
public:
    /// @throws kernel::user_error when a file cannot be created, the scope matches nothing, or the
    ///         file is to be FST and GTKWave's vcd2fst is not installed
    waveform_writer(gpu& device, const run_config& how);
    ~waveform_writer();

    /// Completes the files; the destructor does the same and prints what goes wrong.
    /// @throws kernel::user_error
    void finish();
    std::size_t signals() const;
    /// What the user should know of the recording: that its window lies beyond the end of the run.
    /// Empty if there is nothing. @pre finish()
    std::string remark() const;

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// Says that a window of core cycles begins when the run has ended, and of how much is missing.
std::string beyond_the_end(const std::string& option, const std::string& file, std::uint64_t from,
                           std::uint64_t end);

/// Files that are written beside a waveform, but for the translate files. @param file  --vcd
std::vector<std::string> waveform_side_files(const std::string& file);

/// The waveform that the options ask for, or nothing. Call it once the GPU is built and before
/// the simulation starts.
std::unique_ptr<waveform_writer> attach_waveforms(gpu& device, const run_config& how);

}  // namespace simtlm::platform

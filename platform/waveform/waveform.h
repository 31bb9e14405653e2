// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::platform {

class gpu;

/// Records the waveform of a GPU (--vcd, --vcd-scope, --vcd-window) and writes the files that make
/// it readable in GTKWave: FILE.gtkw, which groups the signals, and FILE.NAME.translate, which name
/// the values of enumerations. docs/waveforms.md lists the signals.
///
/// It accesses the GPU only through const functions and observers. Construct before the simulation
/// starts; the GPU must outlive it.
class waveform_writer {
public:
    /// @throws support::user_error  if a file cannot be created, the scope matches nothing, or FST
    /// is
    ///         requested and GTKWave's vcd2fst is not installed
    waveform_writer(gpu& device, const run_config& how);
    ~waveform_writer();

    /// Completes the files; the destructor does the same and prints errors.
    /// @throws support::user_error
    void finish();
    std::size_t signals() const;
    /// A remark if the window lies beyond the end of the run, otherwise empty. @pre finish()
    std::string remark() const;

private:
    struct recording;
    std::unique_ptr<recording> recording_;
};

/// Message that a window of core cycles begins after the end of the run, and by how much.
std::string beyond_the_end(const std::string& option, const std::string& file, std::uint64_t from,
                           std::uint64_t end);

/// Files written beside a waveform; those of enumerations only if they are recorded.
/// @param file  value of --vcd
std::vector<std::string> waveform_side_files(const std::string& file);

/// Returns the waveform that the options request, or nullptr. Call after the GPU has been built and
/// before the simulation starts.
std::unique_ptr<waveform_writer> attach_waveforms(gpu& device, const run_config& how);

}  // namespace simtlm::platform

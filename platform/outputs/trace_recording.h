// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/execution_recorder.h"
#include "platform/options/options.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::platform {

/// --record-trace: writes traces of the executed kernels and their command list to a folder.
class trace_recording {
public:
    /// Returns nullptr without --record-trace. @throws support::user_error  if the folder is not
    /// empty or cannot be created
    static std::unique_ptr<trace_recording> of(const option_values& values);

    /// The host has copied data to the device.
    void copied(std::uint64_t address, std::uint64_t bytes);
    /// Wraps a kernel: the result behaves like it and is recorded.
    /// @param binary_version  of the GPU
    std::shared_ptr<program::kernel_source> record(std::shared_ptr<program::kernel_source> kernel,
                                                   std::vector<program::instruction_window> code,
                                                   unsigned binary_version);
    /// The run has ended: writes the command list, with the kernels that have been recorded
    /// completely.
    /// @return number of kernels that have not been, because they have not ended
    /// @throws support::output_error  if a trace or the list could not be written; then there is no
    ///         list
    unsigned finish() const;

private:
    trace_recording(std::string folder, trace::trace_form form)
        : folder_(std::move(folder)), form_(form) {}

    std::string folder_;
    trace::trace_form form_;
    struct line {
        std::string text;
        std::string trace;  ///< path; empty: not a kernel
    };
    std::vector<line> list_;
    std::shared_ptr<trace::recording_log> log_ = std::make_shared<trace::recording_log>();
    unsigned kernels_ = 0;
};

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/kernel_trace.h"
#include "platform/sampling/kernel_traits.h"

#include <map>
#include <string>
#include <vector>

namespace simtlm::platform {

/// What the recorded kernels of a run execute, by reading as few of their instructions as possible:
/// kernels with the same header (name, grid, block, shared memory, registers) whose recordings are
/// of nearly the same size have the same traits, so that the thread blocks of one are read.
class trace_survey {
public:
    /// @param tolerance  the greatest relative difference of sizes that are nearly the same
    trace_survey(trace::reader_options options, double tolerance);

    /// @param header  traits_of_header(), if the header has been read; its name is empty otherwise
    /// @throws kernel::user_error  the file cannot be read
    const kernel_traits& of(const std::string& file, const kernel_traits& header);

    /// Files of which thread blocks were read.
    std::size_t files_read() const { return read_; }

private:
    /// A recording whose thread blocks were read.
    struct recording {
        kernel_traits header, whole;
        std::uint64_t bytes = 0;  ///< of its text; 0: not known
    };

    trace::reader_options options_;
    double tolerance_;
    std::map<std::string, kernel_traits> known_;             // by file
    std::map<std::string, std::vector<recording>> by_name_;  // of kernels
    std::size_t read_ = 0;
};

}  // namespace simtlm::platform

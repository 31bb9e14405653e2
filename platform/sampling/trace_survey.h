// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/kernel_trace.h"
#include "platform/sampling/kernel_traits.h"

#include <map>
#include <string>
#include <vector>

namespace simtlm::platform {

/// Traits of the traced kernels of a run, reading as few instructions as possible: kernels with the
/// same header (name, grid, block, shared memory, registers) and traces of similar size have the
/// same traits, so the thread blocks of only one are read.
class trace_survey {
public:
    /// @param tolerance  maximum relative difference of sizes that count as similar
    trace_survey(trace::reader_options options, double tolerance);

    /// Returns the traits of a traced kernel.
    /// @param header  traits_of_header() if the header has been read; otherwise its name is empty
    /// @throws support::user_error  if the file cannot be read
    const kernel_traits& of(const std::string& file, const kernel_traits& header);

    /// Number of files whose thread blocks were read.
    std::size_t files_read() const { return read_; }

private:
    /// A trace whose thread blocks were read.
    struct recording {
        kernel_traits header, whole;
        std::uint64_t bytes = 0;  ///< size of its text; 0: unknown
    };

    trace::reader_options options_;
    double tolerance_;
    std::map<std::string, kernel_traits> known_;             // by file
    std::map<std::string, std::vector<recording>> by_name_;  // by kernel name
    std::size_t read_ = 0;
};

}  // namespace simtlm::platform

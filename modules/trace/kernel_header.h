// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/kernel_trace.h"
#include "modules/trace/line_source.h"

#include <string>
#include <vector>

namespace simtlm::trace {

/// Reads the header lines of a kernel trace, up to and including the first line of the form
/// "#...".
/// @param warnings  values that are plainly corrupt but not needed to go on
/// @returns whether that line already was #BEGIN_TB
/// @throws kernel::user_error
bool read_kernel_header(line_source& source, kernel_header& header,
                        std::vector<std::string>& warnings);

/// With the quirks of the reference's reader, machine code that was recorded while it was executed
/// is read as if a tracer had recorded it on a GPU: what the header says of its code is forgotten.
/// @returns begun
bool apply_options(kernel_header& header, const reader_options& options, bool begun);

/// A kernel trace is read more than once, so that it can be no pipe. @throws kernel::user_error
void check_is_file(const std::string& file);

/// Reads the header of a kernel trace, text or binary. @throws kernel::user_error
kernel_header read_kernel_header(const std::string& file, std::vector<std::string>& warnings);

}  // namespace simtlm::trace

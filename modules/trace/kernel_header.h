// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/kernel_trace.h"
#include "modules/trace/line_source.h"

#include <string>
#include <vector>

namespace simtlm::trace {

/// Reads the header lines of a kernel trace, up to and including the first line that starts with
/// "#".
/// @param warnings  receives values that are clearly corrupt but not required
/// @returns whether that line is #BEGIN_TB
/// @throws support::user_error
bool read_kernel_header(line_source& source, kernel_header& header,
                        std::vector<std::string>& warnings);

/// With the quirks of GPGPU-Sim's trace reader, machine code recorded during execution is read as
/// if a tracer had recorded it on a GPU: the code in the header is discarded. Otherwise sets the
/// latencies in it that are those of the configuration.
/// @returns begun
bool apply_options(kernel_header& header, const reader_options& options, bool begun);

/// Checks that a file is not a pipe, because a kernel trace is read more than once. @throws
/// support::user_error
void check_is_file(const std::string& file);

/// Reads the header of a kernel trace in text or binary format. @throws support::user_error
kernel_header read_kernel_header(const std::string& file, std::vector<std::string>& warnings);

}  // namespace simtlm::trace

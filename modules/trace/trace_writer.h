// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace/recorded_trace.h"

#include <cstdint>
#include <functional>
#include <string>

namespace simtlm::trace {

/// Statistics of a written trace.
struct written_trace {
    std::uint64_t blocks = 0;
    std::uint64_t instructions = 0;  ///< executions by warps
    std::uint64_t bytes = 0;
};

/// Writes a trace in binary format; the file appears under its name when it is complete.
/// @throws support::user_error for an error in either file
written_trace write_binary_trace(recorded_trace& trace, const std::string& file);

/// Writes a trace as text, in the tracer's format.
/// @param write  receives the text in portions
/// @throws support::user_error
void write_text_trace(recorded_trace& trace, const std::function<void(const std::string&)>& write);

}  // namespace simtlm::trace

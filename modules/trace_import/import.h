// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/opcode_tables.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::trace_import {

struct import_options {
    /// Classes of opcodes; nullptr: the built-in tables.
    std::shared_ptr<const isa::opcode_tables> opcodes;
    unsigned jobs = 1;  ///< kernels that are converted in parallel
    /// The device whose kernels are converted; none: the only one.
    std::optional<std::int64_t> device;
};

/// What an import has written.
struct import_result {
    std::string list;  ///< the command list
    std::uint64_t kernels = 0, blocks = 0, instructions = 0;
    std::vector<std::string> warnings;
};

/// Converts a trace of the tracer of Huerta et al. (MICRO 2025), whose main file is
/// dynamic_trace.pb, to kernel traces in text and a command list. Kernels whose machine code is in
/// the trace are written with their code, like kernels that simtlm records during execution, so
/// that the sub-core pipeline obeys their control bits; others as lines of Accel-Sim's tracer, with
/// a warning. Kernels are ordered by their numbers, which count the launches on the device; a copy
/// precedes the next kernel of its stream. After an error the folder contains no list.
/// @param from    the folder of the trace, or its dynamic_trace.pb
/// @param folder  is created if necessary; must be empty
/// @throws support::user_error  if a file is missing or damaged, or an instruction is unknown
/// @throws support::output_error  if a file cannot be written
import_result import_protobuf_trace(const std::string& from, const std::string& folder,
                                    const import_options& options);

}  // namespace simtlm::trace_import

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/trace_import/described_code.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace simtlm::trace_import {

namespace messages {
class kernel_launch;
}

/// What the conversion of a kernel has written.
struct imported_kernel {
    std::uint64_t blocks = 0, instructions = 0;
    std::set<std::string> warnings;
};

/// The file of the thread block at a position of the grid.
using block_file = std::function<std::string(std::uint32_t x, std::uint32_t y, std::uint32_t z)>;

/// Writes a kernel of a protobuf trace as a text trace: with its code if all functions that it
/// executes have machine code, otherwise as Accel-Sim's tracer would.
/// @param stream      of the launch
/// @param trace_file  contains the launch, for messages
/// @param to          output, which appears when it is complete
/// @throws support::user_error  if a thread block is missing or damaged, or an executed instruction
///                             is unknown
imported_kernel import_kernel(const described_code& code, const messages::kernel_launch& launch,
                              std::uint64_t stream, const block_file& block_of,
                              const std::string& trace_file, const std::string& to);

}  // namespace simtlm::trace_import

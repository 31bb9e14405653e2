// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/generic_windows.h"
#include "modules/program/kernel_source.h"

#include <string>

// Instruction lines of kernels recorded during execution. Values without a column of their own are
// appended to the opcode: "ld.u32@shared", "bar.sync@1,64".
namespace simtlm::trace {

/// The suffix of an execution; empty in most cases.
std::string suffix_of(const program::static_instruction& info,
                      const program::issue_effects& effects);

/// Sets the effects given by the suffix of an opcode, or by its absence.
/// @param opcode  of the instruction line
void read_suffix(const char* opcode, const program::static_instruction& info,
                 program::issue_effects& effects);

/// Format of machine code: as written by Accel-Sim's tracer on a GPU.
struct traced_form {
    unsigned version = 5;  ///< of the tracer: 5 or 6
    /// Start of the generic address windows of shared and of local memory.
    std::uint64_t shared_window = program::generic_windows::shared;
    std::uint64_t local_window = program::generic_windows::local;
};

/// Appends the line of an executed machine instruction; of a texture fetch, one per texel address
/// of a lane. @return number of lines
unsigned append_traced_lines(std::string& text, const program::static_instruction& info,
                             const program::issue_effects& effects,
                             const program::lane_addresses& addresses, const traced_form& form);

/// Appends the lines of an execution: one, or one per word of its lanes.
/// @returns the number of lines
unsigned append_lines(std::string& text, const program::static_instruction& info,
                      const program::issue_effects& effects,
                      const program::lane_addresses& addresses);

}  // namespace simtlm::trace

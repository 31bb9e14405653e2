// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/generic_windows.h"
#include "modules/program/kernel_source.h"

#include <string>

// Instruction lines of kernels that were recorded while they were executed. What depends on values
// and has no column of its own stands behind the opcode: "ld.u32@shared", "bar.sync@1,64".
namespace simtlm::trace {

/// The suffix of an execution; empty for most.
std::string suffix_of(const program::static_instruction& info,
                      const program::issue_effects& effects);

/// Fills in what a suffix tells, or what follows from its absence.
/// @param opcode  of the instruction line
void read_suffix(const char* opcode, const program::static_instruction& info,
                 program::issue_effects& effects);

/// How machine code is written: as the tracer of Accel-Sim writes what it sees on a GPU.
struct traced_form {
    unsigned version = 5;  ///< of the tracer: 5 or 6
    /// Where generic addresses of shared and of local memory begin.
    std::uint64_t shared_window = program::generic_windows::shared;
    std::uint64_t local_window = program::generic_windows::local;
};

/// Appends the line of an executed machine instruction.
void append_traced_line(std::string& text, const program::static_instruction& info,
                        const program::issue_effects& effects,
                        const program::lane_addresses& addresses, const traced_form& form);

/// Appends the lines of an execution: one, or one for each word of its lanes.
/// @returns how many
unsigned append_lines(std::string& text, const program::static_instruction& info,
                      const program::issue_effects& effects,
                      const program::lane_addresses& addresses);

}  // namespace simtlm::trace

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"
#include "modules/trace/instruction_line.h"
#include "modules/trace/kernel_trace.h"
#include "modules/trace/place.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

// Checks for executions that are impossible on a GPU and that no tracer can have recorded: the file
// is damaged or was edited manually. Disabled by --no-validate. Most checks run once per static
// instruction or once per warp; those of addresses once per memory access.
namespace simtlm::trace {

/// Rules for an opcode.
struct opcode_rules {
    bool needs_addresses = false;     ///< a plain load, store, atomic or reduction
    bool may_leave_function = false;  ///< calls, returns, indirect branches
};
/// The rules for a SASS opcode.
opcode_rules rules_of(std::string_view opcode);

/// Checks the program counter and the registers of an instruction.
/// @param calls_seen  callees may use more registers than the kernel itself
/// @throws support::user_error
void validate_instruction(const kernel_header& header, std::uint64_t pc,
                          const line_operands& operands, bool calls_seen, const place& where);

/// Checks that two opcodes do not have the same program counter. An EXIT may replace any
/// instruction, as in shortened traces. @throws support::user_error
void validate_same_opcode(std::string_view known, std::string_view fresh, std::uint64_t pc,
                          const place& where);

/// Checks that a lane accesses a power of two of bytes. @throws support::user_error
void validate_width(std::uint64_t width, const place& where);

/// Checks the addresses of an access: multiples of its width that do not wrap around at 2^64.
/// @param width   bytes per lane
/// @param values  in the format of scan_addresses()
/// @throws support::user_error
void validate_addresses(recorded_mode mode, std::uint32_t mask, std::uint64_t width,
                        const std::uint64_t* values, std::size_t count, const place& where);

/// Checks a whole warp: its last instruction exits the kernel, and no lane is active that the
/// thread block does not have. A full mask is also accepted for partly filled warps, because trace
/// generators write it. @pre count > 0 @throws support::user_error
void validate_warp(const kernel_header& header, unsigned warp,
                   const program::dynamic_instruction* first, std::size_t count,
                   const place& where);

}  // namespace simtlm::trace

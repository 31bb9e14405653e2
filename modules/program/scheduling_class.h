// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <cstdint>
#include <string_view>

namespace simtlm::program {

/// The scheduling class of an instruction, determined by its opcode in machine code or PTX, or by
/// its op_class if the opcode is unknown.
scheduling_class scheduling_class_of(const static_instruction& inst);

/// The same for an opcode. @param otherwise  result for unknown opcodes
scheduling_class scheduling_class_of(std::string_view opcode, scheduling_class otherwise);

}  // namespace simtlm::program

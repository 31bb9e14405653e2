// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <cstdint>
#include <string_view>

namespace simtlm::program {

/// The class of an instruction, by its opcode as machine code or PTX writes it, and where the
/// opcode tells nothing, by its class in the simulator.
scheduling_class scheduling_class_of(const static_instruction& inst);

/// The same of an opcode alone. @param otherwise  of opcodes that are not known
scheduling_class scheduling_class_of(std::string_view opcode, scheduling_class otherwise);

}  // namespace simtlm::program

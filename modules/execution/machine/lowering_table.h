// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/opcode.h"
#include "modules/sass/instruction.h"

namespace simtlm::execution {

class machine_lowering;

/// Emits the operations of an instruction of machine code (machine_lowering::now()).
/// @return false if the instruction, with its modifiers and operands, is not supported
using lowering_function = bool (*)(machine_lowering& l);

#define SIMTLM_OPCODE(name, units, scheduling, lowering) bool lower_##lowering(machine_lowering& l);
#include "modules/isa/opcodes.def"

/// ATOMS.ARRIVE and ARRIVES on sm_80 to sm_89.
/// @param result  whether the first operand receives the state before
bool lower_early_arrival(machine_lowering& l, const sass::operand& address, bool result);

/// The function that lowers an opcode, as opcodes.def names it.
lowering_function lowering_of(isa::opcode o);

}  // namespace simtlm::execution

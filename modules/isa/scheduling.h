// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"
#include "modules/ptx/operation.h"

#include <string_view>

namespace simtlm::isa {

/// The scheduling class of an instruction of PTX (modules/ptx/opcodes.def).
program::scheduling_class scheduling_class_of(const ptx::operation& o);

/// The scheduling class of a mnemonic of machine code (opcodes.def) or PTX.
/// @param otherwise  result for unknown opcodes
program::scheduling_class scheduling_class_of(std::string_view mnemonic,
                                              program::scheduling_class otherwise);

/// Sets the scheduling class of an instruction, from its opcode, or from its op_class if the opcode
/// is unknown.
void set_scheduling_class(program::static_instruction& inst);

/// Sets what the timing of an instruction depends on besides its class: scheduling class, shape of
/// a matrix product, kind of a fence. To be called when its opcode and its class are set.
void set_opcode_properties(program::static_instruction& inst);
/// The same for an instruction of PTX whose operation is known.
void set_opcode_properties(program::static_instruction& inst, const ptx::operation& o);

}  // namespace simtlm::isa

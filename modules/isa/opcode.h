// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtlm::isa {

/// Opcodes of machine code: the part of a mnemonic before the first dot.
enum class opcode : std::uint16_t {
    unknown,
#define SIMTLM_OPCODE(name, units, scheduling, lowering) name,
#include "modules/isa/opcodes.def"
};

/// Number of enumerators of opcode, including unknown.
inline constexpr std::size_t opcode_count = [] {
    std::size_t count = 1;
#define SIMTLM_OPCODE(name, units, scheduling, lowering) ++count;
#include "modules/isa/opcodes.def"
    return count;
}();

/// How the scheduling class of an instruction follows from its opcode: one class, or one of two,
/// depending on modifiers.
enum class scheduling_rule : std::uint8_t {
    alu,
    alu64,
    fp32,
    imad,
    imad_or_wide,  ///< imad_wide with .WIDE and .HI, otherwise imad
    half,
    uniform,
    fp64,
    mma,
    xu,
    xu_or_xu64,  ///< xu64 with a 64-bit type, otherwise xu
    special,
    branch,
    barrier,
    memory,
    shuffle,
};

/// What is known of an opcode of machine code (opcodes.def).
struct opcode_record {
    std::string_view name;
    std::string_view units;  ///< "ARCHITECTURE[,...] CLASS [ATTRIBUTE...]; ..."
    scheduling_rule scheduling;
};

/// The record of an opcode. @pre it is not unknown
const opcode_record& record_of(opcode o);

/// The name of an opcode: "LDG"; "UNKNOWN" for opcode::unknown.
std::string_view name_of(opcode o);

/// The opcode of this name, or opcode::unknown.
opcode opcode_named(std::string_view name);

/// The scheduling class of an instruction of machine code.
/// @param mnemonic  the opcode with its modifiers
program::scheduling_class scheduling_class_of(opcode o, std::string_view mnemonic);

}  // namespace simtlm::isa

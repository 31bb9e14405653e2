// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace simtlm::ptx {

/// Opcode of an instruction. `later` represents instructions of sm_90 and later that are not
/// supported (multimem, …): they are parsed with unchecked operands, and executing one is an error
/// that names the text of its operation.
enum class opcode : std::uint16_t {
#define SIMTLM_PTX_OPCODE(name, text, scheduling, order, lowering) name,
#include "modules/ptx/opcodes.def"
    later
};

/// How the scheduling class of an instruction (program::scheduling_class) follows from its opcode:
/// one class, or one of several, depending on types and modifiers.
enum class scheduling_rule : std::uint8_t {
    alu,
    imad,
    mma,
    xu,
    special,
    branch,
    barrier,
    memory,
    shuffle,
    add,          ///< fp64, fp32 or half by type, otherwise alu
    multiply,     ///< fp64, fp32 or half by type, otherwise imad_wide with .wide and .hi, or imad
    compare,      ///< fp64 or half by type, otherwise alu
    alu_or_fp64,  ///< fp64 with f64, otherwise alu
    xu_or_fp64,   ///< fp64 with f64, otherwise xu
    convert,      ///< xu64 between a 64-bit and a floating-point type, otherwise xu
};

/// What an instruction may be moved past (instruction_scheduler.h).
enum class memory_order : std::uint8_t {
    none,   ///< all except fences
    load,   ///< loads; stores to other memory
    store,  ///< accesses of other memory
    fence,  ///< nothing
};

/// What is known of an opcode of PTX (opcodes.def).
struct opcode_record {
    std::string_view name;
    scheduling_rule scheduling;
    memory_order order;  ///< of a load or store without .volatile, .acquire and their like
};

/// The record of an opcode.
const opcode_record& record_of(opcode o);

/// PTX name, e.g. "mbarrier.init"; "later" for unsupported opcodes.
std::string_view name_of(opcode o);

}  // namespace simtlm::ptx

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/opcode_tables.h"
#include "modules/program/instruction.h"

#include <cstdint>
#include <string_view>

namespace simtlm::isa {

inline constexpr unsigned max_destinations = 4;
inline constexpr unsigned max_sources = 8;
inline constexpr std::uint8_t recorded_zero = 255;  ///< RZ

/// The static part of an instruction in a trace line. Registers are the vector registers in the
/// order of the line; uniform registers and predicates are excluded, because neither the tracer nor
/// Accel-Sim considers dependences through them.
struct instruction_text {
    std::uint64_t pc = 0;
    const char* opcode = "";  ///< stored in the result; must outlive it
    std::uint32_t source_line = 0;
    unsigned n_dst = 0;  ///< at most max_destinations; a recorded line has 0 or 1
    unsigned n_src = 0;  ///< at most max_sources; a recorded line has 0 to 4
    std::uint8_t dst[max_destinations] = {};
    std::uint8_t src[max_sources] = {};
    unsigned n_immediates = 0;  ///< number in the line: 0 before tracer version 5
    std::int64_t immediates[2] = {};
};

/// Behaviour of Accel-Sim that differs (docs/fidelity-accel-sim.md).
struct decode_quirks {
    bool rz_is_a_register = false;     ///< RZ has dependences and bank conflicts
    bool single_barrier = false;       ///< every BAR is a sync of barrier 0 for the whole CTA
    bool ldc_is_alu = false;           ///< LDC is an ALU operation without memory access
    bool typed_width_is_word = false;  ///< .S8, .S16, .F64 … do not determine the access width
    bool ldgsts_uses_l1 = false;       ///< LDGSTS.BYPASS reads through the L1D
};

/// Parameters of decode().
struct decode_options {
    program::latency_table latencies;
    decode_quirks quirks;
};

/// The base of an opcode: "LDG" of "LDG.E.64.SYS".
constexpr std::string_view base_opcode(std::string_view opcode) {
    return opcode.substr(0, opcode.find('.'));
}

/// Whether `token` is one of the dot-separated parts of the opcode.
bool has_modifier(std::string_view opcode, std::string_view token);

/// Access width in bytes per lane: the first modifier that is a number of bits, plain or with a
/// type letter (.64, .U8, .S16, .F64); 4 if there is none.
/// @param typed  whether letters other than U are considered
unsigned access_width(std::string_view opcode, bool typed);

/// Decodes an instruction; done once for all its executions.
program::static_instruction decode(const opcode_entry& entry, const instruction_text& text,
                                   const decode_options& options);

}  // namespace simtlm::isa

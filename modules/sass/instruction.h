// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/isa/opcode.h"
#include "modules/sass/modifier.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace simtlm::sass {

/// A 128-bit machine instruction as stored in a cubin: little-endian, low double word first.
struct instruction_word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    /// Bits [first, first + count), count <= 64.
    std::uint64_t bits(unsigned first, unsigned count) const {
        std::uint64_t v = first >= 64 ? high >> (first - 64) : low >> first;
        if (first < 64 && first + count > 64) v |= high << (64 - first);
        return count >= 64 ? v : v & ((std::uint64_t{1} << count) - 1);
    }
    bool bit(unsigned n) const { return bits(n, 1) != 0; }
    /// Bits [first, first + count) as a two's complement number.
    std::int64_t signed_bits(unsigned first, unsigned count) const {
        const unsigned up = 64 - count;
        return static_cast<std::int64_t>(bits(first, count) << up) >> up;
    }
    /// Bits 105 to 125: the control bits.
    std::uint32_t control_field() const { return static_cast<std::uint32_t>(bits(105, 21)); }
};

/// Size of an instruction in bytes.
constexpr std::uint64_t instruction_bytes = 16;

constexpr std::uint8_t register_rz = 255;   ///< RZ: reads as zero, writes are ignored
constexpr std::uint8_t uniform_urz = 255;   ///< URZ, whose field is 63 before sm_100
constexpr std::uint8_t predicate_true = 7;  ///< PT, UPT

/// The first architecture whose uniform registers have eight bits, and whose launch data are at
/// other places of constant bank 0.
constexpr unsigned blackwell = 100;

/// Scheduling information in bits 105 to 125 of an instruction.
struct control_bits {
    std::uint8_t stall = 0;          ///< cycles before the next instruction may issue
    bool yield = false;              ///< the encoded bit: 0 requests a switch to another warp
    std::uint8_t write_barrier = 7;  ///< scoreboard set when the result is written; 7: none
    std::uint8_t read_barrier = 7;   ///< scoreboard set when the operands are read; 7: none
    std::uint8_t wait_mask = 0;      ///< scoreboards to wait for, one bit each
    std::uint8_t reuse = 0;          ///< operand reuse cache: bit 0 operand A, 1 B, 2 C

    static control_bits of(const instruction_word& w);
};

enum class operand_kind : std::uint8_t {
    none,
    reg,                     ///< R0..R254, RZ
    uniform_reg,             ///< UR0..UR62, URZ
    predicate,               ///< P0..P6, PT
    uniform_predicate,       ///< UP0..UP6, UPT
    predicates,              ///< PR: all predicates
    uniform_predicates,      ///< UPR
    integer,                 ///< 32-bit immediate, or a small field
    float32,                 ///< immediate; `value` holds its bits
    float64,                 ///< immediate; `value` holds bits 63:32 of it
    half,                    ///< immediate; the low half of `value`
    half2,                   ///< immediate; `value` holds two halves, the low one first
    constant,                ///< c[bank][offset], c[bank][R+offset], cx[UR][offset]
    address,                 ///< [R+UR+offset], with or without a descriptor
    special_register,        ///< source of S2R
    convergence_barrier,     ///< B0..B15, or a field of the thread state
    scoreboard,              ///< SB0..SB5
    scoreboards,             ///< {5,3}: a mask
    target,                  ///< a code address: absolute, `value`
    relative_register,       ///< R + code address: RET, BRX, CALL through a register
    text,                    ///< a keyword; `suffix` holds it
    cache_descriptor,        ///< desc[UR]: a cache policy
    signs,                   ///< of both sources for the lanes of a quad: two bits each
    matrix_descriptors,      ///< gdesc[UR] of a warpgroup product; `suffix`: its modifiers
    tensor_address,          ///< tmem[UR+offset]: an address of tensor memory
    instruction_descriptor,  ///< idesc[UR]
};

/// An operand of a decoded instruction.
struct operand {
    operand_kind kind = operand_kind::none;
    std::uint8_t index = 0;              ///< register, predicate, scoreboard, barrier
    std::uint8_t bank = 0;               ///< of a constant
    bool negate = false;                 ///< -x
    bool absolute = false;               ///< |x|
    bool invert = false;                 ///< ~x
    bool negate_predicate = false;       ///< !p
    bool suffix_inside = false;          ///< the suffix precedes the second '|'
    bool reuse = false;                  ///< .reuse
    bool is_signed = false;              ///< an integer that is printed with its sign
    bool shows_zero = false;             ///< the register of an address is printed even if it is RZ
    bool wide_address = false;           ///< the register of an address is a pair (.64)
    bool spaced = false;                 ///< nvdisasm separates bank and offset of this constant
    std::uint8_t base = register_rz;     ///< address: general register; constant: index register
    std::uint8_t uniform = uniform_urz;  ///< address: uniform register; cx[]: the handle
    bool has_base = false, has_uniform = false;
    bool uniform_base = false;              ///< the index register of a constant is a uniform one
    std::uint8_t descriptor = uniform_urz;  ///< desc[UR]
    bool has_descriptor = false;
    std::uint64_t value = 0;  ///< immediate, offset (sign-extended), target
    std::string_view suffix;  ///< ".H0_H0", ".X4", ".B1", a special register's name; or empty

    std::int64_t signed_value() const { return static_cast<std::int64_t>(value); }
};

class encoding_form;

/// A decoded instruction. Its strings have static lifetime.
struct instruction {
    static constexpr unsigned max_operands = 10;
    static constexpr unsigned max_modifiers = 14;

    const encoding_form* form = nullptr;
    isa::opcode opcode = isa::opcode::unknown;
    std::uint64_t address = 0;  ///< of the instruction, in its section
    instruction_word word;
    std::uint8_t guard = predicate_true;
    bool guard_negated = false;
    bool guard_uniform = false;        ///< @UPn
    std::uint8_t counter_trigger = 0;  ///< bits 103:102: "?PM1", for performance counters
    std::uint8_t operand_count = 0;
    std::uint8_t modifier_count = 0;
    std::array<named_modifier, max_modifiers> modifiers;  ///< in print order
    std::array<operand, max_operands> operands;

    static constexpr std::uint8_t no_field = 0xff;
    /// By modifier: the field of the form that it is a value of, or no_field.
    std::array<std::uint8_t, max_modifiers> field_of{};

    bool has(modifier m) const {
        for (unsigned i = 0; i < modifier_count; ++i)
            if (modifiers[i] == m) return true;
        return false;
    }
    control_bits control() const { return control_bits::of(word); }
};

}  // namespace simtlm::sass

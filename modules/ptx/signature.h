// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/operation.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::ptx {

// The instruction set is a table: signature_table.cpp has a row per form of an instruction, with
// its modifiers and operands, in a compact notation.
//
// Modifiers: groups separated by dots, as in PTX. `?` before a group: optional. `a|b`: one of these
// words. `$group`: one word of a named group (see vocabulary.cpp), `$group:a|b`: one of these words
// of the group. Type words are matched in order, others in any order, like in NVIDIA's assembler.
//
// Operands: separated by blanks, each at a fixed position in `instruction`:
//   T U V X        the first, second, third, fourth type of the operation;  W: twice as wide as T
//   u32 pred …     this type
//   =…             written;  ?… optional;  !… may be negated
//   |…             joined to the previous operand by a bar; optional ("p|q")
//   &…             present if the operation combines (.and of setp, .add of vadd), otherwise not,
//                  or optional (&?)
//   ~…             a register may be wider than the type (ld, st, cvt)
//   *…             a vector if the operation has .v2 .v4 .v8
//   {n}…           a vector of n; {} of the length implied by the operation (matrix fragments)
//   ^…             may have a byte or half-word selector (video instructions);  -… may be negated
//   imm            a constant;  label: a branch target
//   []             an address;  [t]: texture, sampler, coordinates (three operands);
//   [s]            surface, coordinates (two operands)
//   mov            source or destination of mov: any operand that fits the type
//   vec            coordinate offsets of tex: a vector, or an integer
//   policy         the last operand, required by .L2::cache_hint
//   none           no operand: keeps the positions of an opcode's forms equal
//   any            not checked

/// Rule for one operand of a signature.
struct operand_rule {
    /// Kind of operand.
    enum class form : std::uint8_t {
        value,  ///< register, constant or special register of `of`
        immediate,
        label,
        targets,  ///< .branchtargets
        address,
        texture,  ///< [t, {c}] or [t, s, {c}]: three operands
        surface,  ///< [s, {c}]: two operands
        mov,
        offsets,  ///< of texture coordinates
        policy,   ///< present if the operation has .L2::cache_hint
        absent,   ///< never present: keeps positions equal
        any,
    };
    enum class source : std::uint8_t { fixed, first, second, third, fourth, doubled };
    enum class matrix : std::uint8_t { no, loaded, d, a, b, c };

    form what = form::value;
    source from = source::fixed;
    type of = type::none;  ///< if `from` is fixed
    bool written = false;
    bool optional = false;
    bool may_negate = false;  ///< `!` before a predicate
    bool may_minus = false;   ///< `-` before a register
    bool joined = false;
    bool combines = false;
    bool relaxed = false;
    bool per_vector = false;
    bool may_select = false;
    matrix fragment = matrix::no;
    std::uint8_t elements = 0;  ///< of a vector; 0: a scalar

    /// Number of positions in the instruction that the operand occupies.
    unsigned positions() const { return what == form::texture ? 3 : what == form::surface ? 2 : 1; }
};

/// Rows as written; see above.
struct signature_row {
    opcode op;
    std::string_view modifiers;
    std::string_view operands;
};
/// A range of rows.
struct signature_rows {
    const signature_row* begin;
    const signature_row* end;
};
/// The table.
signature_rows signature_table();

/// A word that modifies an instruction, and the field of `operation` that it sets.
struct word {
    /// A field of `operation`, or its flags.
    enum class field : std::uint8_t {
        nothing,
        type,
        flag,
        round,
        compare,
        part,
        reduce,
        space,
        source_space,
        cache,
        evict_l1,
        evict_l2,
        order,
        visible_to,
        vector,
        variant,
        texture,
        surface_bounds,
        part_of,
        layout_a,
        layout_b,
        shape,
        count,
    };
    std::string_view group;  ///< empty: words without a group
    std::string_view text;
    field goes_to = field::nothing;
    std::uint8_t value = 0;
    std::uint8_t extra = 0;  ///< of a space: its window
};

/// The words of a group, or all words without a group.
const std::vector<const word*>& words_of(std::string_view group);
/// The word of a group, or nullptr.
const word* find_word(std::string_view group, std::string_view text);

/// A parsed row of the table.
struct signature {
    /// Alternative words at a position of an opcode.
    struct modifier_group {
        bool optional = false;
        bool types = false;  ///< of types, which are matched in order
        std::vector<const word*> choices;
    };
    const signature_row* row = nullptr;
    std::string_view base;  ///< the first word of the name
    std::vector<modifier_group> modifier_groups;
    std::vector<operand_rule> rules;
};

/// All rows.
const std::vector<signature>& signatures();

/// Whether an opcode is only in architectures after sm_80, according to its first words or to words
/// that only these have.
bool is_later(std::string_view opcode_text);

/// Resolves a full opcode ("ld.global.v4.f32").
/// @param fault  if nothing matches, set to the error and what was expected
/// @returns whether it was resolved
bool resolve_operation(std::string_view text, operation& out, std::string& fault);

/// The opcode with the longest name at the beginning of a text, which may lack modifiers;
/// opcode::later if there is none.
opcode opcode_at_beginning(std::string_view text);

/// Number of registers (32-bit, or 64-bit for f64) that hold a fragment of a matrix operation; 0 if
/// the shape and type do not exist.
/// @param position  0 to 3: d, a, b, c of mma and wmma.mma
unsigned fragment_registers(const operation& o, unsigned position);

/// Number of registers of tcgen05.ld and tcgen05.st.
unsigned tensor_memory_registers(const operation& o);

}  // namespace simtlm::ptx

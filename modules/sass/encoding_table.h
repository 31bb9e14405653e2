// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/instruction.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::sass {

/// A modifier of a form: the names in the mnemonic for the values of some bits.
struct encoding_field {
    struct range {
        std::uint8_t first = 0, count = 0;
    };
    std::vector<range> bits;  ///< low bits first; none: always present
    /// Names of each value: none, if nothing is printed; an empty one, if the value is invalid.
    std::vector<std::vector<named_modifier>> names;
    std::bitset<modifier_count> modifiers;  ///< its names, of all values
    std::uint64_t value(const instruction_word& w) const;
    /// Whether all instructions of the form have its names.
    bool is_constant() const { return bits.empty(); }
};

/// Encoding of an operand in a form; see encodings.cpp.
struct encoding_operand {
    enum class what : std::uint8_t {
        reg,
        predicate,
        low_predicate,
        source_q,
        source_b,
        source_c,
        source_d,
        source_wide,
        long_number,
        number,
        signed_number,
        predicates,
        lut_split,
        mov_mask,
        special_register,
        barrier,
        barrier_register,
        scoreboard,
        scoreboard_mask,
        target,
        target_short,
        absolute_target,
        register_target,
        memory,
        shared_memory,
        descriptor_memory,
        copy_destination,
        copy_source,
        constant_indexed,
        constant_direct,
        shuffle_lane,
        shuffle_mask,
        signs,
        bar_operands,
        b2r_operands,
        geometry,
        texture_query,
        base_address,
        pair_address,
        block_address,
        split_uniform,
        undescribed,
        uniform_address,
        cache_descriptor,
        matrix_descriptors,
        tensor_address,
        tensor_matrix,
        instruction_descriptor,
        group_scoreboard,
        saved_counter,
        exit_counter,
    };
    what kind = what::reg;
    std::uint8_t bit = 0;    ///< first bit of the field
    std::uint8_t width = 0;  ///< of numbers
    std::uint8_t bit2 = 0, bit3 = 0, bit4 = 0, bit5 = 0;
    ///< for addresses: uniform register, offset, mode, width
    bool uniform = false;  ///< a register or predicate of the uniform datapath
    bool may_negate_predicate = false;
    bool negates = false, absolutes = false, inverts = false, inverts_with_x = false;
    std::uint8_t invert_bit = 0;   ///< 0: the usual bit of a source
    std::uint8_t half_bit = 0;     ///< first of the bits that select halves; 0: the usual ones
    std::uint8_t swizzle_bit = 0;  ///< first of the bits that select words of a pair; 0: none
    char immediate = 'u';
    bool selects_halves = false, selects_byte = false, zero_omitted = false;
    bool omitted_if_true = false;   ///< omitted in print if PT
    bool selects_part = false;      ///< selects a byte or half of the source, depending on its type
    bool selects_half = false;      ///< F16: bit 60 selects the high half
    bool has_kept_bits = false;     ///< bits 73:72: number of its bits that are kept
    bool selects_word = false;      ///< bit 88 selects the high half
    bool selects_any_byte = false;  ///< bits 72 and 88 select a byte
    bool has_layout = false;        ///< a matrix; bit 73 of A, 74 of B: row-major or column-major
    bool has_fixed_layout = false;  ///< a matrix; A is row-major and B column-major
    bool selects_more_halves = false;  ///< bit 86 is the third bit of the selection of halves
    bool is_packed = false;            ///< has the modifiers of a packed source, but no halves
    bool is_not_reused = false;        ///< has no slot in the reuse cache
    bool is_second = false;            ///< has the slot of the second source
    bool is_metadata = false;          ///< metadata of a sparse matrix; bit 50: .reuse
    bool takes_sign = false;           ///< uses only the highest bit of the register
    bool may_be_uniform = false;       ///< a predicate; the bit before its negation selects UP
    bool counts_down = false;          ///< a predicate encoded in reverse order: 0 is PT
    modifier needs = modifier::other, needs_not = modifier::other;  ///< other: none
    modifier shown_with = modifier::other;
};

/// A form: one encoding of an instruction, for some architectures.
class encoding_form {
public:
    isa::opcode opcode = isa::opcode::unknown;
    struct condition {
        std::uint8_t first, count;
        std::uint64_t value;
        bool differs;  ///< the bits must have another value
    };
    std::vector<condition> conditions;  ///< distinguish forms with the same key
    unsigned first_architecture = 0, last_architecture = ~0u;
    bool uniform = false;
    bool variable_latency = false;  ///< operands are not kept for reuse
    bool no_write_barrier = false;  ///< does not release a scoreboard when it has written
    bool no_read_barrier = false;   ///< does not release a scoreboard when it has read
    std::vector<encoding_field> fields;
    std::vector<encoding_operand> operands;
};

/// The encodings of all architectures, by opcode.
class encoding_table {
public:
    /// The built-in encodings, built on the first call.
    static const encoding_table& builtin();
    /// @throws support::user_error  a line of the text is malformed
    explicit encoding_table(std::string_view text, const std::string& origin);

    /// Finds the form of a word; nullptr if the architecture has no known instruction with this
    /// encoding.
    /// @param architecture  80 for sm_80
    const encoding_form* find(const instruction_word& word, unsigned architecture) const;
    const std::vector<std::unique_ptr<encoding_form>>& forms() const { return forms_; }
    /// Keys (bits 11:0, and bit 91 as bit 12) of a form.
    std::vector<unsigned> keys_of(const encoding_form& form) const;

private:
    static constexpr unsigned keys = 1u << 13;

    std::string text_;  ///< storage of the names
    std::vector<std::unique_ptr<encoding_form>> forms_;
    std::array<std::vector<const encoding_form*>, keys> by_key_;
};

}  // namespace simtlm::sass

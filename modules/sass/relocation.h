// SPDX-License-Identifier: Apache-2.0
// Types of relocations in cubins (R_CUDA_*).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace simtlm::sass {

/// Types of relocations of instructions, and of special words in constant bank 0. The numbers of
/// bits are those of an instruction of 128 bits.
enum relocation : std::uint32_t {
    relocation_texture = 6,        ///< constant bank 0: handle of a texture reference, 4 bytes
    relocation_surface = 52,       ///< likewise, of a surface reference
    relocation_word = 55,          ///< bits 63:32: an offset, or a size of the driver's tables
    relocation_low = 56,           ///< bits 63:32: the low half of an address
    relocation_high = 57,          ///< likewise, the high half
    relocation_call = 58,          ///< target of an absolute call, before sm_90
    relocation_half = 59,          ///< bits 47:32: an offset
    relocation_function_low = 62,  ///< halves of the address of a kernel, uniform datapath
    relocation_function_high = 63,
    relocation_constant_word = 64,  ///< an operand in a constant bank
    relocation_constant_byte = 66,  ///< likewise, of LDC and ULDC
    relocation_yield = 68,          ///< of YIELD: an alternative opcode
    relocation_yield_clear = 69,
    relocation_shared = 74,             ///< bits 63:40: an offset
    relocation_call_90 = 75,            ///< target of an absolute call, since sm_90
    relocation_copied = 100,            ///< bits 63:44: an offset in shared memory, of LDGSTS
    relocation_table = 114,             ///< offset of the unified function table
    relocation_constant_uniform = 115,  ///< an operand in a constant bank, of LDCU
};

/// The part of a value that a relocation of data stores.
struct data_field {
    unsigned shift = 0;    ///< first bit of the value
    unsigned bytes = 8;    ///< bytes in memory
    bool generic = false;  ///< the generic address of a variable instead of that in its space

    /// The addend in the data, of a relocation without an own one.
    std::uint64_t addend_at(const char* data) const;
    void store(std::uint64_t value, char* data) const;
};
/// The field of a type of relocation of data: words, double words, and single bytes of addresses
/// that are not aligned. nullopt: not a relocation of data, or an unknown one.
std::optional<data_field> data_field_of(std::uint32_t type);

/// Number of a type of relocation, and its name if it is known: "84 (R_CUDA_G8_0)".
std::string relocation_name(std::uint32_t type);

}  // namespace simtlm::sass

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/device_memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace simtlm::execution {

/// A tensor in global memory and the box that a bulk tensor copy moves: the contents of the 128
/// bytes of a CUtensorMap (CUDA driver API, "Tensor Map Object Management"; PTX manual, "Tensors").
/// Their layout is opaque to PTX, but machine code replaces fields directly (as seen in ptxas
/// output for tensormap.replace): address at 0; at 8 a word with rank - 1 (bits 6:4), type (10:7),
/// interleaving, swizzle (14:13), fill (15) and the atoms of the swizzle (21:19); strides / 16 from
/// 0x0c with their upper four bits at 0x1c; sizes - 1 from 0x20; element strides - 1 in three bits
/// each at 0x34; box sizes - 1 in bytes from 0x37. The upper half has a signature of this
/// implementation, the access mode and the fields of im2col modes, whose position is not known.
/// Interleaving is not supported.
struct tensor_map {
    static constexpr std::size_t bytes = 128;  ///< in memory
    static constexpr unsigned max_dimensions = 5;
    /// Dimensions of the bounding box in im2col mode: all except channels and images.
    static constexpr unsigned max_spatial = max_dimensions - 2;

    /// Element types, numbered like CUtensorMapDataType.
    enum class element : std::uint8_t {
        u8,
        u16,
        u32,
        s32,
        u64,
        s64,
        f16,
        f32,
        f64,
        bf16,
        f32_ftz,
        tf32,
        tf32_ftz,
        b4x16,  ///< numbers of four bits without gaps (CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B)
        // Sixteen numbers of four or six bits without gaps in global memory, followed in shared
        // memory by 8 or 4 bytes without meaning (..._16U4_ALIGN16B, ..._16U6_ALIGN16B).
        b4x16_p64,
        b6x16_p32
    };
    enum class swizzle_mode : std::uint8_t { none, bytes_32, bytes_64, bytes_128 };
    /// Size of the chunks that a swizzle permutes, numbered like those of tensormap.replace. Chunks
    /// of more than 16 bytes: only in rows of 128 bytes (CU_TENSOR_MAP_SWIZZLE_128B_ATOM_...).
    enum class atom : std::uint8_t {
        bytes_16,
        bytes_32,
        bytes_32_flip_8,  ///< exchanges halves of 16 bytes, too; for copies to shared memory
        bytes_64
    };

    element type = element::u8;
    std::uint8_t rank = 0;  ///< number of dimensions, 1 to 5; 0 is the innermost, contiguous one
    swizzle_mode swizzle = swizzle_mode::none;
    atom atomicity = atom::bytes_16;
    bool fills_with_nan = false;  ///< for elements outside of the tensor; otherwise zeros
    device_address address = 0;   ///< of the first element
    std::array<std::uint32_t, max_dimensions> last{};         ///< number of elements - 1
    std::array<std::uint64_t, max_dimensions - 1> strides{};  ///< bytes, of dimensions 1 and above
    std::array<std::uint16_t, max_dimensions> box{};          ///< elements, at most 256
    std::array<std::uint8_t, max_dimensions> step{};          ///< element stride of the box, <= 8

    /// Access modes (PTX ISA 9.0, "Tensor Access Modes").
    enum class access_mode : std::uint8_t {
        tiled,
        /// The box is `pixels` pixels of box[0] channels. Starting at the coordinates, they are
        /// consecutive along dimension 1, then 2 etc. within the bounding box, and then continue in
        /// the next image (the last dimension).
        im2col,
        /// As im2col, but consecutive along dimension 1 only, and then in the next image, at the
        /// same coordinates of the other dimensions; `halo` further pixels are behind them.
        im2col_w,
        /// As im2col_w, with 128 pixels, of which each 32 have `halo` further ones; those follow
        /// the 128 pixels, the first ones of each 32, then the second ones etc.
        im2col_w_128,
    };
    static constexpr unsigned chunk_pixels = 32, chunks = 4;  ///< of im2col_w_128

    access_mode mode = access_mode::tiled;
    std::uint16_t pixels = 0;  ///< per column, 1 to 1024; im2col_w_128: without meaning
    /// Corners of the bounding box, for dimensions 1 and above: distances in pixels from the first
    /// and from the last pixel of the tensor. Of im2col_w and im2col_w_128 only for dimension 1.
    std::array<std::int16_t, max_spatial> lower_corner{}, upper_corner{};
    std::uint16_t halo = 0;  ///< of an instruction. Not in memory.

    /// The type with a number of tensormap.replace, if any.
    static std::optional<element> element_of(std::uint64_t number);
    /// Decodes the 128 bytes of a map; nullopt if they are not one.
    static std::optional<tensor_map> decode(const std::byte* from);
    /// Writes the 128 bytes of the map.
    void encode(std::byte* to) const;

    /// Whether groups of elements have gaps between them in shared memory.
    bool has_gaps() const { return type == element::b4x16_p64 || type == element::b6x16_p32; }
    /// Size of an element in global memory, in bytes; of numbers of four or six bits that of
    /// packed() elements.
    unsigned element_bytes() const;
    /// The same in shared memory.
    unsigned shared_bytes() const { return has_gaps() ? 16 : element_bytes(); }
    /// Elements in element_bytes(); one after in_bytes().
    unsigned packed() const {
        if (coordinate_unit != 1) return 1;
        return has_gaps() ? 16 : type == element::b4x16 ? 2 : 1;
    }
    /// The same map in units of element_bytes().
    tensor_map in_bytes() const;
    /// How many of a copy's first coordinate are one element of this map: packed() before
    /// in_bytes(). Not in memory.
    unsigned coordinate_unit = 1;
    /// Number of elements of the box in a dimension, as stored in shared memory.
    unsigned box_elements(unsigned d) const { return (box[d] + step[d] - 1U) / step[d]; }
    /// Number of dimensions between channels and images.
    unsigned spatial() const { return rank - 2U; }
    /// Whether pixels are consecutive along dimension 1 only.
    bool is_wide() const { return mode >= access_mode::im2col_w; }
    /// Number of dimensions of the bounding box.
    unsigned bounded() const { return is_wide() ? 1 : spatial(); }
    /// Number of pixels of a copy in an im2col mode, with those of the halo.
    unsigned column_pixels() const {
        return mode == access_mode::im2col_w_128 ? chunks * (chunk_pixels + halo) : pixels + halo;
    }
    /// Bits per offset in im2col mode: all offsets of an instruction have 16 bits together.
    unsigned offset_bits() const { return 16U / spatial(); }
    /// Size of the box in bytes without gaps, as counted at an mbarrier (CUTLASS: transactions of
    /// types with gaps).
    std::uint64_t box_bytes() const;

    /// The reason why the driver would reject the map (cuTensorMapEncodeTiled, ...Im2col,
    /// ...Im2colWide); empty if it would not.
    std::string fault() const;

private:
    std::string fault_of_columns() const;  ///< the same, of the fields of im2col modes
    std::string fault_of_swizzle() const;
};

/// The name of a mode in PTX.
const char* name_of(tensor_map::access_mode mode);

/// Address in shared memory of a byte of a swizzled tile: 16-byte chunks are permuted within rows
/// of 32, 64 or 128 bytes, by address bits 7 to 9 (PTX ISA 9.0, "Swizzling Modes"), chunks of 32
/// bytes by bits 7 and 8, those of 64 bytes by bit 7. Of chunks of 32 bytes with a flip, halves of
/// each 16 bytes are exchanged in every alternate line of 128 bytes (CUDA driver API); here in the
/// odd ones.
/// @param a  offset in the shared memory of a CTA
constexpr std::uint64_t swizzled(std::uint64_t a, tensor_map::swizzle_mode mode,
                                 tensor_map::atom atomicity = tensor_map::atom::bytes_16) {
    constexpr std::uint64_t lines[] = {0, 1, 3, 7};
    constexpr unsigned larger[] = {0, 1, 1, 2};  // than 16 bytes, as powers of two
    const unsigned shift = larger[static_cast<unsigned>(atomicity)];
    const std::uint64_t permuted = lines[static_cast<unsigned>(mode)] >> shift;
    const std::uint64_t flip = atomicity == tensor_map::atom::bytes_32_flip_8 ? a >> 7 & 1 : 0;
    return a ^ (a >> 7 & permuted) << (4 + shift) ^ flip << 3;
}

}  // namespace simtlm::execution

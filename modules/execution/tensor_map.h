// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/device_memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace simtlm::execution {

/// A tensor in global memory and the box of it that a bulk tensor copy moves: what the 128 bytes of
/// a CUtensorMap say (CUDA driver API, "Tensor Map Object Management"; PTX manual, "Tensors").
/// Their layout is opaque to PTX, but machine code replaces fields by itself (what ptxas makes of
/// tensormap.replace), which tells it: address at 0, at 8 a word with rank - 1 (bits 6:4), type
/// (10:7), interleaving, swizzle (14:13) and fill (15), sixteenths of strides from 0x0c on with
/// their upper four bits at 0x1c, sizes - 1 from 0x20 on, element strides - 1 in three bits each at
/// 0x34, box sizes - 1 in bytes from 0x37 on. The upper half holds a mark of ours and what im2col
/// mode needs, whose place is not known. Without interleaving.
struct tensor_map {
    static constexpr std::size_t bytes = 128;  ///< in memory
    static constexpr unsigned most_dimensions = 5;
    /// Dimensions of a bounding box of im2col mode: all but channels and images.
    static constexpr unsigned most_spatial = most_dimensions - 2;

    /// Types of elements, as CUtensorMapDataType numbers them.
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
        tf32_ftz
    };
    enum class swizzle_mode : std::uint8_t { none, bytes_32, bytes_64, bytes_128 };

    element type = element::u8;
    std::uint8_t rank = 0;  ///< dimensions, 1 to 5; 0 is the innermost, contiguous one
    swizzle_mode swizzle = swizzle_mode::none;
    bool fills_with_nan = false;  ///< elements outside of the tensor; otherwise zeros
    device_address address = 0;   ///< of the first element
    std::array<std::uint32_t, most_dimensions> last{};         ///< elements - 1
    std::array<std::uint64_t, most_dimensions - 1> strides{};  ///< bytes, of dimensions from 1 on
    std::array<std::uint16_t, most_dimensions> box{};          ///< elements, at most 256
    std::array<std::uint8_t, most_dimensions> step{};  ///< from element to element of the box, <= 8

    /// Im2col mode (PTX manual, "Im2col mode"): the box is `pixels` columns of box[0] channels.
    /// From the coordinates on they follow one another along dimension 1, then 2 and so on, inside
    /// of the bounding box, then in the next image (the last dimension).
    bool im2col = false;
    std::uint16_t pixels = 0;  ///< per column, 1 to 1024
    /// Corners of the bounding box, of dimensions from 1 on: pixels from the first and from the
    /// last of the tensor.
    std::array<std::int16_t, most_spatial> lower_corner{}, upper_corner{};

    /// The type of a number of tensormap.replace; nothing: there is none.
    static std::optional<element> element_of(std::uint64_t number);
    /// A map out of its 128 bytes; nothing: these are none.
    static std::optional<tensor_map> decode(const std::byte* from);
    void encode(std::byte* to) const;

    /// Bytes of an element.
    unsigned element_bytes() const;
    /// Elements of the box in a dimension, as they lie in shared memory.
    unsigned box_elements(unsigned d) const { return (box[d] + step[d] - 1U) / step[d]; }
    /// Dimensions between channels and images.
    unsigned spatial() const { return rank - 2U; }
    /// Bits of an offset of im2col mode: all offsets of an instruction have 16 together.
    unsigned offset_bits() const { return 16U / spatial(); }
    /// Bytes of the box in shared memory.
    std::uint64_t box_bytes() const;

    /// What the driver refuses (cuTensorMapEncodeTiled, ...Im2col), as a sentence; empty: nothing.
    std::string fault() const;
};

/// The place in shared memory of a byte of a swizzled tile: 16-byte chunks change places within
/// rows of 32, 64 or 128 bytes, by address bits 7 to 9 (PTX manual, "Swizzling Modes").
/// @param a  offset in the shared memory of a CTA
constexpr std::uint64_t swizzled(std::uint64_t a, tensor_map::swizzle_mode mode) {
    constexpr std::uint64_t lines[] = {0, 1, 3, 7};
    return a ^ (a >> 7 & lines[static_cast<unsigned>(mode)]) << 4;
}

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
// Surface accesses: suld, sust and sured. x is in bytes for the .b forms, in elements for .p.
#pragma once

#include "modules/execution/arithmetic/texture.h"

namespace simtlm::execution::arithmetic {

/// Behaviour of an access outside the surface.
enum class surface_clamp : std::uint8_t {
    trap,   ///< the kernel fails
    clamp,  ///< the nearest location inside
    zero,   ///< loads give 0, stores and reductions do nothing
};

/// Location of a surface access.
struct surface_place {
    std::uint64_t offset = 0;  ///< bytes from the start of the image
    bool inside = true;        ///< false: no access takes place
    bool trap = false;         ///< the kernel fails
};

/// Computes the location of a surface access.
/// @param index         x, y, z; x in bytes if `bytes`, otherwise in elements. Unused ones are
///                      ignored
/// @param access_bytes  size of the access; x is rounded down to a multiple of it, as in hardware
surface_place surface_address(const texture_image& image, const std::array<std::int32_t, 3>& index,
                              std::uint32_t layer, bool bytes, unsigned access_bytes,
                              surface_clamp mode);

/// sust.p: converts four 32-bit registers (floats, or integers of the format's signedness) to a
/// texel: integers are clamped to the channel, floats are rounded to f16 if it has 16 bits.
void encode_texel(const texel_format& format, const texel_value& value, std::byte* texel);

}  // namespace simtlm::execution::arithmetic

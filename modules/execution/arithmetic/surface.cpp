// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/surface.h"

#include "modules/execution/arithmetic/convert.h"

#include <algorithm>
#include <cstring>

namespace simtlm::execution::arithmetic {
namespace {

bool has_rows(texture_geometry geometry) {
    return geometry != texture_geometry::one && geometry != texture_geometry::layered_one;
}

}  // namespace

surface_place surface_address(const texture_image& image, const std::array<std::int32_t, 3>& index,
                              std::uint32_t layer, bool bytes, unsigned access_bytes,
                              surface_clamp mode) {
    const mip_level& level = image.levels.front();
    const bool volume = image.geometry == texture_geometry::three;
    const std::int64_t row_bytes = std::int64_t{level.width} * image.format.bytes();
    const unsigned faces =
        image.geometry == texture_geometry::cube || image.geometry == texture_geometry::layered_cube
            ? 6
            : 1;
    std::array<std::int64_t, 3> at{
        bytes ? std::int64_t{index[0]} : std::int64_t{index[0]} * image.format.bytes(),
        has_rows(image.geometry) ? index[1] : 0, volume ? index[2] : std::int64_t{layer}};
    const std::array<std::int64_t, 3> last{
        row_bytes - access_bytes, has_rows(image.geometry) ? level.height - 1 : 0,
        std::int64_t{volume ? level.depth : image.layers * faces} - 1};
    surface_place place;
    for (unsigned d = 0; d < 3; ++d) {
        if (at[d] >= 0 && at[d] <= last[d]) continue;
        place.inside = mode == surface_clamp::clamp;
        place.trap = mode == surface_clamp::trap;
        if (!place.inside) return place;
        at[d] = std::clamp<std::int64_t>(at[d], 0, std::max<std::int64_t>(last[d], 0));
    }
    const auto x = static_cast<std::uint64_t>(at[0]);
    place.offset = level.offset + static_cast<std::uint64_t>(at[2]) * level.slice_pitch +
                   static_cast<std::uint64_t>(at[1]) * level.row_pitch + x - x % access_bytes;
    return place;
}

void encode_texel(const texel_format& format, const texel_value& value, std::byte* texel) {
    for (unsigned c = 0; c < format.channels; ++c) {
        std::uint32_t bits = value[c];
        if (format.kind == channel_kind::floating) {
            if (format.bits == 16) bits = cvt<f16, f32>::apply(bits);
        } else if (format.kind == channel_kind::unsigned_integer) {
            if (format.bits < 32) bits = std::min(bits, (1u << format.bits) - 1);
        } else if (format.bits < 32) {
            const std::int32_t high = (1 << (format.bits - 1)) - 1;
            bits = static_cast<std::uint32_t>(
                std::clamp(static_cast<std::int32_t>(bits), -high - 1, high));
        }
        std::memcpy(texel + c * (format.bits / 8u), &bits, format.bits / 8u);
    }
}

}  // namespace simtlm::execution::arithmetic

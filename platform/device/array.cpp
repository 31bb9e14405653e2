// SPDX-License-Identifier: Apache-2.0
#include "platform/device/array.h"

#include <algorithm>

namespace simtlm::device {

namespace {

using execution::arithmetic::mip_level;
using execution::arithmetic::texture_geometry;

constexpr std::uint64_t row_alignment = 32;
constexpr std::uint64_t level_alignment = 512;

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) {
    return (n + to - 1) / to * to;
}

texture_geometry geometry_of(const array_shape& s) {
    if (s.cube) return s.layered ? texture_geometry::layered_cube : texture_geometry::cube;
    if (s.layered)
        return s.height == 0 ? texture_geometry::layered_one : texture_geometry::layered_two;
    if (s.depth != 0) return texture_geometry::three;
    return s.height == 0 ? texture_geometry::one : texture_geometry::two;
}

}  // namespace

void lay_out(array& a) {
    const array_shape& s = a.shape;
    const bool layers = s.layered || s.cube;
    a.image.geometry = geometry_of(s);
    a.image.format = s.format;
    a.image.layers = static_cast<std::uint32_t>(!layers  ? 1
                                                : s.cube ? std::max<std::uint64_t>(s.depth / 6, 1)
                                                         : s.slices());
    a.image.levels.clear();
    std::uint64_t at = 0;
    for (unsigned l = 0; l < std::max(s.levels, 1u); ++l) {
        mip_level m;
        m.width = static_cast<std::uint32_t>(std::max<std::uint64_t>(s.width >> l, 1));
        m.height = static_cast<std::uint32_t>(std::max<std::uint64_t>(s.rows() >> l, 1));
        const std::uint64_t slices =
            layers ? s.slices() : std::max<std::uint64_t>(s.slices() >> l, 1);
        m.depth = static_cast<std::uint32_t>(layers ? 1 : slices);
        m.offset = at;
        m.row_pitch = s.rows() > 1 || slices > 1
                          ? round_up(m.width * s.element_bytes(), row_alignment)
                          : m.width * s.element_bytes();
        m.slice_pitch = m.row_pitch * m.height;
        at = round_up(at + m.slice_pitch * slices, level_alignment);
        a.image.levels.push_back(m);
    }
    a.bytes = at;
}

array level_of(const array& a, unsigned level) {
    array v = a;
    const mip_level& m = a.image.levels[level];
    v.owns = false;
    v.level_views.clear();
    v.address = a.address + m.offset;
    v.shape.levels = 1;
    v.shape.width = m.width;
    v.shape.height = a.shape.height == 0 ? 0 : m.height;
    if (!a.shape.layered && !a.shape.cube) v.shape.depth = a.shape.depth == 0 ? 0 : m.depth;
    v.image.levels = {m};
    v.image.levels[0].offset = 0;
    v.bytes = m.slice_pitch * v.shape.slices();
    return v;
}

execution::arithmetic::texture_image linear_image(const execution::arithmetic::texel_format& format,
                                                  std::uint64_t width, std::uint64_t height,
                                                  std::uint64_t pitch) {
    execution::arithmetic::texture_image i;
    i.geometry = height == 0 ? texture_geometry::one : texture_geometry::two;
    i.format = format;
    mip_level m;
    m.width = static_cast<std::uint32_t>(width);
    m.height = static_cast<std::uint32_t>(std::max<std::uint64_t>(height, 1));
    m.row_pitch = pitch != 0 ? pitch : width * format.bytes();
    m.slice_pitch = m.row_pitch * m.height;
    i.levels = {m};
    return i;
}

}  // namespace simtlm::device

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/texture.h"
#include "modules/execution/texture_table.h"

#include <cstdint>
#include <vector>

namespace simtlm::device {

/// Shape of an array: extents are elements; 0 where there is no such dimension.
struct array_shape {
    std::uint64_t width = 0, height = 0, depth = 0;  ///< depth: layers or faces where there are any
    execution::arithmetic::texel_format format;
    bool layered = false, cube = false;
    unsigned levels = 1;

    std::uint64_t rows() const { return height == 0 ? 1 : height; }
    std::uint64_t slices() const { return depth == 0 ? 1 : depth; }
    unsigned element_bytes() const { return format.bytes(); }
};

/// An array in device memory, as textures and surfaces use it: rows one behind another.
struct array {
    array_shape shape;
    unsigned device = 0;
    unsigned flags = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    execution::arithmetic::texture_image image;
    bool owns = true;                 ///< else a level of a mipmapped array
    std::vector<array*> level_views;  ///< of a mipmapped array

    std::uint64_t row_pitch(unsigned level = 0) const { return image.levels[level].row_pitch; }
    std::uint64_t slice_pitch(unsigned level = 0) const { return image.levels[level].slice_pitch; }
};

/// Lays out an array: image and bytes.
void lay_out(array& a);

/// A part of the image as an array of its own: one level of detail.
array level_of(const array& a, unsigned level);

/// Linear memory as an image of one or two dimensions.
execution::arithmetic::texture_image linear_image(const execution::arithmetic::texel_format& format,
                                                  std::uint64_t width, std::uint64_t height,
                                                  std::uint64_t pitch);

}  // namespace simtlm::device

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/texture.h"
#include "modules/execution/state/texture_table.h"

#include <cstdint>
#include <vector>

namespace simtlm::device {

/// Shape of an array in elements; 0 for a dimension that it does not have.
struct array_shape {
    std::uint64_t width = 0, height = 0, depth = 0;  ///< depth: also the number of layers or faces
    execution::arithmetic::texel_format format;
    bool layered = false, cube = false;
    unsigned levels = 1;

    std::uint64_t rows() const { return height == 0 ? 1 : height; }
    std::uint64_t slices() const { return depth == 0 ? 1 : depth; }
    unsigned element_bytes() const { return format.bytes(); }
};

/// An array in device memory as used by textures and surfaces; rows are contiguous.
struct array {
    array_shape shape;
    unsigned device = 0;
    unsigned flags = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    execution::arithmetic::texture_image image;
    bool owns = true;                 ///< false: a level of a mipmapped array
    std::vector<array*> level_views;  ///< levels of a mipmapped array

    std::uint64_t row_pitch(unsigned level = 0) const { return image.levels[level].row_pitch; }
    std::uint64_t slice_pitch(unsigned level = 0) const { return image.levels[level].slice_pitch; }
};

/// Computes image layout and size in bytes of an array.
void lay_out(array& a);

/// Returns one mipmap level as an array that does not own its memory.
array level_of(const array& a, unsigned level);

/// Describes linear memory as a one- or two-dimensional image.
execution::arithmetic::texture_image linear_image(const execution::arithmetic::texel_format& format,
                                                  std::uint64_t width, std::uint64_t height,
                                                  std::uint64_t pitch);

}  // namespace simtlm::device

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/texture.h"

#include <cstddef>
#include <cstdint>

// Fetches from textures as most programs have them, in one go.
namespace simtlm::execution::arithmetic {

/// Whether fetch_plane() serves an image: one or two dimensions, one level of detail.
bool is_plane(const texture_image& image);
/// A fetch from such an image, in one go: what filter_texels() makes of texture_footprint().
/// @param texels  of the image  @param offset  set to that of the first texel, 0 in the border
texel_value fetch_plane(const texture_image& image, const sampler_state& sampler,
                        const texture_coordinates& coordinates, const std::byte* texels,
                        std::uint64_t& offset);

}  // namespace simtlm::execution::arithmetic

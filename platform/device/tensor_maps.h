// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace simtlm::device {

constexpr std::size_t tensor_map_bytes = 128;  ///< size of a tensor map; must be aligned to 64

/// A tensor and the box that bulk tensor copies move, as described by a host
/// (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide). Dimension 0 is
/// the innermost.
struct tensor_map_request {
    static constexpr unsigned max_dimensions = 5;
    /// As execution::tensor_map::access_mode.
    enum class access_mode : std::uint8_t { tiled, im2col, im2col_w, im2col_w_128 };

    int type = 0;  ///< CUtensorMapDataType
    unsigned dimensions = 0;
    std::uint64_t address = 0;
    std::array<std::uint64_t, max_dimensions> sizes{};         ///< elements
    std::array<std::uint64_t, max_dimensions - 1> strides{};   ///< bytes, from dimension 1 on
    std::array<std::uint32_t, max_dimensions> box{}, steps{};  ///< elements
    /// CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapFloatOOBfill.
    int interleave = 0, swizzle = 0, fill = 0;

    /// In im2col modes box[0] is the number of channels per pixel.
    access_mode mode = access_mode::tiled;
    std::uint32_t pixels = 0;  ///< per column
    /// Corners of the bounding box, from dimension 1 on; of wide modes only of dimension 1.
    std::array<int, max_dimensions - 2> lower{}, upper{};
};

/// Encodes a tensor map. @throws failure  for arguments that the driver rejects, and interleaved
/// tensors
void encode_tensor_map(const tensor_map_request& what, std::byte* to);
/// Replaces the address in a tensor map. @throws failure  if it is not a tensor map
void replace_address(std::byte* map, std::uint64_t address);

}  // namespace simtlm::device

// SPDX-License-Identifier: Apache-2.0
#include "platform/device/tensor_maps.h"

#include "modules/execution/state/tensor_map.h"
#include "platform/device/status.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace simtlm::device {

using execution::tensor_map;

static_assert(tensor_map::bytes == tensor_map_bytes &&
              tensor_map::max_dimensions == tensor_map_request::max_dimensions);

namespace {

void demand(bool good, const char* why, status otherwise = status::invalid_value) {
    if (!good) throw failure(otherwise, why);
}

void check_place(const std::byte* map) {
    demand(map != nullptr && reinterpret_cast<std::uintptr_t>(map) % 64 == 0,
           "a tensor map must be aligned to 64 bytes");
}

/// Sets the fields of im2col modes.
void set_columns(tensor_map& m, const tensor_map_request& what) {
    demand(what.dimensions >= 3, "a tensor in im2col mode has 3 to 5 dimensions");
    using pixels = std::numeric_limits<std::uint16_t>;
    using corner = std::numeric_limits<std::int16_t>;
    m.mode = static_cast<tensor_map::access_mode>(what.mode);
    if (m.mode != tensor_map::access_mode::im2col_w_128) {
        demand(what.pixels <= pixels::max(), "a column has 1 to 1,024 pixels");
        m.pixels = static_cast<std::uint16_t>(what.pixels);
    }
    for (unsigned d = 0; d < m.bounded(); ++d) {
        for (const int c : {what.lower[d], what.upper[d]})
            demand(c >= corner::min() && c <= corner::max(),
                   "a corner of the bounding box is out of range");
        m.lower_corner[d] = static_cast<std::int16_t>(what.lower[d]);
        m.upper_corner[d] = static_cast<std::int16_t>(what.upper[d]);
    }
    constexpr int rows_64 = 2, chunks_32 = 4;  // CUtensorMapSwizzle
    demand(!m.is_wide() || (what.swizzle >= rows_64 && what.swizzle <= chunks_32),
           "wide im2col modes have a swizzle of 64 or 128 bytes, or of chunks of 32 bytes");
}

}  // namespace

void encode_tensor_map(const tensor_map_request& what, std::byte* to) {
    check_place(to);
    demand(what.type >= 0 && what.type <= static_cast<int>(tensor_map::element::b6x16_p32),
           "not a data type of tensor maps");
    demand(what.dimensions >= 1 && what.dimensions <= tensor_map::max_dimensions,
           "a tensor has 1 to 5 dimensions");
    demand(what.interleave == 0, "interleaved tensors are not supported", status::not_supported);
    constexpr int rows_128 = 3, chunks_64 = 6;  // CUtensorMapSwizzle
    demand(what.swizzle >= 0 && what.swizzle <= chunks_64, "not a swizzle of tensor maps");
    demand(what.fill == 0 || what.fill == 1, "not a fill mode");
    tensor_map m;
    m.address = what.address;
    m.type = static_cast<tensor_map::element>(what.type);
    m.rank = static_cast<std::uint8_t>(what.dimensions);
    m.swizzle = static_cast<tensor_map::swizzle_mode>(std::min(what.swizzle, rows_128));
    m.atomicity = static_cast<tensor_map::atom>(std::max(what.swizzle - rows_128, 0));
    m.fills_with_nan = what.fill == 1;
    for (unsigned d = 0; d < what.dimensions; ++d) {
        demand(what.sizes[d] >= 1 && what.sizes[d] <= std::uint64_t{1} << 32,
               "a dimension of a tensor has 1 to 2^32 elements");
        const bool has_box = what.mode == tensor_map_request::access_mode::tiled || d == 0;
        demand((!has_box || (what.box[d] >= 1 && what.box[d] <= 256)) && what.steps[d] >= 1 &&
                   what.steps[d] <= 8,
               "a box has 1 to 256 elements, its steps are 1 to 8");
        m.last[d] = static_cast<std::uint32_t>(what.sizes[d] - 1);
        m.box[d] = static_cast<std::uint16_t>(has_box ? what.box[d] : 1);
        m.step[d] = static_cast<std::uint8_t>(what.steps[d]);
        if (d > 0) m.strides[d - 1] = what.strides[d - 1];
    }
    if (what.mode != tensor_map_request::access_mode::tiled) set_columns(m, what);
    const std::string fault = m.fault();
    demand(fault.empty(), fault.c_str());
    m.encode(to);
}

void replace_address(std::byte* map, std::uint64_t address) {
    check_place(map);
    std::optional<tensor_map> m = tensor_map::decode(map);
    if (m) m->address = address;
    demand(m && m->fault().empty(), "this is not a tensor map, or the address is not aligned");
    m->encode(map);
}

}  // namespace simtlm::device

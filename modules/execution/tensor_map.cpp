// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/tensor_map.h"

#include <fmt/format.h>

#include <cstddef>
#include <type_traits>

namespace simtlm::execution {

static_assert(std::is_trivially_copyable_v<tensor_map> && offsetof(tensor_map, unused) == 10 &&
              offsetof(tensor_map, address) == 16);

unsigned tensor_map::element_bytes() const {
    switch (type) {
        case element::u8:
            return 1;
        case element::u16:
        case element::f16:
        case element::bf16:
            return 2;
        case element::u64:
        case element::s64:
        case element::f64:
            return 8;
        default:
            return 4;
    }
}

std::uint64_t tensor_map::box_bytes() const {
    std::uint64_t bytes = element_bytes();
    for (unsigned d = 0; d < rank; ++d) bytes *= box_elements(d);
    return bytes;
}

std::string tensor_map::fault() const {
    if (rank == 0 || rank > most_dimensions) return fmt::format("{} dimensions", rank);
    if (address % 16 != 0) return fmt::format("address {:#x} is not a multiple of 16", address);
    for (unsigned d = 1; d < rank; ++d)
        if (strides[d - 1] % 16 != 0 || strides[d - 1] >> 40 != 0)
            return fmt::format("stride {} of dimension {} is not a multiple of 16 below 2^40",
                               strides[d - 1], d);
    for (unsigned d = 0; d < rank; ++d) {
        if (box[d] == 0 || box[d] > 256)
            return fmt::format("a box of {} elements in dimension {}", box[d], d);
        if (step[d] == 0 || step[d] > 8)
            return fmt::format("an element stride of {} in dimension {}", step[d], d);
    }
    const unsigned row = box_elements(0) * element_bytes();
    if (row % 16 != 0)
        return fmt::format("a box whose rows have {} bytes, not a multiple of 16", row);
    const unsigned span =
        swizzle == swizzle_mode::none ? row : 16U << static_cast<unsigned>(swizzle);
    if (row > span) return fmt::format("rows of {} bytes; the swizzle takes at most {}", row, span);
    const bool floating = type >= element::f16;
    if (fills_with_nan && !floating) return "fills integers with NaN";
    return {};
}

}  // namespace simtlm::execution

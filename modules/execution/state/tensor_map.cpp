// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/state/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace simtlm::execution {

namespace {

using element = tensor_map::element;

/// Indexed by their numbers in memory, which are those of tensormap.replace (PTX manual, table of
/// .elemtype), not the driver's.
constexpr element elements[] = {
    element::u8,       element::u16,   element::u32,       element::s32,
    element::u64,      element::s64,   element::f16,       element::f32,
    element::f32_ftz,  element::f64,   element::bf16,      element::tf32,
    element::tf32_ftz, element::b4x16, element::b4x16_p64, element::b6x16_p32};

struct layout {
    static constexpr std::uint64_t valid = 0x70616d746c6d7473;
    static constexpr unsigned address = 0, kind = 8, strides = 0x0c, upper_strides = 0x1c,
                              sizes = 0x20, steps = 0x34, boxes = 0x37, mark = 0x40, mode = 0x48,
                              pixels = 0x4a, lower = 0x50, upper = 0x58;
    // Bits of the word at `kind`.
    static constexpr unsigned rank = 4, type = 7, swizzle = 13, fill = 15, atomicity = 19;
};

template <class T>
T get(const std::byte* from, unsigned offset) {
    T v;
    std::memcpy(&v, from + offset, sizeof v);
    return v;
}
template <class T>
void put(std::byte* to, unsigned offset, T v) {
    std::memcpy(to + offset, &v, sizeof v);
}

}  // namespace

std::optional<tensor_map::element> tensor_map::element_of(std::uint64_t number) {
    if (number >= std::size(elements)) return std::nullopt;
    return elements[number];
}

std::optional<tensor_map> tensor_map::decode(const std::byte* from) {
    if (get<std::uint64_t>(from, layout::mark) != layout::valid) return std::nullopt;
    tensor_map m;
    m.address = get<std::uint64_t>(from, layout::address);
    const auto kind = get<std::uint32_t>(from, layout::kind);
    m.rank = static_cast<std::uint8_t>((kind >> layout::rank & 7) + 1);
    const auto type = element_of(kind >> layout::type & 15);
    if (!type) return std::nullopt;
    m.type = *type;
    m.swizzle = static_cast<swizzle_mode>(kind >> layout::swizzle & 3);
    m.fills_with_nan = (kind >> layout::fill & 1) != 0;
    m.atomicity = static_cast<atom>(kind >> layout::atomicity & 7);
    const auto upper = get<std::uint32_t>(from, layout::upper_strides);
    const auto steps = get<std::uint32_t>(from, layout::steps);
    for (unsigned d = 0; d < max_dimensions; ++d) {
        m.last[d] = get<std::uint32_t>(from, layout::sizes + 4 * d);
        m.box[d] = static_cast<std::uint16_t>(get<std::uint8_t>(from, layout::boxes + d) + 1);
        m.step[d] = static_cast<std::uint8_t>((steps >> 3 * d & 7) + 1);
        if (d + 1 < max_dimensions)
            m.strides[d] = (get<std::uint32_t>(from, layout::strides + 4 * d) |
                            std::uint64_t{upper >> 4 * d & 15} << 32)
                           << 4;
    }
    m.mode = get<access_mode>(from, layout::mode);
    if (m.mode > access_mode::im2col_w_128) return std::nullopt;
    m.pixels = get<std::uint16_t>(from, layout::pixels);
    for (unsigned d = 0; d < max_spatial; ++d) {
        m.lower_corner[d] = get<std::int16_t>(from, layout::lower + 2 * d);
        m.upper_corner[d] = get<std::int16_t>(from, layout::upper + 2 * d);
    }
    return m;
}

void tensor_map::encode(std::byte* to) const {
    std::memset(to, 0, bytes);
    put(to, layout::address, address);
    const auto number = static_cast<std::uint32_t>(
        std::find(std::begin(elements), std::end(elements), type) - std::begin(elements));
    put(to, layout::kind,
        (std::uint32_t{rank} - 1) << layout::rank | number << layout::type |
            static_cast<std::uint32_t>(swizzle) << layout::swizzle |
            std::uint32_t{fills_with_nan} << layout::fill |
            static_cast<std::uint32_t>(atomicity) << layout::atomicity);
    std::uint32_t upper = 0, of_steps = 0;
    for (unsigned d = 0; d < max_dimensions; ++d) {
        put(to, layout::sizes + 4 * d, last[d]);
        of_steps |= ((step[d] - 1U) & 7) << 3 * d;
        if (d + 1 == max_dimensions) break;
        put(to, layout::strides + 4 * d, static_cast<std::uint32_t>(strides[d] >> 4));
        upper |= static_cast<std::uint32_t>(strides[d] >> 36 & 15) << 4 * d;
    }
    put(to, layout::upper_strides, upper);
    put(to, layout::steps, of_steps);
    for (unsigned d = 0; d < max_dimensions; ++d)
        put(to, layout::boxes + d, static_cast<std::uint8_t>(box[d] - 1));
    if (mode != access_mode::tiled) {
        put(to, layout::mode, mode);
        put(to, layout::pixels, pixels);
        for (unsigned d = 0; d < max_spatial; ++d) {
            put(to, layout::lower + 2 * d, lower_corner[d]);
            put(to, layout::upper + 2 * d, upper_corner[d]);
        }
    }
    put(to, layout::mark, layout::valid);
}

unsigned tensor_map::element_bytes() const {
    switch (type) {
        case element::u8:
        case element::b4x16:
            return 1;
        case element::u16:
        case element::f16:
        case element::bf16:
            return 2;
        case element::u64:
        case element::s64:
        case element::f64:
        case element::b4x16_p64:
            return 8;
        case element::b6x16_p32:
            return 12;
        default:
            return 4;
    }
}

tensor_map tensor_map::in_bytes() const {
    tensor_map m = *this;
    if (packed() == 1) return m;
    if (!has_gaps()) m.type = element::u8;
    m.coordinate_unit = packed();
    m.last[0] = (last[0] + 1) / packed() - 1;
    m.box[0] = static_cast<std::uint16_t>(box[0] / packed());
    return m;
}

std::uint64_t tensor_map::box_bytes() const {
    std::uint64_t sum = element_bytes();
    if (mode != access_mode::tiled) return sum * box_elements(0) * column_pixels() / packed();
    for (unsigned d = 0; d < rank; ++d) sum *= box_elements(d);
    return sum / packed();
}

std::string tensor_map::fault_of_columns() const {
    constexpr unsigned min_rank = 3, max_pixels = 1024;
    if (rank < min_rank) return fmt::format("im2col mode with {} dimensions", rank);
    if (mode != access_mode::im2col_w_128 && (pixels == 0 || pixels > max_pixels))
        return fmt::format("{} pixels per column", pixels);
    // Sixteen bits for all corners together.
    const int limit = 1 << (16 / bounded() - 1);
    for (unsigned d = 0; d < bounded(); ++d) {
        if (std::min(lower_corner[d], upper_corner[d]) < -limit ||
            std::max(lower_corner[d], upper_corner[d]) >= limit)
            return fmt::format("a corner of the bounding box beyond {} to {} in dimension {}",
                               -limit, limit - 1, d + 1);
        if (std::int64_t{last[d + 1]} + upper_corner[d] < lower_corner[d])
            return fmt::format("a bounding box without pixels in dimension {}", d + 1);
    }
    if (is_wide() && (swizzle == swizzle_mode::none || atomicity == atom::bytes_32_flip_8))
        return fmt::format(
            "{} mode without a swizzle, or with one that exchanges halves of 16 bytes",
            name_of(mode));
    return {};
}

std::string tensor_map::fault_of_swizzle() const {
    if (atomicity > atom::bytes_64)
        return fmt::format("a swizzle of atomicity {}", static_cast<unsigned>(atomicity));
    if (atomicity != atom::bytes_16 && swizzle != swizzle_mode::bytes_128)
        return "chunks of more than 16 bytes in rows of less than 128 bytes";
    if (has_gaps() && atomicity == atom::bytes_32_flip_8)
        return "a swizzle that exchanges halves of 16 bytes, of numbers with gaps";
    if (type == element::b4x16_p64 && atomicity == atom::bytes_64)
        return "a swizzle of chunks of 64 bytes, of numbers of four bits with gaps";
    const unsigned row = box_elements(0) * shared_bytes() / packed();
    const unsigned span = 16U << static_cast<unsigned>(swizzle);
    if (swizzle != swizzle_mode::none && row > span)
        return fmt::format("rows of {} bytes; the swizzle takes at most {}", row, span);
    return {};
}

std::string tensor_map::fault() const {
    if (rank == 0 || rank > max_dimensions) return fmt::format("{} dimensions", rank);
    if (address % 16 != 0) return fmt::format("address {:#x} is not a multiple of 16", address);
    for (unsigned d = 1; d < rank; ++d)
        if (strides[d - 1] % 16 != 0 || strides[d - 1] >> 40 != 0)
            return fmt::format("stride {} of dimension {} is not a multiple of 16 below 2^40",
                               strides[d - 1], d);
    if (mode != access_mode::tiled)
        if (std::string of_columns = fault_of_columns(); !of_columns.empty()) return of_columns;
    for (unsigned d = 0; d < rank; ++d) {
        if ((mode == access_mode::tiled || d == 0) && (box[d] == 0 || box[d] > 256))
            return fmt::format("a box of {} elements in dimension {}", box[d], d);
        if (step[d] == 0 || step[d] > 8)
            return fmt::format("an element stride of {} in dimension {}", step[d], d);
    }
    const auto is_whole = [this](std::uint64_t n) { return n % packed() == 0; };
    if (packed() > 1 &&
        (!is_whole(std::uint64_t{last[0]} + 1) || !is_whole(box[0]) || step[0] != 1))
        return fmt::format(
            "rows of {} and boxes of {} numbers of four or six bits, which are no multiples of {}, "
            "or an element stride of {}",
            last[0] + 1, box[0], packed(), step[0]);
    const unsigned row = box_elements(0) * shared_bytes() / packed();
    if (row % 16 != 0)
        return fmt::format("a box whose rows have {} bytes, not a multiple of 16", row);
    if (std::string of_swizzle = fault_of_swizzle(); !of_swizzle.empty()) return of_swizzle;
    const bool floating = type >= element::f16 && type <= element::tf32_ftz;
    if (fills_with_nan && !floating) return "fills integers with NaN";
    return {};
}

const char* name_of(tensor_map::access_mode mode) {
    constexpr const char* names[] = {"tiled", "im2col", "im2col::w", "im2col::w::128"};
    return names[static_cast<unsigned>(mode)];
}

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/video.h"

namespace simtlm::execution::arithmetic {
namespace {

using detail::int128;

unsigned width_of(part which) {
    return which == part::word ? 32 : which >= part::h0 ? 16 : 8;
}

unsigned position_of(part which) {
    switch (which) {
        case part::word:
        case part::h0:
            return 0;
        case part::h1:
            return 16;
        default:
            return 8 * static_cast<unsigned>(which);
    }
}

/// `width` bits starting at `position`, as an integer.
std::int64_t field(std::uint64_t bits, unsigned position, unsigned width, bool is_signed) {
    const std::uint64_t at_top = bits << (64 - width - position);
    return is_signed ? static_cast<std::int64_t>(at_top) >> (64 - width)
                     : static_cast<std::int64_t>(at_top >> (64 - width));
}

std::int64_t extract(std::uint32_t bits, part which, bool is_signed) {
    return field(bits, position_of(which), width_of(which), is_signed);
}

int128 clamp(int128 value, unsigned width, bool is_signed) {
    const int128 high = (int128{1} << (width - (is_signed ? 1 : 0))) - 1;
    const int128 low = is_signed ? -high - 1 : 0;
    return value < low ? low : value > high ? high : value;
}

bool holds(comparison compare, std::int64_t a, std::int64_t b) {
    switch (compare) {
        case comparison::eq:
            return a == b;
        case comparison::ne:
            return a != b;
        case comparison::lt:
            return a < b;
        case comparison::le:
            return a <= b;
        case comparison::gt:
            return a > b;
        default:
            return a >= b;
    }
}

std::int64_t shift_amount(shift_mode mode, std::int64_t amount) {
    return mode == shift_mode::wrap ? amount & 31 : amount > 32 ? 32 : amount;
}

/// The primary operation; operands have at most 33 bits, so that nothing overflows.
int128 compute(video_operation operation, comparison compare, shift_mode mode, std::int64_t a,
               std::int64_t b) {
    switch (operation) {
        case video_operation::add:
            return a + b;
        case video_operation::subtract:
            return a - b;
        case video_operation::absolute_difference:
            return a < b ? b - a : a - b;
        case video_operation::minimum:
            return a < b ? a : b;
        case video_operation::maximum:
            return a < b ? b : a;
        case video_operation::average:
            return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
        case video_operation::shift_left:
            return static_cast<int128>(a) * (int128{1} << shift_amount(mode, b));
        case video_operation::shift_right:
            return a >> shift_amount(mode, b);
        default:
            return holds(compare, a, b) ? 1 : 0;
    }
}

/// The secondary operation. It takes the whole intermediate result, whose sign depends on the type
/// of the destination, before it is reduced to 32 bits.
int128 combine(secondary_operation operation, bool is_signed, int128 result, int128 c) {
    if (!is_signed) result &= (int128{1} << 34) - 1;
    switch (operation) {
        case secondary_operation::add:
            return result + c;
        case secondary_operation::minimum:
            return result < c ? result : c;
        case secondary_operation::maximum:
            return result < c ? c : result;
        default:
            return result;
    }
}

/// The intermediate result of scalar instructions has 34 bits and a sign; only left shifts have
/// more.
int128 intermediate(int128 result) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(result) << 30) >> 30;
}

std::uint32_t merge(part destination, std::uint32_t result, std::uint32_t c) {
    if (destination == part::word) return result;
    const std::uint32_t mask = ((1u << width_of(destination)) - 1) << position_of(destination);
    return (c & ~mask) | (result << position_of(destination) & mask);
}

}  // namespace

std::uint32_t apply(const scalar_video& instruction, std::uint32_t a, std::uint32_t b,
                    std::uint32_t c) {
    int128 result = compute(instruction.operation, instruction.compare, instruction.shift,
                            extract(a, instruction.a, instruction.a_signed),
                            extract(b, instruction.b, instruction.b_signed));
    result = intermediate(result);
    if (instruction.saturate) {
        result = clamp(result, width_of(instruction.destination), instruction.destination_signed);
    }
    if (instruction.destination != part::word)
        return merge(instruction.destination, static_cast<std::uint32_t>(result), c);
    const bool is_signed = instruction.destination_signed;
    return static_cast<std::uint32_t>(
        combine(instruction.secondary, is_signed, result, extract(c, part::word, is_signed)));
}

std::uint32_t apply(const video_mad& instruction, std::uint32_t a, std::uint32_t b,
                    std::uint32_t c) {
    const bool is_signed = instruction.a_signed || instruction.b_signed ||
                           instruction.negate_product || instruction.negate_c;
    int128 sum = static_cast<int128>(extract(a, instruction.a, instruction.a_signed)) *
                 extract(b, instruction.b, instruction.b_signed);
    // Negation is done by complement; the missing 1 is added together with "plus one".
    const bool one = instruction.plus_one || instruction.negate_product || instruction.negate_c;
    if (instruction.negate_product) sum = ~sum;
    if (instruction.negate_c && !instruction.negate_product) c = ~c;
    sum += field(c, 0, 32, is_signed) + (one ? 1 : 0);
    // The manual specifies 64 bits of the scaled result.
    const auto scaled = static_cast<std::uint64_t>(sum >> instruction.shift);
    if (!instruction.saturate) return static_cast<std::uint32_t>(scaled);
    const int128 wide = is_signed ? static_cast<int128>(static_cast<std::int64_t>(scaled))
                                  : static_cast<int128>(scaled);
    return static_cast<std::uint32_t>(clamp(wide, 32, is_signed));
}

std::uint32_t apply(const simd_video& instruction, std::uint32_t a, std::uint32_t b,
                    std::uint32_t c) {
    const unsigned width = 32 / instruction.lanes;
    const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
    std::uint32_t result = c;
    for (unsigned lane = 0; lane < instruction.lanes; ++lane) {
        if ((instruction.mask >> lane & 1) == 0) continue;
        int128 value =
            compute(instruction.operation, instruction.compare, shift_mode::clamp,
                    field(both, width * instruction.a_elements[lane], width, instruction.a_signed),
                    field(both, width * instruction.b_elements[lane], width, instruction.b_signed));
        if (instruction.saturate) value = clamp(value, width, instruction.destination_signed);
        const auto word = static_cast<std::uint32_t>(value);
        if (instruction.accumulate) {
            result += word;
        } else {
            const std::uint32_t mask = ((1u << width) - 1) << (width * lane);
            result = (result & ~mask) | (word << (width * lane) & mask);
        }
    }
    return result;
}

}  // namespace simtlm::execution::arithmetic

// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/convert.h"
#include "modules/execution/arithmetic/half.h"
#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/machine/machine_rows.h"
#include "modules/execution/memory_access.h"
#include "modules/execution/operations/lanes.h"
#include "modules/execution/operations/matrix_operations.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace simtlm::execution {

namespace {

template <class Function>
const operation* map_words(warp& w, const operation* op, Function&& f) {
    alignas(64) word result[warp_size];
    for (unsigned i = 0; i < warp_size; ++i) result[i] = f(i);
    put_row(row(w, op->destination), result, w.lanes_of(op));
    return op + 1;
}

/// The value of a half. @param bfloat  bf16 instead of f16
float number_of(std::uint32_t half, bool bfloat, bool flushes) {
    namespace values = arithmetic;
    const auto bits = static_cast<std::uint16_t>(half);
    if (flushes && !bfloat && (bits & 0x7c00) == 0) return 0;
    return values::as_float(bfloat ? values::detail::widen_half<values::bf16>(bits)
                                   : values::detail::widen_half<values::f16>(bits));
}

/// Comparisons of machine code: 1 less, 2 equal, 4 greater; 8: also true if either is NaN.
bool holds(unsigned comparison, float a, float b) {
    const bool unordered = a != a || b != b;
    constexpr unsigned ordered_mask = 7;
    if (unordered) return (comparison & 8) != 0;
    const unsigned how = a < b ? 1 : a == b ? 2 : 4;
    return (comparison & ordered_mask & how) != 0;
}

/// Results of the comparison of the low and the high halves, by lane.
struct half_masks {
    lane_mask low = 0, high = 0;
};
half_masks compare(const warp& w, const operation* op, const machine_details& d) {
    const word *const a = row(w, op->source[0]), *const b = row(w, op->source[1]);
    half_masks m;
    for (unsigned i = 0; i < warp_size; ++i) {
        const auto one = [&](unsigned shift) {
            return holds(d.comparison, number_of(a[i] >> shift & 0xffff, d.extended, d.wraps),
                         number_of(b[i] >> shift & 0xffff, d.extended, d.wraps));
        };
        m.low |= static_cast<lane_mask>(one(0)) << i;
        m.high |= static_cast<lane_mask>(one(16)) << i;
    }
    return m;
}
lane_mask combine(const machine_details& d, lane_mask p, lane_mask other) {
    return d.combination == 0 ? p & other : d.combination == 1 ? p | other : p ^ other;
}

}  // namespace

const operation* machine_half_source(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word* const a = row(w, op->source[0]);
    word* const to = row(w, op->destination);
    for (unsigned i = 0; i < warp_size; ++i) {
        const std::uint32_t x = a[i];
        const std::uint32_t chosen = d.number == 1   ? (x & 0xffff) | x << 16
                                     : d.number == 2 ? (x >> 16) | (x & 0xffff0000u)
                                     : d.number == 3 ? ((x >> 16) ^ 0x8000) | x << 16
                                                     : x;
        to[i] = (chosen & d.keep[0]) ^ d.flip[0];
    }
    return op + 1;
}

namespace {
/// Rounds an exact number, or one with a sticky last bit, to half precision.
template <class Half>
std::uint32_t rounded_half(double value, const machine_details& d) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    std::uint32_t half = arithmetic::cvt<Half, arithmetic::f64>::apply(bits);
    constexpr std::uint32_t sign = 0x8000, magnitude = 0x7fff;
    constexpr std::uint32_t infinity = std::is_same_v<Half, arithmetic::bf16> ? 0x7f80 : 0x7c00;
    constexpr std::uint32_t smallest = std::is_same_v<Half, arithmetic::bf16> ? 0x80 : 0x400;
    constexpr std::uint32_t one = std::is_same_v<Half, arithmetic::bf16> ? 0x3f80 : 0x3c00;
    const bool is_nan = (half & magnitude) > infinity;
    if (d.wraps && (half & magnitude) < smallest) half &= sign;
    if (!d.is_signed) half = is_nan || (half & sign) != 0 ? 0 : half > one ? one : half;
    if (d.high && !is_nan && (half & sign) != 0) half = 0;
    return half;
}

/// a + b rounded to odd: the last bit is set if the sum is inexact.
double add_to_odd(double a, double b) {
    const double sum = a + b;
    if (!std::isfinite(sum)) return sum;
    const double b_part = sum - a, error = (a - (sum - b_part)) + (b - b_part);
    std::uint64_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    if (error == 0 || (bits & 1) != 0) return sum;
    // Step towards the exact value: that neighbour is odd.
    return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}
}  // namespace

const operation* machine_mixed_half(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word* const sources[3] = {row(w, op->source[0]), row(w, op->source[1]),
                                    row(w, op->source[2])};
    const auto value = [&](unsigned n, unsigned i, unsigned shift) -> double {
        return number_of(sources[n][i] >> shift & 0xffff, d.extended, d.wraps);
    };
    return map_words(w, op, [&](unsigned i) {
        std::uint32_t result = 0;
        for (unsigned shift = 0; shift < 32; shift += 16) {
            const double a = value(0, i, shift), b = value(1, i, shift);
            // Products have at most 22 significant bits.
            double x = d.combination == 0 ? add_to_odd(a, b) : a * b;
            if (d.left && d.combination != 0 && (a == 0 || b == 0)) x = 0;
            if (d.combination == 2) x = add_to_odd(x, value(2, i, shift));
            result |= (d.extended ? rounded_half<arithmetic::bf16>(x, d)
                                  : rounded_half<arithmetic::f16>(x, d))
                      << shift;
        }
        return result;
    });
}

const operation* machine_half_compare(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    half_masks m = compare(w, op, d);
    if (d.high) {
        m.low &= m.high;
        m.high = ~m.low;
    }
    const lane_mask other = predicate(w, d, 0), lanes = w.lanes_of(op);
    write_mask(w, d.result[0], lanes, combine(d, m.low, other));
    write_mask(w, d.result[1], lanes, combine(d, m.high, other));
    return op + 1;
}

const operation* machine_half_set(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const half_masks m = compare(w, op, d);
    const lane_mask other = predicate(w, d, 0);
    const lane_mask low = combine(d, m.low, other), high = combine(d, m.high, other);
    return map_words(w, op, [&](unsigned i) {
        return ((low >> i & 1) != 0 ? d.number & 0xffff : 0) |
               ((high >> i & 1) != 0 ? d.number & 0xffff0000u : 0);
    });
}

const operation* machine_dot_product(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word *const a = row(w, op->source[0]), *const b = row(w, op->source[1]);
    const word* const c = row(w, op->source[2]);
    // number: bit 0: A is signed, bit 1: B is signed; width 8: four products; 16: two products of
    // halves of A and bytes of B, the high ones with `high`.
    const auto byte_of = [](std::uint32_t x, unsigned n, bool is_signed) {
        const std::uint32_t v = x >> (8 * n) & 0xff;
        return static_cast<std::int32_t>(is_signed && v >= 0x80 ? v | 0xffffff00u : v);
    };
    const auto half_of = [](std::uint32_t x, unsigned n, bool is_signed) {
        const std::uint32_t v = x >> (16 * n) & 0xffff;
        return static_cast<std::int32_t>(is_signed && v >= 0x8000 ? v | 0xffff0000u : v);
    };
    const bool a_signed = (d.number & 1) != 0, b_signed = (d.number & 2) != 0;
    return map_words(w, op, [&](unsigned i) {
        std::uint32_t sum = (c[i] ^ d.flip[2]) + d.add[2];
        if (d.width == 8)
            for (unsigned n = 0; n < 4; ++n)
                sum += static_cast<std::uint32_t>(byte_of(a[i], n, a_signed) *
                                                  byte_of(b[i], n, b_signed));
        else
            for (unsigned n = 0; n < 2; ++n)
                sum += static_cast<std::uint32_t>(half_of(a[i], n, a_signed) *
                                                  byte_of(b[i], n + (d.high ? 2 : 0), b_signed));
        return sum;
    });
}

const operation* machine_differences(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word *const a = row(w, op->source[0]), *const b = row(w, op->source[1]);
    const word* const c = row(w, op->source[2]);
    // width 8: of bytes, packed, or with `extended` summed; 32: of words
    return map_words(w, op, [&](unsigned i) {
        if (d.width == 32) {
            const std::uint32_t bias = d.is_signed ? 0x80000000u : 0;
            const std::uint32_t x = a[i] ^ bias, y = b[i] ^ bias;
            return (x > y ? x - y : y - x) + c[i];
        }
        const std::uint32_t bias = d.is_signed ? 0x80u : 0;
        std::uint32_t packed = 0, sum = c[i];
        for (unsigned n = 0; n < 4; ++n) {
            const std::uint32_t x = (a[i] >> (8 * n) & 0xff) ^ bias;
            const std::uint32_t y = (b[i] >> (8 * n) & 0xff) ^ bias;
            const std::uint32_t difference = x > y ? x - y : y - x;
            packed |= difference << (8 * n);
            sum += difference;
        }
        return d.extended ? sum : packed;
    });
}

const operation* machine_pack_integers(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word *const a = row(w, op->source[0]), *const b = row(w, op->source[1]),
                      *const c = row(w, op->source[2]);
    const unsigned bits = d.width;
    const std::int64_t most = (std::int64_t{1} << (d.is_signed ? bits - 1 : bits)) - 1;
    const std::int64_t least = d.is_signed ? -most - 1 : 0;
    const auto narrow = [&](std::uint32_t x) {
        std::int64_t v = d.extended ? std::int64_t{static_cast<std::int32_t>(x)} : std::int64_t{x};
        if (!d.wraps) v = std::min(std::max(v, least), most);
        return static_cast<std::uint32_t>(v) & ((1u << bits) - 1);
    };
    return map_words(w, op, [&](unsigned i) {
        const std::uint32_t pair = narrow(a[i]) << bits | narrow(b[i]);
        return bits == 16 ? pair : pair | c[i] << 2 * bits;
    });
}

const operation* machine_extremum16(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word *const a = row(w, op->source[0]), *const b = row(w, op->source[1]);
    const lane_mask smaller = predicate(w, d, 0);
    const std::uint32_t bias = d.is_signed ? 0x8000u : 0;
    return map_words(w, op, [&](unsigned i) {
        std::uint32_t r = 0;
        for (unsigned shift = 0; shift < 32; shift += 16) {
            const std::uint32_t x = a[i] >> shift & 0xffff, y = b[i] >> shift & 0xffff;
            const bool less = (x ^ bias) < (y ^ bias);
            r |= (less == ((smaller >> i & 1) != 0) ? x : y) << shift;
        }
        return r;
    });
}

const operation* machine_add16(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word *const a = row(w, op->source[0]), *const b = row(w, op->source[1]);
    // Modifiers are negations of both halves.
    const auto half = [&](std::uint32_t x, unsigned n, unsigned shift) {
        const std::uint32_t v = x >> shift & 0xffff;
        return d.flip[n] != 0 ? 0u - v : v;
    };
    return map_words(w, op, [&](unsigned i) {
        return ((half(a[i], 0, 0) + half(b[i], 1, 0)) & 0xffff) |
               (half(a[i], 0, 16) + half(b[i], 1, 16)) << 16;
    });
}

const operation* machine_clamp_negative(warp& w, const operation* op) {
    const machine_details& d = details_of(op);
    const word* const a = row(w, op->source[0]);
    return map_words(w, op, [&](unsigned i) -> std::uint32_t {
        if (d.width == 32) return (a[i] >> 31) != 0 ? 0 : a[i];
        return ((a[i] & 0x8000u) != 0 ? 0 : a[i] & 0xffffu) |
               ((a[i] >> 31) != 0 ? 0 : a[i] & 0xffff0000u);
    });
}

const operation* machine_load_matrices(warp& w, const operation* op) {
    note_matrix_rows(w, op);
    return load_matrices(w, op);
}

}  // namespace simtlm::execution

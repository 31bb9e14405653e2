// SPDX-License-Identifier: Apache-2.0
// Exact floating-point arithmetic on integers, for every format and rounding mode. Slow; used for
// operations without a host instruction, and as a reference for those that use one.
#pragma once

#include "modules/execution/arithmetic/integer.h"

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace soft {

using detail::uint128;

enum class kind : std::uint8_t { finite, infinite, nan };

/// An exact number: (-1)^negative * significand * 2^exponent. After an inexact operation the lowest
/// bit of the significand may be a sticky bit, which is then far below any format's last bit.
struct number {
    kind is = kind::finite;
    bool negative = false;
    int exponent = 0;
    uint128 significand = 0;
};

constexpr number not_a_number() {
    return {kind::nan, false, 0, 0};
}
constexpr number infinity(bool negative) {
    return {kind::infinite, negative, 0, 0};
}

/// Position of the highest set bit; -1 for 0.
constexpr int top_bit(uint128 value) {
    const auto high = static_cast<std::uint64_t>(value >> 64);
    const auto low = static_cast<std::uint64_t>(value);
    if (high != 0) return 127 - __builtin_clzll(high);
    return low != 0 ? 63 - __builtin_clzll(low) : -1;
}

/// value >> amount, with the lowest bit set if any bit shifted out was set.
constexpr uint128 shift_right_sticky(uint128 value, int amount) {
    if (amount <= 0) return value;
    if (amount > 127) return value != 0;
    const uint128 kept = value >> amount;
    return kept | ((kept << amount) != value);
}

/// Decodes the bits of a Format.
template <class Format>
constexpr number unpack(bits_of<Format> bits) {
    number n;
    n.negative = (bits & Format::sign_bit) != 0;
    const auto magnitude = static_cast<bits_of<Format>>(bits & Format::magnitude_mask);
    if (magnitude >= Format::infinity) {
        n.is = Format::has_infinity && magnitude == Format::infinity ? kind::infinite : kind::nan;
        return n;
    }
    const int biased = static_cast<int>(magnitude >> Format::fraction_bits);
    n.significand = magnitude & Format::fraction_mask;
    if (biased != 0) n.significand |= uint128{1} << Format::fraction_bits;
    n.exponent =
        (biased != 0 ? biased : 1) - Format::bias - static_cast<int>(Format::fraction_bits);
    return n;
}

/// Converts an integer to a number.
template <class Type>
constexpr number from_integer(bits_of<Type> bits) {
    number n;
    n.negative = value_of<Type>(bits) < 0;
    n.significand = n.negative ? static_cast<bits_of<Type>>(-bits) : bits;
    return n;
}

/// significand * 2^-shift rounded to an integer; `negative` determines the direction of down and
/// up.
constexpr uint128 round_shift(uint128 significand, int shift, bool negative, rounding mode) {
    if (shift <= 0) return significand << -shift;
    // Two more bits than the result: the first bit shifted out, and the OR of the others.
    const uint128 extended =
        shift > 1 ? shift_right_sticky(significand, shift - 2) : significand << 1;
    const uint128 kept = extended >> 2;
    const unsigned lost = static_cast<unsigned>(extended & 3);
    bool more = false;
    switch (mode) {
        case rounding::nearest:
            more = lost + static_cast<unsigned>(kept & 1) > 2;
            break;
        case rounding::away:
            more = lost >= 2;
            break;
        case rounding::zero:
            break;
        case rounding::down:
            more = negative && lost != 0;
            break;
        case rounding::up:
            more = !negative && lost != 0;
            break;
    }
    return kept + more;
}

/// Result of an overflow in a Format: infinity (NaN if there is none) or the largest number.
template <class Format>
constexpr bits_of<Format> overflow(bool negative, rounding mode, modifiers flags) {
    const bool stays_finite = (flags & satfinite) != 0 || mode == rounding::zero ||
                              mode == (negative ? rounding::up : rounding::down);
    return stays_finite ? Format::largest_finite : Format::infinity;
}

/// Encodes a number in a Format. NaN becomes the canonical NaN. Of the modifiers, ftz, sat, relu
/// and satfinite are applied.
template <class Format>
constexpr bits_of<Format> pack(const number& n, rounding mode, modifiers flags = plain) {
    using bits = bits_of<Format>;
    if (n.is == kind::nan) return (flags & sat) != 0 ? bits{0} : Format::canonical_nan;
    bits magnitude = 0;
    if (n.is == kind::infinite) {
        magnitude = (flags & satfinite) != 0 ? Format::largest_finite : Format::infinity;
    } else if (n.significand != 0) {
        constexpr int smallest_normal = 1 - Format::bias;
        const int value_exponent = n.exponent + top_bit(n.significand);
        if (value_exponent > Format::bias + 2) {
            magnitude = overflow<Format>(n.negative, mode, flags);
        } else {
            const int exponent =
                value_exponent > smallest_normal ? value_exponent : smallest_normal;
            const int last = exponent - static_cast<int>(Format::fraction_bits);
            const auto kept = static_cast<std::uint64_t>(
                round_shift(n.significand, last - n.exponent, n.negative, mode));
            const std::uint64_t encoded =
                (static_cast<std::uint64_t>(exponent - smallest_normal) << Format::fraction_bits) +
                kept;
            magnitude = encoded > Format::largest_finite ? overflow<Format>(n.negative, mode, flags)
                                                         : static_cast<bits>(encoded);
            if ((flags & ftz) != 0 && (magnitude & Format::exponent_mask) == 0) magnitude = 0;
        }
    }
    if ((flags & (sat | relu)) != 0 && n.negative) return 0;
    if ((flags & sat) != 0 && magnitude > Format::one) return Format::one;
    return static_cast<bits>(magnitude | (n.negative ? Format::sign_bit : bits{0}));
}

/// The sum of two finite numbers, the larger one aligned to bit 126: exact if bits cancel,
/// otherwise with a sticky bit.
constexpr number add_finite(number a, number b, rounding mode) {
    if (a.significand == 0 && b.significand == 0) {
        const bool negative =
            mode == rounding::down ? a.negative || b.negative : a.negative && b.negative;
        return {kind::finite, negative, 0, 0};
    }
    if (a.significand == 0) return b;
    if (b.significand == 0) return a;
    const auto normalise = [](number& n) {
        const int up = 125 - top_bit(n.significand);
        n.significand <<= up;
        n.exponent -= up;
    };
    normalise(a);
    normalise(b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        const number swapped = a;
        a = b;
        b = swapped;
    }
    const uint128 smaller = shift_right_sticky(b.significand, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.significand += smaller;
    } else {
        a.significand -= smaller;
        if (a.significand == 0) a.negative = mode == rounding::down;
    }
    return a;
}

/// The sum, exact except for a sticky bit. @param mode  determines the sign of a zero sum
constexpr number add(const number& a, const number& b, rounding mode) {
    if (a.is == kind::nan || b.is == kind::nan) return not_a_number();
    if (a.is == kind::infinite) {
        return b.is == kind::infinite && a.negative != b.negative ? not_a_number() : a;
    }
    return b.is == kind::infinite ? b : add_finite(a, b, mode);
}

constexpr number negated(number a) {
    a.negative = !a.negative;
    return a;
}

/// The product; exact, because no significand has more than 64 bits.
constexpr number multiply(const number& a, const number& b) {
    const bool negative = a.negative != b.negative;
    if (a.is == kind::nan || b.is == kind::nan) return not_a_number();
    if (a.is == kind::infinite || b.is == kind::infinite) {
        const bool by_zero = (a.is == kind::finite && a.significand == 0) ||
                             (b.is == kind::finite && b.significand == 0);
        return by_zero ? not_a_number() : infinity(negative);
    }
    return {kind::finite, negative, a.exponent + b.exponent, a.significand * b.significand};
}

/// The quotient of numbers with at most 53 significant bits, to 64 bits plus a sticky bit.
constexpr number divide(const number& a, const number& b) {
    const bool negative = a.negative != b.negative;
    if (a.is == kind::nan || b.is == kind::nan) return not_a_number();
    if (a.is == kind::infinite) return b.is == kind::infinite ? not_a_number() : infinity(negative);
    if (b.is == kind::infinite) return {kind::finite, negative, 0, 0};
    if (b.significand == 0) return a.significand == 0 ? not_a_number() : infinity(negative);
    if (a.significand == 0) return {kind::finite, negative, 0, 0};
    const int up = 126 - top_bit(a.significand);
    const uint128 dividend = a.significand << up;
    const uint128 quotient = dividend / b.significand;
    return {kind::finite, negative, a.exponent - up - b.exponent,
            quotient | (quotient * b.significand != dividend)};
}

/// The square root of a number with at most 53 significant bits, to 63 bits plus a sticky bit.
constexpr number square_root(const number& a) {
    if (a.is == kind::nan) return a;
    if (a.is == kind::finite && a.significand == 0) return a;
    if (a.negative) return not_a_number();
    if (a.is == kind::infinite) return a;
    int up = 125 - top_bit(a.significand);
    if (((a.exponent - up) & 1) != 0) --up;
    uint128 rest = a.significand << up;
    uint128 root = 0;
    for (uint128 step = uint128{1} << 126; step != 0; step >>= 2) {
        if (rest >= root + step) {
            rest -= root + step;
            root = (root >> 1) + step;
        } else {
            root >>= 1;
        }
    }
    // An additional bit for the sticky remainder.
    return {kind::finite, false, (a.exponent - up) / 2 - 1, root << 1 | (rest != 0)};
}

/// Rounds a number to an integer, clamped to the type; 0 for NaN, which the caller must check for
/// if necessary.
template <class Type>
constexpr bits_of<Type> to_integer(const number& n, rounding mode) {
    if (n.is == kind::nan) return 0;
    const bits_of<Type> extreme = n.negative ? detail::smallest<Type> : detail::largest<Type>;
    if (n.is == kind::infinite) return extreme;
    if (n.significand == 0) return 0;
    if (n.exponent + top_bit(n.significand) > 64) return extreme;
    const uint128 magnitude = round_shift(n.significand, -n.exponent, n.negative, mode);
    const uint128 limit = n.negative ? -static_cast<uint128>(value_of<Type>(extreme)) : extreme;
    if (magnitude > limit) return extreme;
    const auto bits = static_cast<bits_of<Type>>(magnitude);
    return n.negative ? static_cast<bits_of<Type>>(-bits) : bits;
}

/// Rounds a finite number to an integral one.
constexpr number to_integral(const number& n, rounding mode) {
    if (n.is != kind::finite || n.exponent >= 0) return n;
    return {kind::finite, n.negative, 0, round_shift(n.significand, -n.exponent, n.negative, mode)};
}

}  // namespace soft
}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic

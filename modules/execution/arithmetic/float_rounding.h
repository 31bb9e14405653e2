// SPDX-License-Identifier: Apache-2.0
// Rounding with the host's double: sums rounded to odd in a double, and conversion of doubles to
// f32 in any rounding mode. Branch-free, so that loops over them are vectorised.
#pragma once

#include "modules/execution/arithmetic/types.h"

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace detail {

/// x + y rounded to odd: of the two doubles adjacent to an inexact sum, the one whose last bit is
/// 1. Rounding it again to a format of at most 51 bits gives the correctly rounded exact sum in
/// every rounding mode. The error of the sum is exact (Knuth's two-sum), and sums of products of
/// two f32 with an f32 are far from overflow and underflow of double.
///
/// An exact zero has the sign required by the rounding mode.
template <rounding Round>
[[gnu::always_inline]] inline double add_to_odd(double x, double y) {
    const double sum = x + y;
    const double y_part = sum - x;
    const double error = (x - (sum - y_part)) + (y - y_part);
    const std::uint64_t bits = as_bits(sum);
    // False for an exact sum, and for an infinite one, whose error is NaN.
    const bool inexact = error < 0 || error > 0;
    const std::uint64_t if_inexact = inexact ? ~std::uint64_t{0} : 0;
    const std::uint64_t if_even = (bits & 1) - 1;
    // One ulp up in magnitude if error and sum have the same sign, otherwise one ulp down.
    const std::uint64_t step = 1 - ((bits ^ as_bits(error)) >> 63) * 2;
    const std::uint64_t odd = bits + (step & if_inexact & if_even);
    if constexpr (Round == rounding::down) {
        return as_double(sum == 0 ? (as_bits(x) | as_bits(y)) & f64::sign_bit : odd);
    } else {
        return as_double(odd);
    }
}

/// The same in f32, for sums that are finally rounded to nearest.
[[gnu::always_inline]] inline float add_to_odd(float x, float y) {
    const float sum = x + y;
    const float y_part = sum - x;
    const float error = (x - (sum - y_part)) + (y - y_part);
    const std::uint32_t bits = as_bits(sum);
    const bool inexact = error < 0 || error > 0;
    const std::uint32_t if_inexact = inexact ? ~0u : 0;
    const std::uint32_t if_even = (bits & 1) - 1;
    const std::uint32_t step = 1 - ((bits ^ as_bits(error)) >> 31) * 2;
    return as_float(bits + (step & if_inexact & if_even));
}

/// Converts a double to f32, in any rounding mode but `away`.
template <rounding Round>
[[gnu::always_inline]] inline std::uint32_t narrow_to_f32(double value) {
    const float nearest = static_cast<float>(value);
    const std::uint32_t bits = as_bits(nearest);
    if constexpr (Round == rounding::nearest) {
        return bits;
    } else {
        const double magnitude = __builtin_fabs(value);
        const double rounded = __builtin_fabs(static_cast<double>(nearest));
        const std::uint32_t too_large = rounded > magnitude ? 1 : 0;  // 0 for NaN
        const std::uint32_t too_small = rounded < magnitude ? 1 : 0;
        const bool negative = (bits & f32::sign_bit) != 0;
        const bool outwards = Round == rounding::down ? negative
                              : Round == rounding::up ? !negative
                                                      : false;
        return outwards ? bits + too_small : bits - too_large;
    }
}

}  // namespace detail
}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic

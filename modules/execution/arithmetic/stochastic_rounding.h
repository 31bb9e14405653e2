// SPDX-License-Identifier: Apache-2.0
// cvt.rs and F2FP.RS: stochastic rounding of f32 to narrower formats (sm_100a).
#pragma once

#include "modules/execution/arithmetic/convert.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {

/// A finite number rounded by adding random bits below its last place and truncating. They are
/// aligned with the highest bit that is dropped: 13 bits for f16, 16 for other formats. Subnormal
/// results drop more bits of the number. (As measured on a B200 for bf16, e4m3, e5m2 and e2m1.)
template <class To, modifiers Flags>
struct cvt_stochastic {
    static constexpr unsigned fraction_bits = 23;
    static constexpr unsigned random_bits = std::is_same_v<To, f16> ? 13 : 16;

    static bits_of<To> apply(std::uint32_t bits, std::uint32_t random) {
        using exact = cvt<To, f32, rounding::nearest, Flags>;
        const std::uint32_t field = (bits & f32::magnitude_mask) >> fraction_bits;
        constexpr std::uint32_t not_finite = 0xff;
        if (field == not_finite) return exact::apply(bits);
        const int exponent = static_cast<int>(field == 0 ? 1 : field) - f32::bias;
        const std::uint64_t significand =
            (bits & f32::fraction_mask) | (field == 0 ? 0 : std::uint32_t{1} << fraction_bits);
        constexpr int min_exponent = 1 - To::bias;
        const int below = exponent < min_exponent ? min_exponent - exponent : 0;
        const int dropped = static_cast<int>(fraction_bits - To::fraction_bits) + below;
        // Beyond these, no random number reaches the smallest result.
        constexpr int max_dropped = fraction_bits + 1 + random_bits;
        const std::uint64_t sum =
            dropped > max_dropped ? 0
                                  : significand + (std::uint64_t{random & ((1u << random_bits) - 1)}
                                                   << (dropped - static_cast<int>(random_bits)));
        const double magnitude =
            std::ldexp(static_cast<double>(sum), exponent - static_cast<int>(fraction_bits));
        const bool negative = (bits & f32::sign_bit) != 0;
        if constexpr (To::has_infinity && (Flags & satfinite) == 0) {
            const double beyond = std::ldexp(1.0, To::bias + 1);
            constexpr auto infinity = std::numeric_limits<float>::infinity();
            if (magnitude >= beyond) return exact::apply(as_bits(negative ? -infinity : infinity));
        }
        return cvt<To, f64, rounding::zero, Flags>::apply(
            as_bits(negative ? -magnitude : magnitude));
    }
};

/// F2FP.RS, with random bits in C. Pairs of 16 bits: each element takes the half of C in its place.
/// Narrower pairs are followed by the low bits of C; both elements take the same random bits, the
/// high one in reverse order: those of the upper half of C, or of its odd bytes for e2m1. As the
/// result is C of a second instruction, four numbers of cvt.rs share 32 random bits.
template <class To, modifiers Flags>
struct cvt_pair_stochastic {
    static std::uint32_t apply(std::uint32_t high, std::uint32_t low, std::uint32_t c) {
        using element = cvt_stochastic<To, Flags>;
        constexpr unsigned half = 16, byte = 8, stride = element_stride<To>;
        if constexpr (stride == half) {
            return static_cast<std::uint32_t>(element::apply(high, c >> half)) << half |
                   element::apply(low, c & 0xffff);
        } else {
            const std::uint32_t random =
                stride < byte ? (c >> 24 << byte | (c >> byte & 0xff)) : c >> half;
            const std::uint32_t pair =
                static_cast<std::uint32_t>(element::apply(high, reversed(random))) << stride |
                element::apply(low, random);
            return c << (2 * stride) | pair;
        }
    }

private:
    static std::uint32_t reversed(std::uint32_t half) {
        std::uint32_t result = 0;
        for (unsigned i = 0; i < 16; ++i) result |= (half >> i & 1) << (15 - i);
        return result;
    }
};

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic

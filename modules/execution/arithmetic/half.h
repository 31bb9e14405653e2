// SPDX-License-Identifier: Apache-2.0
// f16 and bf16: branch-free conversion to and from f32, and add, sub, mul, fma.
#pragma once

#include "modules/execution/arithmetic/float_rounding.h"
#include "modules/execution/arithmetic/floating.h"

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace detail {

template <class Type>
constexpr bool is_half = std::is_same_v<Type, f16> || std::is_same_v<Type, bf16>;

/// The f32 bits of an f16 or bf16 number; exact. NaN keeps its payload.
template <class Type>
constexpr std::uint32_t widen_half(std::uint16_t bits) {
    if constexpr (std::is_same_v<Type, bf16>) {
        return static_cast<std::uint32_t>(bits) << 16;
    } else {
        const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
        const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
        constexpr std::uint32_t rebias = (127 - 15) << 23;
        const std::uint32_t normal = magnitude + rebias;
        // A subnormal is converted as a fraction of 2^-14 with a leading 1, which is then
        // subtracted.
        const float with_one = as_float(normal + 0x00800000);
        const std::uint32_t subnormal = as_bits(with_one - as_float(0x38800000));
        const std::uint32_t special = magnitude | f32::infinity;
        const std::uint32_t finite = magnitude < 0x00800000 ? subnormal : normal;
        return sign | (magnitude >= 0x0f800000 ? special : finite);
    }
}

/// Rounds an f32 to nearest f16 or bf16; NaN becomes canonical.
template <class Type>
constexpr std::uint16_t narrow_half(std::uint32_t bits) {
    const std::uint32_t sign = bits >> 16 & 0x8000;
    const std::uint32_t magnitude = bits & f32::magnitude_mask;
    if constexpr (std::is_same_v<Type, bf16>) {
        const std::uint32_t rounded = (magnitude + 0x7fff + (magnitude >> 16 & 1)) >> 16;
        return static_cast<std::uint16_t>(magnitude > f32::infinity ? bf16::canonical_nan
                                                                    : sign | rounded);
    } else {
        constexpr std::uint32_t rebias = (127 - 15) << 23;
        const std::uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - rebias) >> 13;
        // Adding 1/2 rounds at its last bit, 2^-24, which is the last bit of subnormal f16.
        const std::uint32_t subnormal = as_bits(as_float(magnitude) + 0.5f) - 0x3f000000;
        const std::uint32_t finite = magnitude < 0x38800000 ? subnormal : normal;
        const std::uint32_t large = magnitude >= 0x47800000 ? f16::infinity : finite;
        return static_cast<std::uint16_t>(magnitude > f32::infinity ? f16::canonical_nan
                                                                    : sign | large);
    }
}

/// The operand as a float, flushed with ftz.
template <class Type, modifiers Flags>
constexpr float half_operand(std::uint16_t bits) {
    return as_float(widen_half<Type>(flush<Type, Flags>(bits)));
}

/// Converts a float that is correctly rounded, or rounded to odd, to a result.
template <class Type, modifiers Flags>
constexpr std::uint16_t half_result(float value) {
    return finish<Type, Flags>(narrow_half<Type>(as_bits(value)));
}

/// Rounds a double to odd in f32, for sums that are rounded again.
[[gnu::always_inline]] inline float to_float_odd(double value) {
    const std::uint32_t truncated = narrow_to_f32<rounding::zero>(value);
    const bool inexact = static_cast<double>(as_float(truncated)) != value;
    return as_float(truncated | (inexact && value == value ? 1u : 0u));
}

}  // namespace detail

/// Sums of two f16 (or bf16) that are first rounded to f32 and then to the format are correctly
/// rounded, because f32 has more than twice their bits plus two.
template <class Type, rounding Round, modifiers Flags>
struct add<Type, Round, Flags, std::enable_if_t<detail::is_half<Type>>> {
    static_assert(Round == rounding::nearest, "half precision rounds to nearest");
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b) {
        return detail::half_result<Type, Flags>(detail::half_operand<Type, Flags>(a) +
                                                detail::half_operand<Type, Flags>(b));
    }
};

template <class Type, rounding Round, modifiers Flags>
struct sub<Type, Round, Flags, std::enable_if_t<detail::is_half<Type>>> {
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b) {
        return add<Type, Round, Flags>::apply(a, static_cast<std::uint16_t>(b ^ 0x8000));
    }
};

namespace detail {

/// Products of two 11-bit or 8-bit significands are exact in f32, or (bf16 below f32's range)
/// subnormal in both formats, where f32 has 16 more bits: another rounding could still be wrong at
/// a tie, so the product is computed in double and rounded to odd.
template <class Type, modifiers Flags>
[[gnu::always_inline]] inline std::uint16_t half_product(std::uint16_t a, std::uint16_t b) {
    const float x = half_operand<Type, Flags>(a);
    const float y = half_operand<Type, Flags>(b);
    if constexpr (std::is_same_v<Type, f16>) {
        return half_result<Type, Flags>(x * y);
    } else {
        return half_result<Type, Flags>(to_float_odd(static_cast<double>(x) * y));
    }
}

/// A single rounding: the product is exact (of f16 in f32, of bf16 in double), the sum is rounded
/// to odd and has more than the two extra bits that the last rounding requires.
template <class Type, modifiers Flags>
[[gnu::always_inline]] inline std::uint16_t half_fma(std::uint16_t a, std::uint16_t b,
                                                     std::uint16_t c) {
    const float x = half_operand<Type, Flags>(a);
    const float y = half_operand<Type, Flags>(b);
    const float z = half_operand<Type, Flags>(c);
    if constexpr (std::is_same_v<Type, f16>) {
        return half_result<Type, Flags>(add_to_odd(x * y, z));
    } else {
        const double product = static_cast<double>(x) * y;
        const double sum = add_to_odd<rounding::nearest>(product, static_cast<double>(z));
        return half_result<Type, Flags>(to_float_odd(sum));
    }
}

}  // namespace detail

template <rounding Round, modifiers Flags>
struct mul<f16, Round, Flags> {
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b) {
        return detail::half_product<f16, Flags>(a, b);
    }
};
template <rounding Round, modifiers Flags>
struct mul<bf16, Round, Flags> {
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b) {
        return detail::half_product<bf16, Flags>(a, b);
    }
};
template <rounding Round, modifiers Flags>
struct fma<f16, Round, Flags> {
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
        return detail::half_fma<f16, Flags>(a, b, c);
    }
};
template <rounding Round, modifiers Flags>
struct fma<bf16, Round, Flags> {
    static std::uint16_t apply(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
        return detail::half_fma<bf16, Flags>(a, b, c);
    }
};

/// add, sub and fma of f32 whose first operand, or factors, have half the width (sm_100): exact
/// when widened, so that there is one rounding.
template <class Operation, class Half>
struct mixed {
    static std::uint32_t apply(std::uint16_t a, std::uint32_t b) {
        return Operation::apply(detail::widen_half<Half>(a), b);
    }
    static std::uint32_t apply(std::uint16_t a, std::uint16_t b, std::uint32_t c) {
        return Operation::apply(detail::widen_half<Half>(a), detail::widen_half<Half>(b), c);
    }
};

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic

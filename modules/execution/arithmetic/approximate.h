// SPDX-License-Identifier: Apache-2.0
// The .approx and .full functions: ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt, div.
//
// PTX bounds their errors and specifies their results for special inputs. Here they are computed in
// double with a relative error of about 2^-32 and then rounded, hence within all bounds, with the
// special cases of the manual. The GPU's own results differ in the last bits. Branch-free.
#pragma once

#include "modules/execution/arithmetic/half.h"
#include "modules/execution/arithmetic/ieee.h"

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace detail {

/// c[0] + c[1] x + c[2] x^2 + ...
template <unsigned Count>
constexpr double polynomial(double x, const double (&c)[Count]) {
    double sum = c[Count - 1];
    for (unsigned i = Count - 1; i-- > 0;) sum = sum * x + c[i];
    return sum;
}

/// Adding and subtracting this constant rounds a double below 2^51 to an integer, which is also in
/// the low bits of the sum.
constexpr double integer_shifter = 6755399441055744.0;  // 1.5 * 2^52

constexpr double canonical_nan_f64 = as_double(f64::canonical_nan);

/// 2^x: the integer part becomes the exponent, the fraction is a Taylor series of e^(x ln 2).
inline double exponential2(double x) {
    constexpr double ln2 = 0.69314718055994530942;
    constexpr double taylor[] = {1.0,       1.0,       1.0 / 2,    1.0 / 6,     1.0 / 24,
                                 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
    const double above = x > -300 ? x : -300.0;
    const double within = above < 300 ? above : 300.0;
    const double shifted = within + integer_shifter;
    const double rest = within - (shifted - integer_shifter);
    const double scale = as_double((as_bits(shifted) << 52) + f64::one);
    const double result = polynomial(rest * ln2, taylor) * scale;
    return x == x ? result : canonical_nan_f64;
}

/// log2 of an f32 as a double: -infinity for 0, NaN for negative numbers.
inline double logarithm2(std::uint32_t bits) {
    // Subnormals are first scaled by 2^24.
    const bool tiny = bits < 0x00800000;
    const std::uint32_t scaled = as_bits(as_float(bits) * 16777216.0f);
    const std::uint32_t normal = tiny ? scaled : bits;
    const auto above_root = static_cast<std::int32_t>(normal - 0x3f3504f3);  // sqrt(1/2)
    const std::int32_t exponent = above_root >> 23;
    const double mantissa =
        as_float(normal - (static_cast<std::uint32_t>(exponent) << 23));  // sqrt(1/2) .. sqrt(2)
    // ln m = 2 atanh((m - 1) / (m + 1)).
    constexpr double twice_log2e = 2.88539008177792681472;
    constexpr double series[] = {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13};
    const double f = (mantissa - 1) / (mantissa + 1);
    const double whole = exponent - (tiny ? 24 : 0);
    const double result = whole + twice_log2e * f * polynomial(f * f, series);
    const bool zero = (bits & f32::magnitude_mask) == 0;
    const bool positive = bits < f32::infinity;
    const double minus_infinity = as_double(f64::sign_bit | f64::infinity);
    const double infinity = as_double(f64::infinity);
    const double special = bits == f32::infinity ? infinity : canonical_nan_f64;
    return zero ? minus_infinity : positive ? result : special;
}

/// x / (2 pi) minus the nearest integer: -1/2 .. 1/2. NaN for infinity. Above 2^51 turns, a double
/// has no fraction of a turn left, and the result is 0.
inline double turns(double x) {
    constexpr double per_turn = 0.15915494309189533577;
    const double all = x * per_turn;
    const double rest = all - ((all + integer_shifter) - integer_shifter);
    const bool has_fraction = __builtin_fabs(all) < 2251799813685248.0;
    const bool finite = __builtin_fabs(x) < as_double(f64::infinity);
    return has_fraction ? rest : finite ? 0.0 : canonical_nan_f64;
}

/// sin for -1/4 .. 1/4 turns.
inline double sine_of_turns(double t) {
    constexpr double taylor[] = {1.0,          -1.0 / 6,          1.0 / 120,         -1.0 / 5040,
                                 1.0 / 362880, -1.0 / 39916800.0, 1.0 / 6227020800.0};
    const double angle = t * 6.28318530717958647693;
    return angle * polynomial(angle * angle, taylor);
}

inline double sine(double x) {
    const double t = turns(x);
    const double half = as_double((as_bits(t) & f64::sign_bit) | as_bits(0.5));
    return sine_of_turns(__builtin_fabs(t) > 0.25 ? half - t : t);
}

inline double cosine(double x) {
    return sine_of_turns(0.25 - __builtin_fabs(turns(x)));
}

inline double hyperbolic_tangent(double x) {
    constexpr double twice_log2e = 2.88539008177792681472;
    const double magnitude = __builtin_fabs(x);
    const double large = 1 - 2 / (exponential2(magnitude * twice_log2e) + 1);
    const double square = x * x;
    const double small = magnitude * (1 + square * (-1.0 / 3 + square * (2.0 / 15)));
    const double result = magnitude < 0.02 ? small : large;
    return as_double(as_bits(result) | (as_bits(x) & f64::sign_bit));
}

/// The upper 32 bits of a double, with the other bits cleared; subnormals are flushed.
constexpr std::uint64_t upper_word(std::uint64_t bits) {
    return flush<f64, ftz>(bits & 0xffffffff00000000);
}

}  // namespace detail

template <class Type, modifiers Flags = plain>
struct ex2_approx;
template <class Type, modifiers Flags = plain>
struct tanh_approx;
template <class Type, modifiers Flags = plain>
struct rcp_approx;
template <class Type, modifiers Flags = plain>
struct rsqrt_approx;

template <modifiers Flags>
struct ex2_approx<f32, Flags> {
    static std::uint32_t apply(std::uint32_t a) {
        return detail::result_f32<rounding::nearest, Flags>(
            detail::exponential2(detail::wide_f32<Flags>(a)));
    }
};

template <modifiers Flags>
struct tanh_approx<f32, Flags> {
    static std::uint32_t apply(std::uint32_t a) {
        return detail::result_f32<rounding::nearest, Flags>(
            detail::hyperbolic_tangent(detail::wide_f32<Flags>(a)));
    }
};

namespace detail {
/// ex2 of f16 and bf16.
template <class Type, modifiers Flags>
struct half_ex2 {
    static std::uint16_t apply(std::uint16_t a) {
        const double result = exponential2(half_operand<Type, Flags>(a));
        return half_result<Type, Flags>(static_cast<float>(result));
    }
};
/// tanh of f16 and bf16.
template <class Type, modifiers Flags>
struct half_tanh {
    static std::uint16_t apply(std::uint16_t a) {
        const double result = hyperbolic_tangent(half_operand<Type, Flags>(a));
        return half_result<Type, Flags>(static_cast<float>(result));
    }
};
}  // namespace detail

template <modifiers Flags>
struct ex2_approx<f16, Flags> : detail::half_ex2<f16, Flags> {};
template <modifiers Flags>
struct ex2_approx<bf16, Flags> : detail::half_ex2<bf16, Flags> {};
template <modifiers Flags>
struct tanh_approx<f16, Flags> : detail::half_tanh<f16, Flags> {};
template <modifiers Flags>
struct tanh_approx<bf16, Flags> : detail::half_tanh<bf16, Flags> {};

/// lg2.approx.f32.
template <modifiers Flags = plain>
struct lg2_approx {
    static std::uint32_t apply(std::uint32_t a) {
        return detail::result_f32<rounding::nearest, Flags>(
            detail::logarithm2(detail::flush<f32, Flags>(a)));
    }
};

/// sin.approx.f32.
template <modifiers Flags = plain>
struct sin_approx {
    static std::uint32_t apply(std::uint32_t a) {
        return detail::result_f32<rounding::nearest, Flags>(
            detail::sine(detail::wide_f32<Flags>(a)));
    }
};

/// cos.approx.f32.
template <modifiers Flags = plain>
struct cos_approx {
    static std::uint32_t apply(std::uint32_t a) {
        return detail::result_f32<rounding::nearest, Flags>(
            detail::cosine(detail::wide_f32<Flags>(a)));
    }
};

template <modifiers Flags>
struct rcp_approx<f32, Flags> {
    static std::uint32_t apply(std::uint32_t a) {
        return rcp<f32, rounding::nearest, Flags>::apply(a);
    }
};

/// rcp.approx.ftz.f64: reads the upper word of the operand and writes the upper word of the result.
template <modifiers Flags>
struct rcp_approx<f64, Flags> {
    static std::uint64_t apply(std::uint64_t a) {
        const double result = 1 / as_double(detail::upper_word(a));
        if (result != result) return f64::canonical_nan;
        return detail::upper_word(as_bits(result));
    }
};

template <modifiers Flags>
struct rsqrt_approx<f32, Flags> {
    static std::uint32_t apply(std::uint32_t a) {
        return detail::result_f32<rounding::nearest, Flags>(
            1 / __builtin_sqrt(detail::wide_f32<Flags>(a)));
    }
};

/// rsqrt.approx.f64 and rsqrt.approx.ftz.f64, the latter from upper word to upper word.
template <modifiers Flags>
struct rsqrt_approx<f64, Flags> {
    static std::uint64_t apply(std::uint64_t a) {
        constexpr bool upper = (Flags & ftz) != 0;
        const double operand = as_double(upper ? detail::upper_word(a) : a);
        const double result = 1 / __builtin_sqrt(operand);
        if (result != result) return f64::canonical_nan;
        return upper ? detail::upper_word(as_bits(result)) : as_bits(result);
    }
};

/// sqrt.approx.f32.
template <modifiers Flags = plain>
struct sqrt_approx {
    static std::uint32_t apply(std::uint32_t a) {
        return sqrt<f32, rounding::nearest, Flags>::apply(a);
    }
};

/// div.approx.f32: a times the reciprocal of b, which is 0 for |b| above 2^126.
template <modifiers Flags = plain>
struct div_approx {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        const double dividend = detail::wide_f32<Flags>(a);
        const double divisor = detail::wide_f32<Flags>(b);
        const bool huge = __builtin_fabs(divisor) > 0x1p126;
        const double quotient =
            huge ? dividend * as_double(as_bits(divisor) & f64::sign_bit) : dividend / divisor;
        return detail::result_f32<rounding::nearest, Flags>(quotient);
    }
};

/// div.full.f32.
template <modifiers Flags = plain>
struct div_full {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return div<f32, rounding::nearest, Flags>::apply(a, b);
    }
};

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic

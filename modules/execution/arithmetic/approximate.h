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

/// Turns minus the nearest integer: -1/2 .. 1/2. NaN for infinity. Floats above 2^51 have no
/// fraction.
inline double part_of_turn(double turns) {
    const double rest = turns - ((turns + integer_shifter) - integer_shifter);
    const bool has_fraction = __builtin_fabs(turns) < 2251799813685248.0;
    const bool finite = __builtin_fabs(turns) < as_double(f64::infinity);
    return has_fraction ? rest : finite ? 0.0 : canonical_nan_f64;
}

/// x / (2 pi) as a float rounded towards zero, which is the first instruction of sin.approx and
/// cos.approx, in a double.
inline double turns_of(std::uint32_t x) {
    constexpr double per_turn = 0x1.45f306p-3;  // 1 / (2 pi) as a float
    const double product = static_cast<double>(as_float(x)) * per_turn;
    constexpr std::uint64_t float_bits = ~std::uint64_t{0x1fffffff};
    const double normal = as_double(as_bits(product) & float_bits);
    // Subnormal floats have a last bit of 2^-149, to which the sum is rounded.
    constexpr double subnormal_shifter = 0x1.8p-97, last_bit = 0x1p-149;
    const double magnitude = __builtin_fabs(product);
    const double nearest = (magnitude + subnormal_shifter) - subnormal_shifter;
    const double cut = nearest > magnitude ? nearest - last_bit : nearest;
    const double subnormal = as_double(as_bits(cut) | (as_bits(product) & f64::sign_bit));
    return magnitude < 0x1p-126 ? subnormal : normal;
}

/// sin for -1/4 .. 1/4 turns.
inline double sine_of_quarter(double t) {
    constexpr double taylor[] = {1.0,          -1.0 / 6,          1.0 / 120,         -1.0 / 5040,
                                 1.0 / 362880, -1.0 / 39916800.0, 1.0 / 6227020800.0};
    const double angle = t * 6.28318530717958647693;
    return angle * polynomial(angle * angle, taylor);
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

/// NaN as a result of rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64.
constexpr std::uint64_t upper_nan = 0x7fffffff00000000;

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

namespace detail {
inline std::uint32_t sine(double turns) {
    const double t = part_of_turn(turns);
    const double half = as_double((as_bits(t) & f64::sign_bit) | as_bits(0.5));
    return result_f32<rounding::nearest, plain>(
        sine_of_quarter(__builtin_fabs(t) > 0.25 ? half - t : t));
}
inline std::uint32_t cosine(double turns) {
    return result_f32<rounding::nearest, plain>(
        sine_of_quarter(0.25 - __builtin_fabs(part_of_turn(turns))));
}
}  // namespace detail

/// MUFU.SIN: the sine of an angle in turns.
struct sine_of_turns {
    static std::uint32_t apply(std::uint32_t a) { return detail::sine(as_float(a)); }
};

/// MUFU.COS: the cosine of an angle in turns.
struct cosine_of_turns {
    static std::uint32_t apply(std::uint32_t a) { return detail::cosine(as_float(a)); }
};

/// sin.approx.f32, reduced to turns as by ptxas: the error grows with the operand, as on a GPU.
template <modifiers Flags = plain>
struct sin_approx {
    static std::uint32_t apply(std::uint32_t a) {
        return detail::flush<f32, Flags>(
            detail::sine(detail::turns_of(detail::flush<f32, Flags>(a))));
    }
};

/// cos.approx.f32, likewise.
template <modifiers Flags = plain>
struct cos_approx {
    static std::uint32_t apply(std::uint32_t a) {
        return detail::cosine(detail::turns_of(detail::flush<f32, Flags>(a)));
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
        if (result != result) return detail::upper_nan;
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
        if (result != result)
            return upper ? detail::upper_nan : detail::first_nan(as_bits(result), a);
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

namespace detail {
/// a times the reciprocal of b (MUFU.RCP), which is 0 if it would be subnormal. If b is tiny, or
/// with `Full` large, both are scaled first.
template <modifiers Flags, bool Full>
inline std::uint32_t quotient(std::uint32_t a, std::uint32_t b) {
    a = flush<f32, Flags>(a);
    b = flush<f32, Flags>(b);
    const std::uint32_t magnitude = b & f32::magnitude_mask;
    constexpr std::uint32_t smallest_normal = 0x00800000, two_to_126 = 0x7e800000;
    const bool is_large = Full & (magnitude > two_to_126) & (magnitude <= f32::infinity);
    const float scale = magnitude < smallest_normal ? 16777216.0f : is_large ? 0.25f : 1.0f;
    const float dividend = as_float(a) * scale;
    const float divisor = as_float(b) * scale;
    const float reciprocal = as_float(flush<f32, ftz>(as_bits(1.0f / divisor)));
    return finish<f32, Flags>(as_bits(dividend * reciprocal));
}
}  // namespace detail

/// div.approx.f32: 0 for |b| above 2^126.
template <modifiers Flags = plain>
struct div_approx {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return detail::quotient<Flags, false>(a, b);
    }
};

/// div.full.f32.
template <modifiers Flags = plain>
struct div_full {
    static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
        return detail::quotient<Flags, true>(a, b);
    }
};

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic

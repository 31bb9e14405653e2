// SPDX-License-Identifier: Apache-2.0
// cvt between all types, and cvt.pack.
#pragma once

#include "modules/execution/arithmetic/half.h"
#include "modules/execution/arithmetic/ieee.h"

namespace simtlm::execution::arithmetic {
inline namespace SIMTLM_ARITHMETIC_TARGET {
namespace detail {

template <class Type, class... Others>
constexpr bool is_one_of = (std::is_same_v<Type, Others> || ...);

/// Rounds a double to an integral double, preserving the sign of zero. Branch-free.
template <rounding Round>
inline double round_to_integral(double value) {
    const double magnitude = __builtin_fabs(value);
    const double shifter = 4503599627370496.0;  // 2^52: adding it drops the fraction
    const double nearest = (magnitude + shifter) - shifter;
    const bool negative = (as_bits(value) & f64::sign_bit) != 0;
    const bool outwards = Round == rounding::down ? negative
                          : Round == rounding::up ? !negative
                                                  : false;
    double result = nearest;
    if constexpr (Round != rounding::nearest) {
        const double less = nearest > magnitude ? nearest - 1 : nearest;
        const double more = nearest < magnitude ? nearest + 1 : nearest;
        result = outwards ? more : less;
    }
    result = magnitude < shifter ? result : magnitude;  // large numbers, infinity and NaN are
                                                        // unchanged
    return as_double(as_bits(result) | (as_bits(value) & f64::sign_bit));
}

/// Result of converting NaN to an integer type: only the top bit set if either type has 64 bits,
/// otherwise 0.
template <class To, class From>
constexpr bits_of<To> integer_of_nan() {
    constexpr bool long_type = To::width == 64 || From::width == 64;
    return long_type ? static_cast<bits_of<To>>(bits_of<To>{1} << (To::width - 1)) : bits_of<To>{0};
}

/// Converts a double to an integer, clamped to its range.
template <class To, class From, rounding Round>
inline bits_of<To> to_integer(double value) {
    using result = bits_of<To>;
    const double integral = round_to_integral<Round>(value);
    if constexpr (To::width == 64) {
        constexpr double high = To::is_signed ? 9223372036854775808.0 : 18446744073709551616.0;
        constexpr double low = To::is_signed ? -high : 0.0;
        if (integral != integral) return integer_of_nan<To, From>();
        if (integral >= high) return largest<To>;
        if (integral <= low) return smallest<To>;
        return static_cast<result>(static_cast<typename To::value>(integral));
    } else {
        constexpr double high = static_cast<double>(value_of<To>(largest<To>));
        constexpr double low = static_cast<double>(value_of<To>(smallest<To>));
        const double above = integral > low ? integral : low;  // also maps NaN to low
        const double within = above < high ? above : high;
        // u32 is converted through s32, for which an instruction exists.
        constexpr bool shifted = To::width == 32 && !To::is_signed;
        constexpr double offset = shifted ? 2147483648.0 : 0.0;
        const auto whole = static_cast<std::uint32_t>(static_cast<std::int32_t>(within - offset));
        const auto clamped = static_cast<result>(shifted ? whole ^ 0x80000000u : whole);
        return integral != integral ? integer_of_nan<To, From>() : clamped;
    }
}

/// Converts a floating-point operand to double, which is exact. With ftz, f32 subnormals are
/// flushed.
template <class From, modifiers Flags>
inline double to_double(bits_of<From> bits) {
    if constexpr (std::is_same_v<From, f64>) {
        return as_double(bits);
    } else if constexpr (std::is_same_v<From, f32>) {
        return wide_f32<Flags>(bits);
    } else {
        return as_float(widen_half<From>(bits));
    }
}

}  // namespace detail

/// cvt. Integers are truncated, or clamped with sat. Floating point to integer: rounded to integral
/// and always clamped. Floating point: rounded, with ftz for f32 inputs and results, sat to [0, 1],
/// relu and satfinite. If `Integral`, a conversion between equal floating-point types rounds to
/// integral.
template <class To, class From, rounding Round = rounding::nearest, modifiers Flags = plain,
          bool Integral = false>
struct cvt {
    using source = bits_of<From>;
    using result = bits_of<To>;

    static result apply(source a) {
        if constexpr (From::is_integer && To::is_integer) {
            return from_integer_to_integer(a);
        } else if constexpr (From::is_integer) {
            return from_integer(a);
        } else if constexpr (To::is_integer) {
            if constexpr (detail::is_one_of<From, f64, f32, f16, bf16>) {
                return detail::to_integer<To, From, Round>(detail::to_double<From, Flags>(a));
            } else {
                return soft::to_integer<To>(soft::unpack<From>(a), Round);
            }
        } else {
            return between_formats(a);
        }
    }

private:
    /// ftz only applies to f32.
    static constexpr modifiers result_flags = std::is_same_v<To, f32> ? Flags : Flags & ~ftz;

    static constexpr result from_integer_to_integer(source a) {
        const auto value = value_of<From>(a);
        if constexpr ((Flags & sat) != 0) {
            constexpr auto low = static_cast<detail::int128>(value_of<To>(detail::smallest<To>));
            constexpr auto high = static_cast<detail::int128>(value_of<To>(detail::largest<To>));
            const auto wide = static_cast<detail::int128>(value);
            return static_cast<result>(wide < low ? low : wide > high ? high : wide);
        } else {
            return static_cast<result>(value);
        }
    }

    static result from_integer(source a) {
        if constexpr (std::is_same_v<To, f32> && Round == rounding::nearest) {
            return detail::finish<f32, Flags>(as_bits(static_cast<float>(value_of<From>(a))));
        } else if constexpr (std::is_same_v<To, f32> && From::width <= 32) {
            return detail::result_f32<Round, Flags>(static_cast<double>(value_of<From>(a)));
        } else if constexpr (std::is_same_v<To, f64> &&
                             (Round == rounding::nearest || From::width <= 32)) {
            return detail::finish<f64, result_flags>(
                as_bits(static_cast<double>(value_of<From>(a))));
        } else {
            return soft::pack<To>(soft::from_integer<From>(a), Round, result_flags);
        }
    }

    static result between_formats(source a) {
        if constexpr (std::is_same_v<From, f32>) a = detail::flush<f32, Flags>(a);
        if constexpr (Integral) {
            return integral_part(a);
        } else if constexpr (std::is_same_v<To, From>) {
            return same_format(a);
        } else if constexpr (detail::is_half<From> && detail::is_one_of<To, f32, f64>) {
            return widen(detail::widen_half<From>(a));
        } else if constexpr (std::is_same_v<From, f32> && std::is_same_v<To, f64>) {
            return widen(a);
        } else if constexpr (std::is_same_v<From, f64> && std::is_same_v<To, f32>) {
            return detail::result_f32<Round, Flags>(as_double(a));
        } else if constexpr (std::is_same_v<From, f32> && detail::is_half<To> &&
                             Round == rounding::nearest && (Flags & satfinite) == 0) {
            return detail::finish<To, result_flags>(detail::narrow_half<To>(a));
        } else if constexpr (std::is_same_v<To, tf32>) {
            // In a register, tf32 occupies the high bits of an f32. Rounding away from zero drops
            // the low bits of a NaN.
            if (Round == rounding::away && detail::is_nan<From>(a))
                return (Flags & relu) != 0 ? tf32::canonical_nan << 13
                                           : a & ~((result{1} << 13) - 1);
            return soft::pack<tf32>(soft::unpack<From>(a), Round, result_flags) << 13;
        } else {
            return soft::pack<To>(soft::unpack<From>(a), Round, result_flags);
        }
    }

    /// Converts f32 bits to f32 or f64, which is exact.
    static result widen(std::uint32_t bits) {
        if constexpr (std::is_same_v<To, f64>) {
            // Inputs are flushed by an instruction on f32, which returns canonical NaNs.
            if constexpr ((Flags & ftz) != 0) bits = detail::finish<f32, plain>(bits);
            return detail::finish<f64, result_flags>(as_bits(static_cast<double>(as_float(bits))));
        } else {
            // A bfloat16 is the upper half of an f32; even a NaN does not change.
            constexpr bool is_shift = std::is_same_v<From, bf16> && Flags == plain;
            return is_shift ? bits : detail::finish<f32, Flags>(bits);
        }
    }

    static result integral_part(source a) {
        if constexpr (detail::is_one_of<From, f64, f32, f16, bf16>) {
            const double integral =
                detail::round_to_integral<Round>(detail::to_double<From, Flags>(a));
            if constexpr (std::is_same_v<To, f64>) {
                return detail::finish<f64, result_flags>(as_bits(integral));
            } else if constexpr (std::is_same_v<To, f32>) {
                return detail::result_f32<rounding::nearest, Flags>(integral);
            } else {
                return detail::half_result<To, result_flags>(static_cast<float>(integral));
            }
        }
    }

    /// cvt without rounding between equal formats: a move, with the modifiers.
    static constexpr result same_format(source a) {
        if constexpr ((Flags & (sat | relu)) != 0) {
            return detail::finish<To, result_flags>(a);
        } else {
            return a;
        }
    }
};

/// cvt of two f32 to a packed pair: the first operand becomes the high element. To is f16, bf16
/// (32-bit result), e4m3, e5m2, e2m3 or e3m2 (16 bits), or e2m1 (8 bits).
template <class To, rounding Round, modifiers Flags>
struct cvt_pair {
    static std::uint32_t apply(std::uint32_t high, std::uint32_t low) {
        using element = cvt<To, f32, Round, Flags>;
        return static_cast<std::uint32_t>(element::apply(high)) << element_stride<To> |
               element::apply(low);
    }
};

/// cvt of a packed pair of floating-point numbers of 8, 6 or 4 bits to f16x2, and vice versa.
template <class From, modifiers Flags = plain>
struct cvt_fp8_to_f16x2 {
    static std::uint32_t apply(std::uint16_t pair) {
        using element = cvt<f16, From, rounding::nearest, Flags>;
        return make_pair(element::apply(static_cast<std::uint8_t>(pair)),
                         element::apply(static_cast<std::uint8_t>(pair >> element_stride<From>)));
    }
};
/// cvt of f16x2 to a packed pair of floating-point numbers of 8, 6 or 4 bits.
template <class To, modifiers Flags = satfinite>
struct cvt_f16x2_to_fp8 {
    static std::uint16_t apply(std::uint32_t pair) {
        using element = cvt<To, f16, rounding::nearest, Flags>;
        return static_cast<std::uint16_t>(element::apply(high_half(pair)) << element_stride<To> |
                                          element::apply(low_half(pair)));
    }
};

/// cvt of two f32, or a bf16x2, to ue8m0x2: the powers of two next to the magnitudes, down (.rz) or
/// up (.rp), as exponents with a bias of 127; 0xff is NaN, and with satfinite only the result of
/// NaN.
template <rounding Round, modifiers Flags>
struct cvt_to_ue8m0x2 {
    static std::uint16_t apply(std::uint32_t high, std::uint32_t low) {
        return static_cast<std::uint16_t>(element(high) << 8 | element(low));
    }
    static std::uint16_t apply(std::uint32_t pair) { return apply(pair & 0xffff0000, pair << 16); }

private:
    static std::uint32_t element(std::uint32_t bits) {
        const std::uint32_t magnitude = bits & f32::magnitude_mask;
        constexpr std::uint32_t smallest = 0x00400000;  // 2^-127, encoded as 0
        std::uint32_t exponent = magnitude >> f32::fraction_bits;
        if (Round == rounding::up && (magnitude & f32::fraction_mask) != 0 &&
            magnitude > smallest && magnitude < f32::infinity)
            ++exponent;
        if ((Flags & satfinite) != 0 && exponent == 0xff && !detail::is_nan<f32>(magnitude))
            --exponent;
        return exponent;
    }
};

/// cvt of ue8m0x2 to bf16x2, which is exact.
struct cvt_ue8m0x2_to_bf16x2 {
    static std::uint32_t apply(std::uint16_t pair) {
        return make_pair(element(pair & 0xff), element(pair >> 8));
    }

private:
    static std::uint16_t element(unsigned exponent) {
        if (exponent == 0xff) return bf16::canonical_nan;
        constexpr std::uint16_t smallest = 0x0040;  // 2^-127 is subnormal
        return exponent == 0 ? smallest
                             : static_cast<std::uint16_t>(exponent << bf16::fraction_bits);
    }
};

/// cvt.pack.sat from s32 to integers of Width bits (2, 4, 8, 16): {c, a, b} from high to low, with
/// c shifted up by two elements (0 for 16 bits, where the result is full).
template <unsigned Width, bool Signed>
struct cvt_pack {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
        const std::uint64_t above = std::uint64_t{c} << (2 * Width);
        return static_cast<std::uint32_t>(above) | clamped(a) << Width | clamped(b);
    }

private:
    static constexpr std::uint32_t clamped(std::uint32_t bits) {
        constexpr std::int32_t high = (1 << (Width - (Signed ? 1 : 0))) - 1;
        constexpr std::int32_t low = Signed ? -high - 1 : 0;
        const auto value = static_cast<std::int32_t>(bits);
        const std::int32_t within = value < low ? low : value > high ? high : value;
        return static_cast<std::uint32_t>(within) & ((1u << Width) - 1);
    }
};

}  // namespace SIMTLM_ARITHMETIC_TARGET

/// Scalar types as values, for conversions selected at run time.
enum class scalar_type : std::uint8_t {
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    bf16,
    tf32,
    f32,
    f64,
    e5m2,
    e4m3,
};

/// Any cvt, selected at run time: slower than the template, with the same results. `integral`
/// requests rounding to an integral number of the same type (.rni and similar between equal
/// formats).
std::uint64_t convert(scalar_type to, scalar_type from, rounding mode, modifiers flags,
                      bool integral, std::uint64_t bits);

}  // namespace simtlm::execution::arithmetic

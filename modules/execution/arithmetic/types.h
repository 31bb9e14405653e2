// SPDX-License-Identifier: Apache-2.0
// Conventions of this folder: types, rounding modes, modifiers, and how values are passed.
//
// - A value is the raw bits of a register: the unsigned integer of the type's width (`Type::bits`).
//   Types narrower than 16 bits use their own width (`uint8_t`); a packed type (f16x2, u16x2, u8x4)
//   is a `uint32_t`; a predicate is a `bool`. No function takes or returns a `float`.
// - An instruction is a class template whose parameters are those in the assembler text (type,
//   rounding, modifiers), with one member `static ... apply(bits a, bits b, ...)`: a pure function
//   of one lane without state, allocation or exceptions. Write `add<f32, rounding::nearest, ftz |
//   sat>::apply(a, b)`.
// - A warp executes a loop `for (lane...) d[lane] = op::apply(a[lane], b[lane]);`. Hot functions
//   are branch-free, so that the compiler vectorises this loop.
// - The host must use its default floating-point environment (round to nearest, denormals enabled),
//   without -ffast-math or contraction: linking simtlm_arithmetic propagates -ffp-contract=off.
// - All templates are in an inline namespace named after the instruction set for which the
//   including source is compiled. The same loop can therefore be compiled twice, for plain x86-64
//   and with -mavx2 -mfma, and linked into one program without ODR violations.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __FAST_MATH__
#error "GPU arithmetic is bit-exact: compile it without -ffast-math"
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__FMA__)
#define SIMTLM_ARITHMETIC_TARGET on_avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define SIMTLM_ARITHMETIC_TARGET on_avx2
#elif defined(__FMA__)
#define SIMTLM_ARITHMETIC_TARGET on_fma
#else
#define SIMTLM_ARITHMETIC_TARGET on_baseline
#endif

namespace simtlm::execution::arithmetic {

/// Rounding of an instruction. The integer roundings of cvt (.rni .rzi .rmi .rpi) have the same
/// values: the destination type determines which is meant.
enum class rounding : std::uint8_t {
    nearest,  ///< .rn  .rni  to nearest, ties to even
    zero,     ///< .rz  .rzi
    down,     ///< .rm  .rmi  towards minus infinity
    up,       ///< .rp  .rpi  towards plus infinity
    away,     ///< .rna       to nearest, ties away from zero (tf32)
};

/// Comparison operators of set and setp. lo, ls, hi and hs are lt, le, gt and ge of unsigned types;
/// a name that ends with `u` is also true if an operand is NaN.
enum class comparison : std::uint8_t {
    eq,
    ne,
    lt,
    le,
    gt,
    ge,  // integers and floating point
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,  // floating point only
    num,
    nan,  // both are numbers; either is NaN
};

/// Modifiers of an instruction: a bit set, `ftz | sat`.
using modifiers = unsigned;
constexpr modifiers plain = 0;
constexpr modifiers ftz = 1;   ///< .ftz  subnormal f32 inputs and results become signed zeros
constexpr modifiers sat = 2;   ///< .sat  to [0, 1] (NaN to 0), or to the integer's range
constexpr modifiers relu = 4;  ///< .relu  negative results become 0, NaN stays NaN
constexpr modifiers nan = 8;   ///< .NaN  min and max return NaN if either input is NaN
constexpr modifiers xorsign_abs = 16;  ///< .xorsign.abs  magnitudes, with the XOR of the signs
constexpr modifiers satfinite = 32;    ///< .satfinite  overflow gives the largest finite number

/// An integer type of PTX. `.bN` behaves as `.uN`.
template <class Value>
struct integer_type {
    using value = Value;
    using bits = std::make_unsigned_t<Value>;
    static constexpr bool is_integer = true;
    static constexpr bool is_signed = std::is_signed_v<Value>;
    static constexpr unsigned width = sizeof(Value) * 8;
};
struct u8 : integer_type<std::uint8_t> {};
struct u16 : integer_type<std::uint16_t> {};
struct u32 : integer_type<std::uint32_t> {};
struct u64 : integer_type<std::uint64_t> {};
struct s8 : integer_type<std::int8_t> {};
struct s16 : integer_type<std::int16_t> {};
struct s32 : integer_type<std::int32_t> {};
struct s64 : integer_type<std::int64_t> {};
using b8 = u8;
using b16 = u16;
using b32 = u32;
using b64 = u64;

/// A floating-point type of PTX: sign, ExponentBits, FractionBits in the low bits of a Bits.
template <class Bits, unsigned ExponentBits, unsigned FractionBits>
struct floating_type {
    using bits = Bits;
    static constexpr bool is_integer = false;
    static constexpr bool is_signed = true;
    static constexpr unsigned width = 1 + ExponentBits + FractionBits;
    static constexpr unsigned exponent_bits = ExponentBits;
    static constexpr unsigned fraction_bits = FractionBits;
    static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
    static constexpr Bits sign_bit = static_cast<Bits>(Bits{1} << (ExponentBits + FractionBits));
    static constexpr Bits fraction_mask = static_cast<Bits>((Bits{1} << FractionBits) - 1);
    static constexpr Bits magnitude_mask = static_cast<Bits>(sign_bit - 1);
    static constexpr Bits exponent_mask = magnitude_mask & static_cast<Bits>(~fraction_mask);
    static constexpr Bits one = static_cast<Bits>(static_cast<Bits>(bias) << FractionBits);
    /// Bits of the smallest magnitude that is not finite.
    static constexpr Bits infinity = exponent_mask;
    static constexpr Bits largest_finite = static_cast<Bits>(exponent_mask - 1);
    /// Set in a NaN that does not signal.
    static constexpr Bits quiet_bit = static_cast<Bits>(Bits{1} << (FractionBits - 1));
    static constexpr bool has_infinity = true;
};
struct f16 : floating_type<std::uint16_t, 5, 10> {
    static constexpr bits canonical_nan = 0x7fff;
};
struct bf16 : floating_type<std::uint16_t, 8, 7> {
    static constexpr bits canonical_nan = 0x7fff;
};
struct f32 : floating_type<std::uint32_t, 8, 23> {
    static constexpr bits canonical_nan = 0x7fffffff;
};
struct f64 : floating_type<std::uint64_t, 11, 52> {
    static constexpr bits canonical_nan = 0xfff8000000000000;
};
/// tf32: an f32 register whose low 13 bits are zero.
struct tf32 : floating_type<std::uint32_t, 8, 10> {
    static constexpr bits canonical_nan = 0x3ffff;  // before it is shifted to its position in the
                                                    // register
};
/// fp8 with 5 exponent bits: a truncated f16.
struct e5m2 : floating_type<std::uint8_t, 5, 2> {
    static constexpr bits canonical_nan = 0x7f;
};
/// fp8 with 4 exponent bits: no infinity, and only 0x7f and 0xff are NaN.
struct e4m3 : floating_type<std::uint8_t, 4, 3> {
    static constexpr bits canonical_nan = 0x7f;
    static constexpr bits infinity = 0x7f;  // first magnitude that is not finite
    static constexpr bits largest_finite = 0x7e;
    static constexpr bool has_infinity = false;
};
/// fp6 and fp4: neither infinity nor NaN (OCP Microscaling Formats 1.0); NaN becomes the largest
/// number.
template <unsigned ExponentBits, unsigned FractionBits>
struct finite_type : floating_type<std::uint8_t, ExponentBits, FractionBits> {
    using base = floating_type<std::uint8_t, ExponentBits, FractionBits>;
    static constexpr std::uint8_t largest_finite = base::magnitude_mask;
    static constexpr std::uint8_t canonical_nan = largest_finite;
    static constexpr std::uint8_t infinity = largest_finite + 1;  // no magnitude reaches it
    static constexpr bool has_infinity = false;
};
struct e2m3 : finite_type<2, 3> {};
struct e3m2 : finite_type<3, 2> {};
struct e2m1 : finite_type<2, 1> {};
/// Distance in bits between the elements of a packed pair: those of 6 bits occupy a byte each.
template <class Element>
constexpr unsigned element_stride = Element::width == 6 ? 8 : Element::width;
/// Two 16-bit lanes in a 32-bit register, the first one in the low half.
template <class Element>
struct packed2 {
    using element = Element;
    using bits = std::uint32_t;
};
struct f16x2 : packed2<f16> {};
struct bf16x2 : packed2<bf16> {};
struct u16x2 : packed2<u16> {};
struct s16x2 : packed2<s16> {};

/// Two f32 in a 64-bit register, the first one in the low half.
struct f32x2 {
    using bits = std::uint64_t;
};

template <class Type>
using bits_of = typename Type::bits;

inline namespace SIMTLM_ARITHMETIC_TARGET {

/// Reinterprets the bits of `from` as a To of the same size.
template <class To, class From>
constexpr To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, from);
}
constexpr float as_float(std::uint32_t bits) {
    return bit_cast<float>(bits);
}
constexpr double as_double(std::uint64_t bits) {
    return bit_cast<double>(bits);
}
constexpr std::uint32_t as_bits(float value) {
    return bit_cast<std::uint32_t>(value);
}
constexpr std::uint64_t as_bits(double value) {
    return bit_cast<std::uint64_t>(value);
}

/// Extraction and construction of packed pairs.
constexpr std::uint16_t low_half(std::uint32_t pair) {
    return static_cast<std::uint16_t>(pair);
}
constexpr std::uint16_t high_half(std::uint32_t pair) {
    return static_cast<std::uint16_t>(pair >> 16);
}
constexpr std::uint32_t make_pair(std::uint16_t low, std::uint16_t high) {
    return static_cast<std::uint32_t>(low) | static_cast<std::uint32_t>(high) << 16;
}

/// An instruction on both halves of packed operands: `packed<add<f16>>` is add.f16x2.
template <class Operation>
struct packed {
    template <class... Pairs>
    static constexpr std::uint32_t apply(Pairs... operands) {
        return make_pair(Operation::apply(low_half(operands)...),
                         Operation::apply(high_half(operands)...));
    }
};

/// An instruction on both words of 64-bit operands: `packed_words<add<f32>>` is add.f32x2.
template <class Operation>
struct packed_words {
    template <class... Pairs>
    static constexpr std::uint64_t apply(Pairs... operands) {
        const std::uint64_t high = Operation::apply(static_cast<std::uint32_t>(operands >> 32)...);
        return Operation::apply(static_cast<std::uint32_t>(operands)...) | high << 32;
    }
};

/// The integer represented by the bits of an integer type.
template <class Type>
constexpr typename Type::value value_of(bits_of<Type> bits) {
    return static_cast<typename Type::value>(bits);
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution::arithmetic

// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/convert.h"

#include "tests/unit/execution/arithmetic/inputs.h"
#include "tests/unit/execution/arithmetic/number_line.h"

#include <cfenv>
#include <cmath>

namespace simtlm::execution::arithmetic {
namespace {

constexpr auto rn = rounding::nearest, rz = rounding::zero, rm = rounding::down, rp = rounding::up;

// ---- to integers --------------------------------------------------------------------------------

/// Converts a double to an integer through long double, which represents every 64-bit integer.
template <class To>
bits_of<To> expected_integer(double x, rounding mode, bool from_f64) {
    if (std::isnan(x)) {
        const bool top_bit = from_f64 || To::width == 64;
        return top_bit ? static_cast<bits_of<To>>(bits_of<To>{1} << (To::width - 1)) : 0;
    }
    const long double wide = x;
    const long double whole = mode == rz   ? std::trunc(wide)
                              : mode == rm ? std::floor(wide)
                              : mode == rp ? std::ceil(wide)
                                           : std::nearbyint(wide);
    using limits = std::numeric_limits<typename To::value>;
    if (whole >= static_cast<long double>(limits::max()))
        return static_cast<bits_of<To>>(limits::max());
    if (whole <= static_cast<long double>(limits::min()))
        return static_cast<bits_of<To>>(limits::min());
    return static_cast<bits_of<To>>(static_cast<typename To::value>(whole));
}

template <class From>
std::vector<bits_of<From>> float_inputs() {
    if constexpr (From::width == 16) {
        return test::all_values<bits_of<From>>();
    } else {
        auto values = test::float_samples<From>(5000);
        for (int i = -70000; i < 70000; i += 37) {  // halves and quarters around integers
            const double x = i * 0.25;
            if constexpr (From::width == 32) values.push_back(as_bits(static_cast<float>(x)));
            if constexpr (From::width == 64) values.push_back(as_bits(x));
        }
        for (int power = 6; power < 66; ++power) {  // and around the limits of the integer types
            for (const double step : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
                for (const double sign : {-1.0, 1.0}) {
                    const double x = sign * (std::ldexp(1.0, power) + step);
                    if constexpr (From::width == 32)
                        values.push_back(as_bits(static_cast<float>(x)));
                    if constexpr (From::width == 64) values.push_back(as_bits(x));
                }
            }
        }
        return values;
    }
}

template <class From>
double as_value(bits_of<From> bits) {
    return test::value_of_float<From>(bits);
}

template <class T>
constexpr scalar_type name_of() {
    if constexpr (std::is_same_v<T, u8>) return scalar_type::u8;
    if constexpr (std::is_same_v<T, u16>) return scalar_type::u16;
    if constexpr (std::is_same_v<T, u32>) return scalar_type::u32;
    if constexpr (std::is_same_v<T, u64>) return scalar_type::u64;
    if constexpr (std::is_same_v<T, s8>) return scalar_type::s8;
    if constexpr (std::is_same_v<T, s16>) return scalar_type::s16;
    if constexpr (std::is_same_v<T, s32>) return scalar_type::s32;
    if constexpr (std::is_same_v<T, s64>) return scalar_type::s64;
    if constexpr (std::is_same_v<T, f16>) return scalar_type::f16;
    if constexpr (std::is_same_v<T, bf16>) return scalar_type::bf16;
    if constexpr (std::is_same_v<T, tf32>) return scalar_type::tf32;
    if constexpr (std::is_same_v<T, f64>) return scalar_type::f64;
    if constexpr (std::is_same_v<T, e5m2>) return scalar_type::e5m2;
    if constexpr (std::is_same_v<T, e4m3>) return scalar_type::e4m3;
    return scalar_type::f32;
}

template <class To, class From, rounding Round>
void check_to_integer() {
    for (const auto a : float_inputs<From>()) {
        const auto want = expected_integer<To>(as_value<From>(a), Round, std::is_same_v<From, f64>);
        ASSERT_EQ((cvt<To, From, Round>::apply(a)), want) << std::hex << a;
        ASSERT_EQ(convert(name_of<To>(), name_of<From>(), Round, plain, false, a), want)
            << std::hex << a;
    }
}

template <class From, rounding Round>
void check_to_integers() {
    check_to_integer<u8, From, Round>();
    check_to_integer<s8, From, Round>();
    check_to_integer<u16, From, Round>();
    check_to_integer<s16, From, Round>();
    check_to_integer<u32, From, Round>();
    check_to_integer<s32, From, Round>();
    check_to_integer<u64, From, Round>();
    check_to_integer<s64, From, Round>();
}

template <class From>
class ConversionToIntegers : public ::testing::Test {};
using float_types = ::testing::Types<f16, bf16, f32, f64>;
TYPED_TEST_SUITE(ConversionToIntegers, float_types);

TYPED_TEST(ConversionToIntegers, RoundsToNearestAndClamps) {
    check_to_integers<TypeParam, rn>();
}
TYPED_TEST(ConversionToIntegers, RoundsTowardsZeroAndClamps) {
    check_to_integers<TypeParam, rz>();
}
TYPED_TEST(ConversionToIntegers, RoundsDownAndClamps) {
    check_to_integers<TypeParam, rm>();
}
TYPED_TEST(ConversionToIntegers, RoundsUpAndClamps) {
    check_to_integers<TypeParam, rp>();
}

// ---- from integers ------------------------------------------------------------------------------

template <class Value, class Integer>
Value host_convert(Integer integer, rounding mode) {
    volatile Integer source = integer;
    std::fesetround(mode == rz   ? FE_TOWARDZERO
                    : mode == rm ? FE_DOWNWARD
                    : mode == rp ? FE_UPWARD
                                 : FE_TONEAREST);
    volatile Value result = static_cast<Value>(source);
    std::fesetround(FE_TONEAREST);
    return result;
}

template <class From, rounding Round>
void check_from_integer() {
    const test::number_line<f16> halves;
    const test::number_line<bf16> brains;
    for (const auto a : test::samples<bits_of<From>>(5000)) {
        const auto integer = value_of<From>(a);
        // Not every host has an instruction for u64: round an exact long double instead.
        const long double wide = integer;
        ASSERT_EQ((cvt<f32, From, Round>::apply(a)), as_bits(host_convert<float>(wide, Round)));
        ASSERT_EQ((cvt<f64, From, Round>::apply(a)), as_bits(host_convert<double>(wide, Round)));
        // Rounded to odd, a double is precise enough for the narrow formats.
        double odd = host_convert<double>(wide, rz);
        if (odd != wide) odd = as_double(as_bits(odd) | 1);
        ASSERT_EQ((cvt<f16, From, Round>::apply(a)), halves.round(odd, Round)) << integer;
        ASSERT_EQ((cvt<bf16, From, Round>::apply(a)), brains.round(odd, Round)) << integer;
        ASSERT_EQ(convert(scalar_type::f32, name_of<From>(), Round, plain, false, a),
                  (cvt<f32, From, Round>::apply(a)));
    }
}

template <class From>
class ConversionFromIntegers : public ::testing::Test {};
using integer_types = ::testing::Types<u8, s8, u16, s16, u32, s32, u64, s64>;
TYPED_TEST_SUITE(ConversionFromIntegers, integer_types);

TYPED_TEST(ConversionFromIntegers, RoundsInEveryMode) {
    check_from_integer<TypeParam, rn>();
    check_from_integer<TypeParam, rz>();
    check_from_integer<TypeParam, rm>();
    check_from_integer<TypeParam, rp>();
}

template <class To, class From>
void check_integers() {
    for (const auto a : test::samples<bits_of<From>>(1000)) {
        using wide = detail::int128;
        const wide value = static_cast<wide>(value_of<From>(a));
        const wide high = (wide{1} << (To::width - (To::is_signed ? 1 : 0))) - 1;
        const wide low = To::is_signed ? -high - 1 : 0;
        const wide clamped = value < low ? low : value > high ? high : value;
        ASSERT_EQ((cvt<To, From>::apply(a)), static_cast<bits_of<To>>(value));
        ASSERT_EQ((cvt<To, From, rn, sat>::apply(a)), static_cast<bits_of<To>>(clamped));
        ASSERT_EQ(convert(name_of<To>(), name_of<From>(), rn, sat, false, a),
                  static_cast<bits_of<To>>(clamped));
    }
}

TYPED_TEST(ConversionFromIntegers, TruncatesOrClampsToOtherIntegers) {
    check_integers<u8, TypeParam>();
    check_integers<s8, TypeParam>();
    check_integers<u16, TypeParam>();
    check_integers<s16, TypeParam>();
    check_integers<u32, TypeParam>();
    check_integers<s32, TypeParam>();
    check_integers<u64, TypeParam>();
    check_integers<s64, TypeParam>();
}

// ---- between floating-point formats -------------------------------------------------------------

template <class To, class From, rounding Round>
void check_narrow() {
    static const test::number_line<To> line;
    constexpr unsigned up = std::is_same_v<To, tf32> ? 13 : 0;
    for (const auto a : float_inputs<From>()) {
        const double x = as_value<From>(a);
        if (Round == rounding::away && std::isnan(x)) continue;  // tested separately
        const auto place = [](bits_of<To> bits) { return static_cast<bits_of<To>>(bits << up); };
        ASSERT_EQ((cvt<To, From, Round>::apply(a)), place(line.round(x, Round))) << std::hex << a;
        ASSERT_EQ((cvt<To, From, Round, satfinite>::apply(a)), place(line.round(x, Round, true)))
            << std::hex << a;
        const bool negative = std::signbit(x) && !std::isnan(x);
        ASSERT_EQ((cvt<To, From, Round, relu>::apply(a)),
                  negative ? 0 : place(line.round(x, Round)));
        ASSERT_EQ(convert(name_of<To>(), name_of<From>(), Round, relu | satfinite, false, a),
                  negative ? 0 : place(line.round(x, Round, true)));
        if constexpr (up == 0) {
            const double clamped = std::isnan(x) || x <= 0 ? 0 : x > 1 ? 1 : x;
            ASSERT_EQ((cvt<To, From, Round, sat>::apply(a)), line.round(clamped, Round));
        }
    }
}

template <class To, class From>
void check_narrow_in_every_mode() {
    check_narrow<To, From, rn>();
    check_narrow<To, From, rz>();
    check_narrow<To, From, rm>();
    check_narrow<To, From, rp>();
}

TEST(ConversionOfFloats, NarrowsF32ToHalfFormats) {
    check_narrow_in_every_mode<f16, f32>();
    check_narrow_in_every_mode<bf16, f32>();
}
TEST(ConversionOfFloats, NarrowsF64ToHalfFormats) {
    check_narrow_in_every_mode<f16, f64>();
    check_narrow_in_every_mode<bf16, f64>();
}
TEST(ConversionOfFloats, ConvertsBetweenTheHalfFormats) {
    check_narrow_in_every_mode<f16, bf16>();
    check_narrow_in_every_mode<bf16, f16>();
}
TEST(ConversionOfFloats, NarrowsToTf32WithTiesToEvenOrAway) {
    check_narrow<tf32, f32, rn>();
    check_narrow<tf32, f32, rz>();
    check_narrow<tf32, f32, rounding::away>();
    EXPECT_EQ((cvt<tf32, f32, rounding::away>::apply(0x3f801000)), 0x3f802000u);
    EXPECT_EQ((cvt<tf32, f32, rn>::apply(0x3f801000)), 0x3f800000u);
    EXPECT_EQ((cvt<tf32, f32, rounding::away>::apply(0xffc01fff)), 0xffc00000u) << "NaN is cut";
    EXPECT_EQ((cvt<tf32, f32, rn>::apply(0xffc01fff)), 0x7fffe000u);
}
TEST(ConversionOfFloats, NarrowsToEightBitFormats) {
    check_narrow<e4m3, f32, rn>();
    check_narrow<e5m2, f32, rn>();
    check_narrow<e4m3, f16, rn>();
    check_narrow<e5m2, f16, rn>();
    EXPECT_EQ((cvt<e4m3, f32, rn, satfinite>::apply(as_bits(1e9f))), 0x7e);
    EXPECT_EQ((cvt<e4m3, f32, rn, satfinite>::apply(as_bits(464.0f))), 0x7e) << "a tie to even";
    EXPECT_EQ((cvt<e5m2, f32, rn, satfinite>::apply(f32::infinity)), 0x7b);
}

/// Narrow formats are exactly representable in wider ones.
template <class To, class From>
void check_widen() {
    for (const auto a : test::all_values<bits_of<From>>()) {
        const double x = as_value<From>(a);
        const auto got = cvt<To, From>::apply(a);
        if (std::isnan(x)) {
            // A double keeps the payload; a bfloat16 is the upper half of an f32.
            constexpr unsigned more = To::fraction_bits - From::fraction_bits;
            const auto payload = static_cast<bits_of<To>>(bits_of<To>{a} & From::fraction_mask)
                                 << more;
            const bits_of<To> sign = (a & From::sign_bit) != 0 ? To::sign_bit : 0;
            const bool is_shift = std::is_same_v<From, bf16> && std::is_same_v<To, f32>;
            const bits_of<To> quiet = is_shift ? 0 : To::quiet_bit;
            const auto kept = static_cast<bits_of<To>>(sign | To::infinity | payload | quiet);
            const bool keeps = is_shift || To::width == 64;
            ASSERT_EQ(got, keeps ? kept : To::canonical_nan);
        } else {
            ASSERT_EQ(as_value<To>(got), x);
            ASSERT_EQ((got & To::sign_bit) != 0, std::signbit(x));
        }
        ASSERT_EQ(convert(name_of<To>(), name_of<From>(), rn, plain, false, a), got);
    }
}

TEST(ConversionOfFloats, WidensExactly) {
    check_widen<f32, f16>();
    check_widen<f64, f16>();
    check_widen<f32, bf16>();
    check_widen<f64, bf16>();
    check_widen<f16, e4m3>();
    check_widen<f16, e5m2>();
}

template <rounding Round>
void check_f64_to_f32() {
    for (const auto a : float_inputs<f64>()) {
        const double x = as_double(a);
        const auto want =
            std::isnan(x) ? f32::canonical_nan : as_bits(host_convert<float>(x, Round));
        ASSERT_EQ((cvt<f32, f64, Round>::apply(a)), want) << std::hex << a;
        ASSERT_EQ(convert(scalar_type::f32, scalar_type::f64, Round, plain, false, a), want);
        ASSERT_EQ((cvt<f32, f64, Round, ftz>::apply(a)),
                  (want & f32::exponent_mask) == 0 ? want & f32::sign_bit : want);
    }
}

TEST(ConversionOfFloats, NarrowsF64ToF32InEveryMode) {
    check_f64_to_f32<rn>();
    check_f64_to_f32<rz>();
    check_f64_to_f32<rm>();
    check_f64_to_f32<rp>();
}

TEST(ConversionOfFloats, FlushesOnlyF32) {
    EXPECT_EQ((cvt<f64, f32, rn, ftz>::apply(0x80000001)), f64::sign_bit);
    EXPECT_EQ((cvt<f64, f32, rn, ftz>::apply(0xff800001)), 0x7fffffffe0000000u);
    EXPECT_EQ((cvt<f64, f32>::apply(0xff800001)), 0xfff8000020000000u);
    EXPECT_EQ((cvt<f32, f16, rn, ftz>::apply(1)), 0x33800000u);
    EXPECT_EQ((cvt<f16, f32, rn, ftz>::apply(0x33800000)), 1);
    EXPECT_EQ((cvt<f32, f32, rn, ftz>::apply(0x80000001)), 0x80000000u);
    EXPECT_EQ((cvt<f32, f32>::apply(0x7f800001)), 0x7f800001u) << "a move keeps NaN";
}

template <class Format, rounding Round>
void check_integral() {
    for (const auto a : float_inputs<Format>()) {
        const double x = as_value<Format>(a);
        const auto got = cvt<Format, Format, Round, plain, true>::apply(a);
        ASSERT_EQ(convert(name_of<Format>(), name_of<Format>(), Round, plain, true, a), got);
        if (std::isnan(x)) {
            ASSERT_EQ(got, detail::result_of_nan<Format>(a));
            continue;
        }
        const double want = Round == rz   ? std::trunc(x)
                            : Round == rm ? std::floor(x)
                            : Round == rp ? std::ceil(x)
                                          : std::nearbyint(x);
        ASSERT_EQ(as_value<Format>(got), want) << std::hex << a;
        ASSERT_EQ((got & Format::sign_bit) != 0, std::signbit(x));
    }
}

template <class Format>
void check_integral_in_every_mode() {
    check_integral<Format, rn>();
    check_integral<Format, rz>();
    check_integral<Format, rm>();
    check_integral<Format, rp>();
}

TEST(ConversionOfFloats, RoundsToIntegralNumbersOfTheSameFormat) {
    check_integral_in_every_mode<f16>();
    check_integral_in_every_mode<bf16>();
    check_integral_in_every_mode<f32>();
    check_integral_in_every_mode<f64>();
}

TEST(PackedConversion, PlacesTheFirstOperandInTheHighElement) {
    const std::uint32_t one = f32::one, two = 0x40000000;
    EXPECT_EQ((cvt_pair<f16, rn, plain>::apply(one, two)), 0x3c004000u);
    EXPECT_EQ((cvt_pair<bf16, rn, plain>::apply(one, two)), 0x3f804000u);
    EXPECT_EQ((cvt_pair<e4m3, rn, satfinite>::apply(one, two)), 0x3840u);
    EXPECT_EQ((cvt_fp8_to_f16x2<e4m3>::apply(0x3840)), 0x3c004000u);
    EXPECT_EQ((cvt_f16x2_to_fp8<e5m2>::apply(0x3c004000)), 0x3c40u);
}

TEST(PackedConversion, ClampsIntegersAndShiftsTheThirdOperandUp) {
    EXPECT_EQ((cvt_pack<8, false>::apply(300, -5u, 0x1234)), 0x1234ff00u);
    EXPECT_EQ((cvt_pack<8, true>::apply(300, -500u, 0x1234)), 0x12347f80u);
    EXPECT_EQ((cvt_pack<4, true>::apply(7, -8u, 0xabcdef)), 0xabcdef78u);
    EXPECT_EQ((cvt_pack<2, false>::apply(9, 1, 0xf)), 0xfdu);
    EXPECT_EQ((cvt_pack<16, true>::apply(40000, -40000u)), 0x7fff8000u);
    EXPECT_EQ((cvt_pack<16, false>::apply(-1u, 70000)), 0x0000ffffu);
}

}  // namespace
}  // namespace simtlm::execution::arithmetic

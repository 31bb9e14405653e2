// SPDX-License-Identifier: Apache-2.0
// IEEE arithmetic compared with the host's floating-point unit in its four rounding modes. Compiled
// with -frounding-math.
#include "modules/execution/arithmetic/ieee.h"

#include "tests/unit/execution/arithmetic/inputs.h"

#include <cfenv>
#include <cmath>

namespace simtlm::execution::arithmetic {
namespace {

constexpr int host_mode(rounding mode) {
    switch (mode) {
        case rounding::zero:
            return FE_TOWARDZERO;
        case rounding::down:
            return FE_DOWNWARD;
        case rounding::up:
            return FE_UPWARD;
        default:
            return FE_TONEAREST;
    }
}

/// Operations of the host on one format, in the current rounding mode.
template <class Format>
struct host;
template <>
struct host<f32> {
    using value = float;
    static float fused(float a, float b, float c) { return fmaf(a, b, c); }
    static float root(float a) { return std::sqrt(a); }
};
template <>
struct host<f64> {
    using value = double;
    static double fused(double a, double b, double c) { return ::fma(a, b, c); }
    static double root(double a) { return std::sqrt(a); }
};

template <class Format>
bits_of<Format> flushed(bits_of<Format> a) {
    return (a & Format::exponent_mask) == 0 ? a & Format::sign_bit : a;
}

/// compute(x, y, z) on the host in a rounding mode, followed by the modifiers, implemented
/// independently.
template <class Format, class Compute>
bits_of<Format> expected(rounding mode, modifiers flags, Compute compute, bits_of<Format> a,
                         bits_of<Format> b, bits_of<Format> c,
                         std::initializer_list<bits_of<Format>> operands) {
    using value = typename host<Format>::value;
    if ((flags & ftz) != 0) {
        a = flushed<Format>(a);
        b = flushed<Format>(b);
        c = flushed<Format>(c);
    }
    volatile value x = bit_cast<value>(a), y = bit_cast<value>(b), z = bit_cast<value>(c);
    std::fesetround(host_mode(mode));
    volatile value result = compute(x, y, z);
    std::fesetround(FE_TONEAREST);
    const value r = result;
    if ((flags & sat) != 0) {
        if (std::isnan(r) || r <= 0) return 0;
        if (r > 1) return Format::one;
    }
    if (std::isnan(r)) {
        // The first operand that is NaN, quiet, or canonical in single precision.
        for (const bits_of<Format> operand : operands)
            if (std::isnan(bit_cast<value>(operand))) return detail::result_of_nan<Format>(operand);
        return Format::canonical_nan;
    }
    const auto bits = bit_cast<bits_of<Format>>(r);
    return (flags & ftz) != 0 ? flushed<Format>(bits) : bits;
}

template <class Format, rounding Round, modifiers Flags>
void check_format() {
    using bits = bits_of<Format>;
    using value = typename host<Format>::value;
    const auto soft2 = [](auto operation, bits a, bits b) {
        return soft::pack<Format>(operation(soft::unpack<Format>(a), soft::unpack<Format>(b)),
                                  Round);
    };
    const auto values = test::float_samples<Format>(2000, static_cast<unsigned>(Round) + 10);
    test::for_triples(values, 60000, [&](bits a, bits b, bits c) {
        const auto want_of = [&](std::initializer_list<bits> operands, auto compute) {
            return expected<Format>(Round, Flags, compute, a, b, c, operands);
        };
        const auto want = [&](auto compute) { return want_of({}, compute); };
        ASSERT_EQ((add<Format, Round, Flags>::apply(a, b)),
                  want_of({a, b}, [](value x, value y, value) { return x + y; }));
        ASSERT_EQ(
            (sub<Format, Round, Flags>::apply(a, b)),
            want_of({a, b ^ Format::sign_bit}, [](value x, value y, value) { return x - y; }));
        ASSERT_EQ((mul<Format, Round, Flags>::apply(a, b)),
                  want_of({a, b}, [](value x, value y, value) { return x * y; }));
        ASSERT_EQ((div<Format, Round, Flags>::apply(a, b)),
                  want_of({a, b}, [](value x, value y, value) { return x / y; }));
        ASSERT_EQ((rcp<Format, Round, Flags>::apply(a)),
                  want_of({a}, [](value x, value, value) { return value{1} / x; }));
        ASSERT_EQ((sqrt<Format, Round, Flags>::apply(a)),
                  want_of({a}, [](value x, value, value) { return host<Format>::root(x); }));
        ASSERT_EQ((fma<Format, Round, Flags>::apply(a, b, c)),
                  want_of({a, b, c}, host<Format>::fused));
        if constexpr (Flags == plain) {
            const auto sum = [](auto x, auto y) { return soft::add(x, y, Round); };
            ASSERT_EQ(soft2(sum, a, b), want([](value x, value y, value) { return x + y; }));
            ASSERT_EQ(soft2(soft::multiply, a, b),
                      want([](value x, value y, value) { return x * y; }));
            ASSERT_EQ(soft2(soft::divide, a, b),
                      want([](value x, value y, value) { return x / y; }));
            ASSERT_EQ(soft::pack<Format>(soft::square_root(soft::unpack<Format>(a)), Round),
                      want([](value x, value, value) { return host<Format>::root(x); }));
            const soft::number product =
                soft::multiply(soft::unpack<Format>(a), soft::unpack<Format>(b));
            ASSERT_EQ(soft::pack<Format>(soft::add(product, soft::unpack<Format>(c), Round), Round),
                      want(host<Format>::fused));
        }
    });
}

template <rounding Round>
void check_f32() {
    check_format<f32, Round, plain>();
    check_format<f32, Round, ftz>();
    check_format<f32, Round, sat>();
    check_format<f32, Round, ftz | sat>();
}

TEST(IeeeF32, RoundsToNearestAsTheHost) {
    check_f32<rounding::nearest>();
}
TEST(IeeeF32, RoundsTowardsZeroAsTheHost) {
    check_f32<rounding::zero>();
}
TEST(IeeeF32, RoundsDownAsTheHost) {
    check_f32<rounding::down>();
}
TEST(IeeeF32, RoundsUpAsTheHost) {
    check_f32<rounding::up>();
}
TEST(IeeeF64, RoundsToNearestAsTheHost) {
    check_format<f64, rounding::nearest, plain>();
}
TEST(IeeeF64, RoundsTowardsZeroAsTheHost) {
    check_format<f64, rounding::zero, plain>();
}
TEST(IeeeF64, RoundsDownAsTheHost) {
    check_format<f64, rounding::down, plain>();
}
TEST(IeeeF64, RoundsUpAsTheHost) {
    check_format<f64, rounding::up, plain>();
}

TEST(IeeeF32, SumsThatCancelOrBarelyOverlapAreExactInEveryRounding) {
    const std::uint32_t one = f32::one, tiny = 1, minus_tiny = 0x80000001;
    EXPECT_EQ((add<f32, rounding::up>::apply(one, tiny)), one + 1);
    EXPECT_EQ((add<f32, rounding::down>::apply(one, minus_tiny)), one - 1);
    EXPECT_EQ((add<f32, rounding::zero>::apply(one, minus_tiny)), one - 1);
    EXPECT_EQ((add<f32, rounding::zero>::apply(one, tiny)), one);
    EXPECT_EQ((sub<f32, rounding::down>::apply(one, one)), 0x80000000u);
    EXPECT_EQ((sub<f32, rounding::up>::apply(one, one)), 0u);
    EXPECT_EQ((fma<f32, rounding::down>::apply(tiny, tiny, 0x80000000)), 0u) << "tiny, not -0";
    EXPECT_EQ((fma<f32, rounding::up>::apply(tiny, tiny, 0)), 1u);
}

/// Rules of the PTX manual for NaN, signed zeros and flushing, compared with plain comparisons.
template <class Format, class Value>
void check_comparisons() {
    using bits = bits_of<Format>;
    test::for_triples(test::float_samples<Format>(2000), 200000, [](bits a, bits b, bits c) {
        if (c % 8 == 0) b = a;
        const Value x = bit_cast<Value>(a), y = bit_cast<Value>(b);
        const bool unordered = std::isnan(x) || std::isnan(y);
        ASSERT_EQ((setp<Format, comparison::eq>::apply(a, b)), x == y);
        ASSERT_EQ((setp<Format, comparison::ne>::apply(a, b)), x < y || x > y);
        ASSERT_EQ((setp<Format, comparison::lt>::apply(a, b)), x < y);
        ASSERT_EQ((setp<Format, comparison::le>::apply(a, b)), x <= y);
        ASSERT_EQ((setp<Format, comparison::gt>::apply(a, b)), x > y);
        ASSERT_EQ((setp<Format, comparison::ge>::apply(a, b)), x >= y);
        ASSERT_EQ((setp<Format, comparison::equ>::apply(a, b)), x == y || unordered);
        ASSERT_EQ((setp<Format, comparison::neu>::apply(a, b)), !(x == y));
        ASSERT_EQ((setp<Format, comparison::ltu>::apply(a, b)), !(x >= y));
        ASSERT_EQ((setp<Format, comparison::leu>::apply(a, b)), !(x > y));
        ASSERT_EQ((setp<Format, comparison::gtu>::apply(a, b)), !(x <= y));
        ASSERT_EQ((setp<Format, comparison::geu>::apply(a, b)), !(x < y));
        ASSERT_EQ((setp<Format, comparison::num>::apply(a, b)), !unordered);
        ASSERT_EQ((setp<Format, comparison::nan>::apply(a, b)), unordered);

        const bool a_first = x < y || (x == y && std::signbit(x));
        const bits lower = std::isnan(x) ? b : std::isnan(y) || a_first ? a : b;
        const bits upper = std::isnan(x) ? b : std::isnan(y) || !a_first ? a : b;
        const auto canonical = [](bits value) {
            return std::isnan(bit_cast<Value>(value)) ? detail::result_of_nan<Format>(value)
                                                      : value;
        };
        ASSERT_EQ((min<Format>::apply(a, b)), canonical(lower));
        ASSERT_EQ((max<Format>::apply(a, b)), canonical(upper));
        ASSERT_EQ((min<Format, nan>::apply(a, b)), unordered ? Format::canonical_nan : lower);
        ASSERT_EQ((max<Format, nan>::apply(a, b)), unordered ? Format::canonical_nan : upper);
        if (!unordered) {
            const bits sign = (a ^ b) & Format::sign_bit;
            const Value small = std::fmin(std::fabs(x), std::fabs(y));
            const Value large = std::fmax(std::fabs(x), std::fabs(y));
            ASSERT_EQ((min<Format, xorsign_abs>::apply(a, b)), bit_cast<bits>(small) | sign);
            ASSERT_EQ((max<Format, xorsign_abs>::apply(a, b)), bit_cast<bits>(large) | sign);
        }
        ASSERT_EQ((copysign<Format>::apply(a, b)), bit_cast<bits>(std::copysign(y, x)));
        ASSERT_EQ(abs<Format>::apply(a), canonical(bit_cast<bits>(std::fabs(x))));
        ASSERT_EQ(neg<Format>::apply(a), canonical(bit_cast<bits>(-x)));
        ASSERT_EQ((testp<Format, property::finite>::apply(a)), std::isfinite(x));
        ASSERT_EQ((testp<Format, property::infinite>::apply(a)), std::isinf(x));
        ASSERT_EQ((testp<Format, property::number>::apply(a)), !std::isnan(x));
        ASSERT_EQ((testp<Format, property::notanumber>::apply(a)), std::isnan(x));
        ASSERT_EQ((testp<Format, property::normal>::apply(a)), x == 0 || std::isnormal(x));
        ASSERT_EQ((testp<Format, property::subnormal>::apply(a)),
                  std::fpclassify(x) == FP_SUBNORMAL);
    });
}

TEST(FloatComparison, IsThatOfTheHostInF32) {
    check_comparisons<f32, float>();
}
TEST(FloatComparison, IsThatOfTheHostInF64) {
    check_comparisons<f64, double>();
}

TEST(FloatComparison, FlushesSubnormalsToTheirZero) {
    EXPECT_FALSE((setp<f32, comparison::eq>::apply(1, 0x80000001)));
    EXPECT_TRUE((setp<f32, comparison::eq, ftz>::apply(1, 0x80000001)));
    EXPECT_EQ((min<f32, ftz>::apply(0x80000001, 0x00000001)), 0x80000000u);
    EXPECT_EQ((max<f32, ftz>::apply(0x80000001, 0x00000001)), 0u);
    EXPECT_EQ((abs<f32, ftz>::apply(0x80000001)), 0u);
    EXPECT_EQ((neg<f32, ftz>::apply(0x00000001)), 0x80000000u);
}

}  // namespace
}  // namespace simtlm::execution::arithmetic

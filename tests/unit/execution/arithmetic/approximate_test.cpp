// SPDX-License-Identifier: Apache-2.0
// Approximate functions compared with long double, within the error bounds of the PTX manual.
#include "modules/execution/arithmetic/approximate.h"

#include "tests/unit/execution/arithmetic/inputs.h"
#include "tests/unit/execution/arithmetic/number_line.h"

#include <cmath>

namespace simtlm::execution::arithmetic {
namespace {

constexpr std::uint32_t infinity = f32::infinity, minus_infinity = 0xff800000,
                        nan_bits = 0x7fffffff;
constexpr std::uint32_t minus_zero = 0x80000000, one = f32::one, minus_one = 0xbf800000;

std::vector<std::uint32_t> inputs() {
    auto values = test::float_samples<f32>(100000);
    for (int i = -20000; i < 20000; ++i) values.push_back(as_bits(static_cast<float>(i) * 0.0083f));
    return values;
}

/// Compares got(x) with reference(x) for numbers, within a relative or absolute error.
template <class Got, class Reference>
void check(Got got, Reference reference, long double relative, long double absolute) {
    for (const std::uint32_t a : inputs()) {
        const float x = as_float(a);
        if (!std::isfinite(x)) continue;
        const long double want = reference(static_cast<long double>(x));
        const float result = as_float(got(a));
        if (std::isnan(want)) {
            ASSERT_EQ(as_bits(result), nan_bits) << x;
            continue;
        }
        if (std::fabs(want) > 3.4028235e38L || std::isinf(want)) {
            ASSERT_TRUE(std::isinf(result) || std::fabs(want) < 3.403e38L) << x;
            continue;
        }
        const long double error = std::fabs(want - static_cast<long double>(result));
        ASSERT_LE(error, std::fabs(want) * relative + absolute) << x << " gives " << result;
    }
}

constexpr long double half_ulp = 0x1.01p-24L, last_subnormal = 0x1.01p-150L;

TEST(ApproximateFunctions, StayWithinHalfAUnitInTheLastPlace) {
    check(
        ex2_approx<f32>::apply, [](long double x) { return std::exp2(x); }, half_ulp,
        last_subnormal);
    check(
        lg2_approx<>::apply, [](long double x) { return std::log2(x); }, half_ulp, 0);
    check(
        rcp_approx<f32>::apply, [](long double x) { return 1 / x; }, half_ulp, last_subnormal);
    check(
        rsqrt_approx<f32>::apply, [](long double x) { return 1 / std::sqrt(x); }, half_ulp, 0);
    check(
        sqrt_approx<>::apply, [](long double x) { return std::sqrt(x); }, half_ulp, 0);
    check(
        tanh_approx<f32>::apply, [](long double x) { return std::tanh(x); }, half_ulp,
        last_subnormal);
}

TEST(ApproximateFunctions, ComputeSinesAndCosinesOfLargeAngles) {
    for (const std::uint32_t a : inputs()) {
        const float x = as_float(a);
        if (!(std::fabs(x) < 1e6f)) continue;
        const long double exact = x;
        // The angle is reduced to turns in single precision, which is exact enough for 2^-20.5
        // within two turns (PTX), and costs digits beyond.
        const double error = std::fabs(x) <= 6.2831855f ? 0x1.6ap-21 : std::fabs(x) * 0x1.6p-23;
        ASSERT_NEAR(as_float(sin_approx<>::apply(a)), std::sin(exact), error) << x;
        ASSERT_NEAR(as_float(cos_approx<>::apply(a)), std::cos(exact), error) << x;
    }
    // Results for any angle are between -1 and 1.
    for (const std::uint32_t a : {0x7f7fffffu, 0x5a000000u, 0xda000001u, 0x59ffffffu}) {
        EXPECT_LE(std::fabs(as_float(sin_approx<>::apply(a))), 1.0f);
        EXPECT_LE(std::fabs(as_float(cos_approx<>::apply(a))), 1.0f);
    }
}

struct special_case {
    std::uint32_t input, result;
};

template <class Operation>
void expect_cases(std::initializer_list<special_case> cases) {
    for (const auto& [input, result] : cases) {
        EXPECT_EQ(Operation::apply(input), result) << std::hex << input;
    }
}

TEST(ApproximateFunctions, FollowTheTablesOfSpecialInputs) {
    const std::uint32_t subnormal = 0x00001234, minus_subnormal = 0x80001234;
    expect_cases<ex2_approx<f32, ftz>>({{minus_infinity, 0},
                                        {minus_subnormal, one},
                                        {minus_zero, one},
                                        {0, one},
                                        {subnormal, one},
                                        {infinity, infinity},
                                        {nan_bits, nan_bits},
                                        {0xffc00000, nan_bits}});
    expect_cases<lg2_approx<ftz>>({{minus_infinity, nan_bits},
                                   {minus_one, nan_bits},
                                   {minus_subnormal, minus_infinity},
                                   {minus_zero, minus_infinity},
                                   {0, minus_infinity},
                                   {subnormal, minus_infinity},
                                   {infinity, infinity},
                                   {0x7fc00000, nan_bits},
                                   {one, 0}});
    expect_cases<lg2_approx<>>({{minus_subnormal, nan_bits}, {1, as_bits(-149.0f)}});
    expect_cases<sin_approx<ftz>>({{minus_infinity, nan_bits},
                                   {infinity, nan_bits},
                                   {minus_subnormal, minus_zero},
                                   {minus_zero, minus_zero},
                                   {0, 0},
                                   {subnormal, 0},
                                   {0x7fc00000, nan_bits}});
    expect_cases<cos_approx<ftz>>({{minus_infinity, nan_bits},
                                   {infinity, nan_bits},
                                   {minus_subnormal, one},
                                   {minus_zero, one},
                                   {0, one},
                                   {0x7fc00000, nan_bits}});
    expect_cases<rsqrt_approx<f32, ftz>>({{minus_infinity, nan_bits},
                                          {minus_one, nan_bits},
                                          {minus_subnormal, minus_infinity},
                                          {minus_zero, minus_infinity},
                                          {0, infinity},
                                          {subnormal, infinity},
                                          {infinity, 0},
                                          {0x7fc00000, nan_bits}});
    expect_cases<sqrt_approx<ftz>>({{minus_infinity, nan_bits},
                                    {minus_one, nan_bits},
                                    {minus_subnormal, minus_zero},
                                    {minus_zero, minus_zero},
                                    {subnormal, 0},
                                    {infinity, infinity},
                                    {0x7fc00000, nan_bits}});
    expect_cases<rcp_approx<f32, ftz>>({{minus_infinity, minus_zero},
                                        {infinity, 0},
                                        {minus_subnormal, minus_infinity},
                                        {0, infinity},
                                        {0x7f7fffff, 0},
                                        {0x7fc00000, nan_bits}});
    expect_cases<rcp_approx<f32>>({{0x7f7fffff, 0x00200000}});
    expect_cases<tanh_approx<f32>>({{minus_infinity, minus_one},
                                    {infinity, one},
                                    {minus_zero, minus_zero},
                                    {0, 0},
                                    {subnormal, subnormal},
                                    {0x7fc00000, nan_bits}});
}

TEST(ApproximateDivision, LosesTheQuotientOfHugeDivisorsOnlyWithoutFull) {
    const std::uint32_t huge = as_bits(0x1p127f), one_third = as_bits(1.0f / 3);
    EXPECT_EQ(div_approx<>::apply(one, as_bits(3.0f)), one_third);
    EXPECT_EQ(div_approx<>::apply(huge, huge), 0u);
    EXPECT_EQ(div_approx<>::apply(infinity, huge), nan_bits);
    EXPECT_EQ(div_approx<>::apply(minus_one, infinity), minus_zero);
    EXPECT_EQ(div_approx<>::apply(huge, as_bits(0x1p126f)), as_bits(2.0f));
    EXPECT_EQ(div_full<>::apply(huge, huge), one);
    EXPECT_EQ(div_full<>::apply(as_bits(3.0f), as_bits(3.0f)), one);
    EXPECT_EQ(div_full<>::apply(3, 2), as_bits(1.5f)) << "of subnormals";
    EXPECT_EQ((div_full<ftz>::apply(1, one)), 0u);
}

TEST(ApproximateF64, WorksOnUpperWords) {
    for (const std::uint64_t a : test::float_samples<f64>(20000)) {
        const double x = as_double(a);
        if (!std::isnormal(x)) continue;
        const std::uint64_t r = rcp_approx<f64, ftz>::apply(a);
        ASSERT_EQ(r & 0xffffffff, 0u);
        if (std::isnormal(1 / x) && std::fabs(x) < 0x1p1021) {
            ASSERT_NEAR(as_double(r) * x, 1.0, 0x1p-18) << x;
        }
        const std::uint64_t s = rsqrt_approx<f64, ftz>::apply(a);
        if (x > 0) {
            ASSERT_EQ(s & 0xffffffff, 0u);
            ASSERT_NEAR(as_double(s) * std::sqrt(x), 1.0, 0x1p-18);
            ASSERT_NEAR(as_double(rsqrt_approx<f64>::apply(a)) * std::sqrt(x), 1.0, 0x1p-50);
        } else {
            ASSERT_EQ(s, 0x7fffffff00000000u);
        }
    }
    EXPECT_EQ((rcp_approx<f64, ftz>::apply(0)), f64::infinity);
    EXPECT_EQ((rcp_approx<f64, ftz>::apply(f64::sign_bit | 5)), f64::sign_bit | f64::infinity);
    EXPECT_EQ((rcp_approx<f64, ftz>::apply(f64::sign_bit | f64::infinity)), f64::sign_bit);
    EXPECT_EQ((rcp_approx<f64, ftz>::apply(f64::largest_finite)), 0u) << "flushed";
}

template <class Type>
void check_half_functions(double relative) {
    const test::number_line<Type> line;
    for (const std::uint16_t a : test::all_values<std::uint16_t>()) {
        const double x = test::value_of_float<Type>(a);
        if (std::isnan(x)) {
            ASSERT_EQ(ex2_approx<Type>::apply(a), Type::canonical_nan);
            continue;
        }
        const auto near = [&](std::uint16_t got, double want) {
            const auto lower = test::value_of_float<Type>(line.round(want, rounding::down));
            const auto upper = test::value_of_float<Type>(line.round(want, rounding::up));
            const double value = test::value_of_float<Type>(got);
            ASSERT_TRUE(value == lower || value == upper) << x << " gives " << value;
            if (std::isfinite(value) && std::fabs(value) > 0x1p-14) {
                ASSERT_NEAR(value, want, std::fabs(want) * relative) << x;
            }
        };
        near(ex2_approx<Type>::apply(a), std::exp2(x));
        near(tanh_approx<Type>::apply(a), std::tanh(x));
    }
}

TEST(ApproximateHalf, IsANeighbourOfTheExactValueForEveryInput) {
    check_half_functions<f16>(0x1p-10);
    check_half_functions<bf16>(0x1p-7);
}

}  // namespace
}  // namespace simtlm::execution::arithmetic

// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/half.h"

#include "modules/execution/arithmetic/soft_float.h"
#include "tests/unit/execution/arithmetic/inputs.h"
#include "tests/unit/execution/arithmetic/number_line.h"

#include <cmath>

namespace simtlm::execution::arithmetic {
namespace {

constexpr auto rn = rounding::nearest;

template <class Type>
std::vector<std::uint16_t> some_values() {
    std::vector<std::uint16_t> values = test::float_samples<Type>(200);
    for (std::uint32_t i = 0; i < 65536; i += 131) values.push_back(static_cast<std::uint16_t>(i));
    return values;
}

/// A double that rounds like the exact sum of two halves.
double exact_sum(double x, double y) {
    const long double sum = static_cast<long double>(x) + y;
    double result = static_cast<double>(sum);
    if (std::isfinite(result) && static_cast<long double>(result) != sum) {
        const bool low_bit = (as_bits(result) & 1) != 0;
        const bool away = std::fabs(sum) > std::fabs(static_cast<long double>(result));
        if (!low_bit) result = as_double(as_bits(result) + (away ? 1 : -1));
    }
    return result;
}

/// The sign of zero after an exact cancellation is taken from the host's own sum.
template <class Type>
void check_arithmetic() {
    static const test::number_line<Type> line;
    test::for_pairs(some_values<Type>(), [](std::uint16_t a, std::uint16_t b) {
        const double x = test::value_of_float<Type>(a), y = test::value_of_float<Type>(b);
        ASSERT_EQ(add<Type>::apply(a, b), line.round(exact_sum(x, y), rn));
        ASSERT_EQ(sub<Type>::apply(a, b), line.round(exact_sum(x, -y), rn));
        ASSERT_EQ(mul<Type>::apply(a, b), line.round(x * y, rn));
        const double product = x * y;
        const double clamped = std::isnan(product) || product <= 0 ? 0 : product > 1 ? 1 : product;
        ASSERT_EQ((mul<Type, rn, sat>::apply(a, b)), line.round(clamped, rn));
    });
}

TEST(HalfPrecision, SumsAndProductsOfF16AreCorrectlyRounded) {
    check_arithmetic<f16>();
}
TEST(HalfPrecision, SumsAndProductsOfBf16AreCorrectlyRounded) {
    check_arithmetic<bf16>();
}

template <class Type>
void check_fma() {
    test::for_triples(some_values<Type>(), 2000000, [](auto a, auto b, auto c) {
        const auto product = soft::multiply(soft::unpack<Type>(a), soft::unpack<Type>(b));
        const auto sum = soft::add(product, soft::unpack<Type>(c), rn);
        ASSERT_EQ(fma<Type>::apply(a, b, c), soft::pack<Type>(sum, rn));
        ASSERT_EQ((fma<Type, rn, relu>::apply(a, b, c)), soft::pack<Type>(sum, rn, relu));
        ASSERT_EQ((fma<Type, rn, sat>::apply(a, b, c)), soft::pack<Type>(sum, rn, sat));
    });
}

TEST(HalfPrecision, FusedMultiplyAddOfF16RoundsOnce) {
    check_fma<f16>();
}
TEST(HalfPrecision, FusedMultiplyAddOfBf16RoundsOnce) {
    check_fma<bf16>();
}

TEST(HalfPrecision, KeepsATinyAddendThatBreaksATie) {
    // 1.0078125 * 1.0078125 is between two bf16 values; a product exactly half way needs its
    // addend.
    const std::uint16_t odd = 0x3f81;           // 1 + 2^-7
    const std::uint16_t three_halves = 0x3fc0;  // their product is 1.51171875: a tie
    const std::uint16_t tiny = 0x0080, minus_tiny = 0x8080;
    EXPECT_EQ(fma<bf16>::apply(odd, three_halves, 0), 0x3fc2);
    EXPECT_EQ(fma<bf16>::apply(odd, three_halves, tiny), 0x3fc2);
    EXPECT_EQ(fma<bf16>::apply(odd, three_halves, minus_tiny), 0x3fc1);
}

TEST(HalfPrecision, FlushesAndPacks) {
    EXPECT_EQ((mul<f16, rn, ftz>::apply(0x0001, 0x3c00)), 0);
    EXPECT_EQ((mul<f16, rn, ftz>::apply(0x8400, 0x3800)), 0x8000) << "a subnormal result";
    EXPECT_EQ((mul<f16>::apply(0x8400, 0x3800)), 0x8200);
    EXPECT_EQ((packed<add<f16>>::apply(0x3c004000u, 0x3c003c00u)), 0x40004200u);
    EXPECT_EQ((packed<neg<bf16>>::apply(0x3f80bf80u)), 0xbf803f80u);
    EXPECT_EQ((packed<min<f16, nan>>::apply(0x7e003c00u, 0x3c004000u)), 0x7fff3c00u);
    EXPECT_EQ((setp<f16, comparison::lt>::apply(0xbc00, 0x3c00)), true);
    EXPECT_EQ((setp<bf16, comparison::geu>::apply(0x7fc0, 0x3f80)), true);
    EXPECT_EQ((max<f16, relu>::apply(0xbc00, 0xc000)), 0);
}

}  // namespace
}  // namespace simtlm::execution::arithmetic

// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/integer.h"

#include "tests/unit/execution/arithmetic/inputs.h"

namespace simtlm::execution::arithmetic {
namespace {

__extension__ typedef __int128 wide;

/// The operand as an exact integer.
template <class Type>
wide exact(bits_of<Type> bits) {
    return static_cast<wide>(value_of<Type>(bits));
}
template <class Type>
bits_of<Type> cut(wide value) {
    return static_cast<bits_of<Type>>(value);
}
template <class Type>
wide clamped(wide value) {
    const wide high = (wide{1} << (Type::width - (Type::is_signed ? 1 : 0))) - 1;
    const wide low = Type::is_signed ? -high - 1 : 0;
    return value < low ? low : value > high ? high : value;
}

template <class Type>
class IntegerArithmetic : public ::testing::Test {};
using integer_types = ::testing::Types<u8, s8, u16, s16, u32, s32, u64, s64>;
TYPED_TEST_SUITE(IntegerArithmetic, integer_types);

TYPED_TEST(IntegerArithmetic, SumsDifferencesAndComparisonsAreThoseOfExactIntegers) {
    using T = TypeParam;
    using bits = bits_of<T>;
    test::for_pairs(test::samples<bits>(300), [](bits a, bits b) {
        const wide x = exact<T>(a), y = exact<T>(b);
        ASSERT_EQ(add<T>::apply(a, b), cut<T>(x + y));
        ASSERT_EQ(sub<T>::apply(a, b), cut<T>(x - y));
        ASSERT_EQ(mul_lo<T>::apply(a, b),
                  static_cast<bits>(detail::uint128(x) * detail::uint128(y)));
        ASSERT_EQ(min<T>::apply(a, b), cut<T>(x < y ? x : y));
        ASSERT_EQ(max<T>::apply(a, b), cut<T>(x < y ? y : x));
        ASSERT_EQ((min<T, relu>::apply(a, b)), cut<T>(x < 0 || y < 0 ? 0 : x < y ? x : y));
        ASSERT_EQ((max<T, relu>::apply(a, b)), cut<T>(x < 0 && y < 0 ? 0 : x < y ? y : x));
        ASSERT_EQ(abs<T>::apply(a), cut<T>(x < 0 ? -x : x));
        ASSERT_EQ(neg<T>::apply(a), cut<T>(-x));
        ASSERT_EQ(sad<T>::apply(a, b, a), cut<T>(x + (x < y ? y - x : x - y)));
        ASSERT_EQ((setp<T, comparison::eq>::apply(a, b)), x == y);
        ASSERT_EQ((setp<T, comparison::ne>::apply(a, b)), x != y);
        ASSERT_EQ((setp<T, comparison::lt>::apply(a, b)), x < y);
        ASSERT_EQ((setp<T, comparison::le>::apply(a, b)), x <= y);
        ASSERT_EQ((setp<T, comparison::gt>::apply(a, b)), x > y);
        ASSERT_EQ((setp<T, comparison::ge>::apply(a, b)), x >= y);
    });
}

TYPED_TEST(IntegerArithmetic, DivisionTruncatesAndByZeroGivesAllOnes) {
    using T = TypeParam;
    using bits = bits_of<T>;
    test::for_pairs(test::samples<bits>(300), [](bits a, bits b) {
        const wide x = exact<T>(a), y = exact<T>(b);
        ASSERT_EQ(div<T>::apply(a, b), y == 0 ? cut<T>(-1) : cut<T>(x / y));
        ASSERT_EQ(rem<T>::apply(a, b), y == 0 ? cut<T>(-1) : cut<T>(x % y));
    });
}

TYPED_TEST(IntegerArithmetic, ShiftsClampTheirAmount) {
    using T = TypeParam;
    using bits = bits_of<T>;
    for (const bits a : test::samples<bits>(300)) {
        for (const std::uint32_t n : {0u, 1u, 7u, 8u, 15u, 16u, 31u, 32u, 33u, 63u, 64u, 65u, 255u,
                                      256u, 0x80000000u, 0xffffffffu}) {
            const std::uint32_t within = n < 100 ? n : 100;
            ASSERT_EQ(shl<T>::apply(a, n),
                      within >= T::width ? 0 : cut<T>(exact<T>(a) * (wide{1} << within)));
            ASSERT_EQ(shr<T>::apply(a, n), cut<T>(exact<T>(a) >> within)) << n;
        }
    }
}

template <class Type>
class WideMultiplication : public ::testing::Test {};
using wide_types = ::testing::Types<u16, s16, u32, s32, u64, s64>;
TYPED_TEST_SUITE(WideMultiplication, wide_types);

/// High half of a product of signed or unsigned operands, from four partial products.
std::uint64_t high_of_64(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    const std::uint64_t middle = (al * bl >> 32) + (ah * bl & 0xffffffff) + (al * bh & 0xffffffff);
    return ah * bh + (ah * bl >> 32) + (al * bh >> 32) + (middle >> 32);
}

TYPED_TEST(WideMultiplication, HighHalvesAndCarriesAreThoseOfTheExactProduct) {
    using T = TypeParam;
    using bits = bits_of<T>;
    test::for_pairs(test::samples<bits>(300), [](bits a, bits b) {
        bits high;
        if constexpr (T::width == 64) {
            high = high_of_64(a, b);
            if (T::is_signed && value_of<T>(a) < 0) high -= b;
            if (T::is_signed && value_of<T>(b) < 0) high -= a;
        } else {
            high = cut<T>(exact<T>(a) * exact<T>(b) >> T::width);
            ASSERT_EQ(mul_wide<T>::apply(a, b),
                      static_cast<typename mul_wide<T>::result>(exact<T>(a) * exact<T>(b)));
            ASSERT_EQ(mad_wide<T>::apply(a, b, 5),
                      static_cast<typename mul_wide<T>::result>(exact<T>(a) * exact<T>(b) + 5));
        }
        ASSERT_EQ(mul_hi<T>::apply(a, b), high);
        ASSERT_EQ(mad_hi<T>::apply(a, b, a), cut<T>(exact<T>(high) + exact<T>(a)));
        ASSERT_EQ(mad_lo<T>::apply(a, b, b), cut<T>(exact<T>(a * b) + exact<T>(b)));
        for (const bool carry : {false, true}) {
            const auto unsigned_sum = [carry](bits x, bits y) {
                return static_cast<detail::uint128>(x) + y + carry;
            };
            const auto check = [](with_carry<T> got, detail::uint128 sum) {
                ASSERT_EQ(got.value, static_cast<bits>(sum));
                ASSERT_EQ(got.carry, (sum >> T::width) != 0);
            };
            check(add_carry<T>::apply(a, b, carry), unsigned_sum(a, b));
            check(mad_lo_carry<T>::apply(a, b, a, carry), unsigned_sum(mul_lo<T>::apply(a, b), a));
            check(mad_hi_carry<T>::apply(a, b, b, carry), unsigned_sum(high, b));
            const auto difference = sub_borrow<T>::apply(a, b, carry);
            ASSERT_EQ(difference.value, static_cast<bits>(a - b - carry));
            ASSERT_EQ(difference.carry, static_cast<wide>(a) - static_cast<wide>(b) - carry < 0);
        }
    });
}

TEST(IntegerSaturation, ClampsSumsToTheRangeOfTheType) {
    constexpr auto near = rounding::nearest;
    test::for_pairs(test::samples<std::uint32_t>(300), [](std::uint32_t a, std::uint32_t b) {
        const wide x = exact<s32>(a), y = exact<s32>(b);
        ASSERT_EQ((add<s32, near, sat>::apply(a, b)), cut<s32>(clamped<s32>(x + y)));
        ASSERT_EQ((sub<s32, near, sat>::apply(a, b)), cut<s32>(clamped<s32>(x - y)));
        ASSERT_EQ((mad_hi<s32, sat>::apply(a, b, b)), cut<s32>(clamped<s32>((x * y >> 32) + y)));
    });
}

TEST(Multiplication24, UsesTheLow24BitsOfItsOperands) {
    const auto low24 = [](std::uint32_t a) {
        return (a & 0x800000) != 0 ? wide{a & 0xffffff} - 0x1000000 : wide{a & 0xffffff};
    };
    test::for_pairs(test::samples<std::uint32_t>(300), [&](std::uint32_t a, std::uint32_t b) {
        const wide product = low24(a) * low24(b);
        const wide positive = wide{a & 0xffffff} * (b & 0xffffff);
        ASSERT_EQ(mul24_lo<s32>::apply(a, b), cut<s32>(product));
        ASSERT_EQ(mul24_hi<s32>::apply(a, b), cut<s32>(product >> 16));
        ASSERT_EQ(mul24_lo<u32>::apply(a, b), cut<u32>(positive));
        ASSERT_EQ(mul24_hi<u32>::apply(a, b), cut<u32>(positive >> 16));
        ASSERT_EQ(mad24_lo<u32>::apply(a, b, a), cut<u32>(positive + a));
        ASSERT_EQ((mad24_hi<s32, sat>::apply(a, b, b)),
                  cut<s32>(clamped<s32>(exact<s32>(cut<s32>(product >> 16)) + exact<s32>(b))));
    });
}

TEST(PackedIntegers, WorkOnEachHalfAlone) {
    EXPECT_EQ(packed<add<u16>>::apply(0x0001ffffu, 0x00020001u), 0x00030000u);
    EXPECT_EQ((packed<max<s16, relu>>::apply(0x8000fffeu, 0x7fffffffu)), 0x7fff0000u);
    EXPECT_EQ(packed<min<s16>>::apply(0x80000001u, 0x7fffffffu), 0x8000ffffu);
    EXPECT_EQ(packed<min<u16>>::apply(0x80000001u, 0x7fffffffu), 0x7fff0001u);
}

TEST(Selection, FollowsPredicatesAndSelectors) {
    EXPECT_EQ(selp<u32>::apply(1, 2, true), 1u);
    EXPECT_EQ(selp<u32>::apply(1, 2, false), 2u);
    EXPECT_EQ(slct<u64>::apply(1, 2, 0), 1u);
    EXPECT_EQ(slct<u64>::apply(1, 2, 0x80000000), 2u);
    EXPECT_EQ(slct_f32<u32>::apply(1, 2, 0x80000000), 1u) << "-0 >= 0";
    EXPECT_EQ(slct_f32<u32>::apply(1, 2, 0x80000001), 2u) << "a negative subnormal";
    EXPECT_EQ((slct_f32<u32, ftz>::apply(1, 2, 0x80000001)), 1u) << "flushed to -0";
    EXPECT_EQ(slct_f32<u32>::apply(1, 2, 0x7f800000), 1u);
    EXPECT_EQ(slct_f32<u32>::apply(1, 2, 0x7fc00000), 2u) << "NaN";
}

TEST(Logic, IsBitwise) {
    EXPECT_EQ(bit_and<b32>::apply(0xff00ff00, 0x0ff00ff0), 0x0f000f00u);
    EXPECT_EQ(bit_or<b32>::apply(0xff00ff00, 0x0ff00ff0), 0xfff0fff0u);
    EXPECT_EQ(bit_xor<b32>::apply(0xff00ff00, 0x0ff00ff0), 0xf0f0f0f0u);
    EXPECT_EQ(bit_not<b16>::apply(0xff00), 0x00ff);
    EXPECT_EQ(cnot<b64>::apply(0), 1u);
    EXPECT_EQ(cnot<b64>::apply(std::uint64_t{1} << 40), 0u);
}

}  // namespace
}  // namespace simtlm::execution::arithmetic

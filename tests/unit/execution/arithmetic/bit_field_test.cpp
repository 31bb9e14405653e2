// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/bit_field.h"

#include "tests/unit/execution/arithmetic/inputs.h"

#include <algorithm>
#include <array>

namespace simtlm::execution::arithmetic {
namespace {

template <class Bits>
bool bit(Bits value, int position) {
    return (value >> position & 1) != 0;
}

template <class Type>
class BitInstructions : public ::testing::Test {};
using types = ::testing::Types<u32, s32, u64, s64>;
TYPED_TEST_SUITE(BitInstructions, types);

TYPED_TEST(BitInstructions, CountFindAndReverseBitByBit) {
    using T = TypeParam;
    constexpr int width = T::width;
    for (const auto a : test::samples<bits_of<T>>(2000)) {
        unsigned ones = 0;
        bits_of<T> reversed = 0;
        int highest = -1, found = -1;
        for (int i = 0; i < width; ++i) {
            ones += bit(a, i);
            if (bit(a, i)) reversed |= bits_of<T>{1} << (width - 1 - i);
            if (bit(a, i)) highest = i;
            if (bit(a, i) != (T::is_signed && bit(a, width - 1))) found = i;
        }
        ASSERT_EQ(popc<T>::apply(a), ones);
        ASSERT_EQ(clz<T>::apply(a), unsigned(width - 1 - highest));
        ASSERT_EQ(brev<T>::apply(a), reversed);
        ASSERT_EQ(bfind<T>::apply(a), unsigned(found)) << a;
        ASSERT_EQ(bfind_shiftamt<T>::apply(a), found < 0 ? ~0u : unsigned(width - 1 - found));
    }
}

TYPED_TEST(BitInstructions, ExtractAndInsertFieldsBitByBit) {
    using T = TypeParam;
    using bits = bits_of<T>;
    constexpr int top = T::width - 1;
    for (const bits a : test::samples<bits>(10)) {
        for (const int position : {0, 1, 5, 31, 32, 33, 63, 64, 200, 255}) {
            for (const int length : {0, 1, 2, 17, 31, 32, 33, 63, 64, 100, 255}) {
                bits extracted = 0;
                bits inserted = static_cast<bits>(0x5a5a5a5a5a5a5a5a);
                const bool sign =
                    T::is_signed && length != 0 && bit(a, std::min(position + length - 1, top));
                for (int i = 0; i <= top; ++i) {
                    const bool inside = i < length && position + i <= top;
                    if (inside ? bit(a, position + i) : sign) extracted |= bits{1} << i;
                    if (inside) {
                        inserted &= ~(bits{1} << (position + i));
                        if (bit(a, i)) inserted |= bits{1} << (position + i);
                    }
                }
                ASSERT_EQ(bfe<T>::apply(a, position + 256, length + 512), extracted)
                    << a << " " << position << " " << length;
                ASSERT_EQ(bfi<T>::apply(a, static_cast<bits>(0x5a5a5a5a5a5a5a5a), position, length),
                          inserted);
            }
        }
    }
}

TEST(FindNthSet, SearchesUpwardsAndDownwardsFromTheBase) {
    EXPECT_EQ(fns::apply(0b1011'0000, 0, 1), 4u);
    EXPECT_EQ(fns::apply(0b1011'0000, 4, 1), 4u) << "the base itself counts";
    EXPECT_EQ(fns::apply(0b1011'0000, 5, 2), 7u);
    EXPECT_EQ(fns::apply(0b1011'0000, 5, 3), ~0u);
    EXPECT_EQ(fns::apply(0b1011'0000, 7, -2u), 5u);
    EXPECT_EQ(fns::apply(0b1011'0000, 31, -3u), 4u);
    EXPECT_EQ(fns::apply(0b1011'0000, 31, -4u), ~0u);
    EXPECT_EQ(fns::apply(0b1011'0000, 5, 0), 5u);
    EXPECT_EQ(fns::apply(0b1011'0000, 6, 0), ~0u);
    EXPECT_EQ(fns::apply(~0u, 0, 0x80000000u), ~0u);
}

TEST(SignExtension, TakesTheWidthWrappedOrClamped) {
    constexpr auto clamp = shift_mode::clamp, wrap = shift_mode::wrap;
    EXPECT_EQ((szext<s32, clamp>::apply(0xf8, 8)), 0xfffffff8u);
    EXPECT_EQ((szext<u32, clamp>::apply(0xfff8, 8)), 0xf8u);
    EXPECT_EQ((szext<s32, clamp>::apply(0x12345678, 32)), 0x12345678u);
    EXPECT_EQ((szext<s32, clamp>::apply(0x12345678, 99)), 0x12345678u);
    EXPECT_EQ((szext<s32, wrap>::apply(0x12345678, 32)), 0u);
    EXPECT_EQ((szext<s32, wrap>::apply(0x0000000c, 36)), 0xfffffffcu);
    EXPECT_EQ((szext<s32, clamp>::apply(~0u, 0)), 0u);
}

TEST(BitMask, TakesPositionAndWidthWrappedOrClamped) {
    constexpr auto clamp = shift_mode::clamp, wrap = shift_mode::wrap;
    EXPECT_EQ(bmsk<clamp>::apply(4, 8), 0xff0u);
    EXPECT_EQ(bmsk<clamp>::apply(28, 8), 0xf0000000u);
    EXPECT_EQ(bmsk<clamp>::apply(0, 40), 0xffffffffu);
    EXPECT_EQ(bmsk<clamp>::apply(40, 4), 0u);
    EXPECT_EQ(bmsk<clamp>::apply(31, 32), 0x80000000u);
    EXPECT_EQ(bmsk<wrap>::apply(36, 40), 0xff0u);
    EXPECT_EQ(bmsk<wrap>::apply(0, 32), 0u);
}

TEST(LogicOperation3, LooksUpEveryBit) {
    const auto values = test::samples<std::uint32_t>(50);
    for (unsigned lut = 0; lut < 256; ++lut) {
        test::for_triples(values, 20, [lut](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
            std::uint32_t expected = 0;
            for (int i = 0; i < 32; ++i) {
                const int index = bit(a, i) * 4 + bit(b, i) * 2 + bit(c, i);
                if (bit(lut, index)) expected |= 1u << i;
            }
            ASSERT_EQ(lop3::apply(a, b, c, lut), expected);
        });
    }
}

TEST(FunnelShift, MovesBitsBetweenTheWords) {
    constexpr auto clamp = shift_mode::clamp, wrap = shift_mode::wrap;
    const std::uint32_t low = 0x89abcdef, high = 0x01234567;
    for (unsigned n = 0; n < 80; ++n) {
        const unsigned wrapped = n % 32, clamped = std::min(n, 32u);
        const auto left = [&](unsigned s) {
            return s == 0 ? high : s == 32 ? low : high << s | low >> (32 - s);
        };
        const auto right = [&](unsigned s) {
            return s == 0 ? low : s == 32 ? high : low >> s | high << (32 - s);
        };
        EXPECT_EQ(shf_l<wrap>::apply(low, high, n), left(wrapped));
        EXPECT_EQ(shf_l<clamp>::apply(low, high, n), left(clamped));
        EXPECT_EQ(shf_r<wrap>::apply(low, high, n), right(wrapped));
        EXPECT_EQ(shf_r<clamp>::apply(low, high, n), right(clamped));
    }
}

TEST(Permute, ChoosesBytesInEveryMode) {
    const std::uint32_t a = 0x33221100, b = 0x77665544;
    EXPECT_EQ(prmt<permute_mode::index>::apply(a, b, 0x7531), 0x77553311u);
    EXPECT_EQ(prmt<permute_mode::index>::apply(0x80, 0x7f, 0x48c8), 0x7fff00ffu);
    // The tables of the PTX manual, d.b3 .. d.b0 for selectors 0 to 3.
    const std::array<std::uint32_t, 4> f4e{0x33221100, 0x44332211, 0x55443322, 0x66554433};
    const std::array<std::uint32_t, 4> b4e{0x55667700, 0x66770011, 0x77001122, 0x00112233};
    const std::array<std::uint32_t, 4> rc8{0x00000000, 0x11111111, 0x22222222, 0x33333333};
    const std::array<std::uint32_t, 4> ecl{0x33221100, 0x33221111, 0x33222222, 0x33333333};
    const std::array<std::uint32_t, 4> ecr{0x00000000, 0x11111100, 0x22221100, 0x33221100};
    const std::array<std::uint32_t, 4> rc16{0x11001100, 0x33223322, 0x11001100, 0x33223322};
    for (std::uint32_t c = 0; c < 4; ++c) {
        EXPECT_EQ(prmt<permute_mode::f4e>::apply(a, b, c), f4e[c]);
        EXPECT_EQ(prmt<permute_mode::b4e>::apply(a, b, c), b4e[c]);
        EXPECT_EQ(prmt<permute_mode::rc8>::apply(a, b, c), rc8[c]);
        EXPECT_EQ(prmt<permute_mode::ecl>::apply(a, b, c), ecl[c]);
        EXPECT_EQ(prmt<permute_mode::ecr>::apply(a, b, c), ecr[c]);
        EXPECT_EQ(prmt<permute_mode::rc16>::apply(a, b, c + 0xf0), rc16[c]);
    }
}

TEST(DotProduct, AddsProductsOfBytesAndHalves) {
    test::for_triples(test::samples<std::uint32_t>(300), 20000,
                      [](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
                          std::uint32_t uu = c, su = c, us = c, ss = c, low = c, high = c;
                          for (int i = 0; i < 4; ++i) {
                              const auto x = static_cast<std::uint8_t>(a >> 8 * i);
                              const auto y = static_cast<std::uint8_t>(b >> 8 * i);
                              const auto sx = static_cast<std::int8_t>(x),
                                         sy = static_cast<std::int8_t>(y);
                              uu += x * y;
                              su += sx * y;
                              us += x * sy;
                              ss += sx * sy;
                              const auto half = static_cast<std::int16_t>(a >> 16 * (i % 2));
                              (i < 2 ? low : high) += half * y;
                          }
                          ASSERT_EQ((dp4a<u32, u32>::apply(a, b, c)), uu);
                          ASSERT_EQ((dp4a<s32, u32>::apply(a, b, c)), su);
                          ASSERT_EQ((dp4a<u32, s32>::apply(a, b, c)), us);
                          ASSERT_EQ((dp4a<s32, s32>::apply(a, b, c)), ss);
                          ASSERT_EQ((dp2a<s32, u32, false>::apply(a, b, c)), low);
                          ASSERT_EQ((dp2a<s32, u32, true>::apply(a, b, c)), high);
                      });
}

}  // namespace
}  // namespace simtlm::execution::arithmetic

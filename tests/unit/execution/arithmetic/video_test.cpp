// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/arithmetic/video.h"

#include "tests/unit/execution/arithmetic/inputs.h"

#include <algorithm>

namespace simtlm::execution::arithmetic {
namespace {

using operation = video_operation;

scalar_video scalar(operation what, bool d_signed, bool a_signed, bool b_signed) {
    scalar_video v;
    v.operation = what;
    v.destination_signed = d_signed;
    v.a_signed = a_signed;
    v.b_signed = b_signed;
    return v;
}

TEST(ScalarVideo, AddsSignedAndUnsignedWordsWithSaturation) {
    test::for_pairs(test::samples<std::uint32_t>(200), [](std::uint32_t a, std::uint32_t b) {
        for (int types = 0; types < 8; ++types) {
            auto v = scalar(operation::add, types & 1, types & 2, types & 4);
            const std::int64_t x = types & 2 ? static_cast<std::int32_t>(a) : std::int64_t{a};
            const std::int64_t y = types & 4 ? static_cast<std::int32_t>(b) : std::int64_t{b};
            const std::int64_t low = types & 1 ? INT32_MIN : 0;
            const std::int64_t high = types & 1 ? INT32_MAX : std::int64_t{UINT32_MAX};
            ASSERT_EQ(apply(v, a, b, 0), static_cast<std::uint32_t>(x + y));
            v.saturate = true;
            ASSERT_EQ(apply(v, a, b, 0), static_cast<std::uint32_t>(std::clamp(x + y, low, high)));
            v.operation = operation::subtract;
            ASSERT_EQ(apply(v, a, b, 0), static_cast<std::uint32_t>(std::clamp(x - y, low, high)));
            v.operation = operation::absolute_difference;
            ASSERT_EQ(apply(v, a, b, 0),
                      static_cast<std::uint32_t>(std::clamp(std::abs(x - y), low, high)));
            v.operation = operation::minimum;
            ASSERT_EQ(apply(v, a, b, 0),
                      static_cast<std::uint32_t>(std::clamp(std::min(x, y), low, high)));
            v.operation = operation::maximum;
            v.saturate = false;
            ASSERT_EQ(apply(v, a, b, 0), static_cast<std::uint32_t>(std::max(x, y)));
        }
    });
}

TEST(ScalarVideo, SelectsPartsAndExtendsThem) {
    auto v = scalar(operation::add, true, true, false);
    v.a = part::b1;
    v.b = part::h1;
    EXPECT_EQ(apply(v, 0x0000ff00, 0xfffe0000, 0), 0x0000fffdu);
    v.a_signed = false;
    EXPECT_EQ(apply(v, 0x0000ff00, 0x00020000, 0), 0x101u);
    v.a = part::h0;
    v.b = part::b3;
    EXPECT_EQ(apply(v, 0x1234ffff, 0x01000000, 0), 0x10000u);
}

TEST(ScalarVideo, SaturatesToThePartItMerges) {
    auto v = scalar(operation::add, true, true, true);
    v.saturate = true;
    v.destination = part::b2;
    EXPECT_EQ(apply(v, 100, 100, 0x11223344), 0x117f3344u);
    v.destination = part::h1;
    EXPECT_EQ(apply(v, 0x7fff, 100, 0x11223344), 0x7fff3344u);
    v.destination_signed = false;
    v.destination = part::b0;
    EXPECT_EQ(apply(v, 5, -7u, 0x11223344), 0x11223300u);
}

TEST(ScalarVideo, AppliesTheSecondaryOperationInTheTypeOfTheResult) {
    auto v = scalar(operation::subtract, true, true, true);
    v.secondary = secondary_operation::minimum;
    EXPECT_EQ(apply(v, 1, 3, 5), -2u);
    v.destination_signed = false;
    EXPECT_EQ(apply(v, 1, 3, 5), 5u);
    v.secondary = secondary_operation::maximum;
    EXPECT_EQ(apply(v, 1, 3, 5), -2u);
    v.secondary = secondary_operation::add;
    EXPECT_EQ(apply(v, 1, 3, 5), 3u);
}

TEST(ScalarVideo, AppliesTheSecondaryOperationToAllBitsOfTheIntermediateResult) {
    auto v = scalar(operation::absolute_difference, true, true, true);
    v.secondary = secondary_operation::minimum;  // 0x80000001 is not negative
    EXPECT_EQ(apply(v, 0x80000000, 1, 5), 5u);
    v = scalar(operation::add, false, false, false);
    v.secondary = secondary_operation::maximum;  // 0x100000000
    EXPECT_EQ(apply(v, 0xffffffff, 1, 5), 0u);
}

TEST(ScalarVideo, HasAnIntermediateResultOf34Bits) {
    auto v = scalar(operation::shift_left, true, false, false);
    v.saturate = true;
    EXPECT_EQ(apply(v, 1, 32, 0), 0x7fffffffu);
    EXPECT_EQ(apply(v, 2, 32, 0), 0x80000000u);  // bit 33 is the sign
    EXPECT_EQ(apply(v, 4, 32, 0), 0u);
}

TEST(ScalarVideo, ShiftsClampOrWrapTheirAmount) {
    auto v = scalar(operation::shift_left, false, false, false);
    EXPECT_EQ(apply(v, 3, 4, 0), 48u);
    EXPECT_EQ(apply(v, 3, 40, 0), 0u);
    v.saturate = true;
    EXPECT_EQ(apply(v, 1, 40, 0), 0xffffffffu);
    v.saturate = false;
    v.shift = shift_mode::wrap;
    EXPECT_EQ(apply(v, 3, 36, 0), 48u);
    v = scalar(operation::shift_right, true, true, false);
    EXPECT_EQ(apply(v, 0x80000000, 99, 0), 0xffffffffu);
    v.a_signed = false;
    EXPECT_EQ(apply(v, 0x80000000, 31, 0), 1u);
    EXPECT_EQ(apply(v, 0x80000000, 32, 0), 0u);
}

TEST(ScalarVideo, ComparesToOneOrZero) {
    auto v = scalar(operation::compare, false, true, false);
    v.compare = comparison::lt;
    EXPECT_EQ(apply(v, -1u, 0, 7), 1u);
    v.a_signed = false;
    EXPECT_EQ(apply(v, -1u, 0, 7), 0u);
    v.compare = comparison::ge;
    v.secondary = secondary_operation::add;
    EXPECT_EQ(apply(v, -1u, 0, 7), 8u);
    v.secondary = secondary_operation::none;
    v.destination = part::b1;
    EXPECT_EQ(apply(v, -1u, 0, 0xffffffff), 0xffff01ffu);
}

TEST(VideoMultiplyAdd, FollowsTheExactProduct) {
    test::for_triples(test::samples<std::uint32_t>(300), 50000, [](auto a, auto b, auto c) {
        __extension__ typedef __int128 wide;
        const wide sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
        const wide sc = static_cast<std::int32_t>(c);
        video_mad v;
        ASSERT_EQ(apply(v, a, b, c), a * b + c);
        v.shift = 7;
        ASSERT_EQ(apply(v, a, b, c), static_cast<std::uint32_t>((wide{a} * b + c) >> 7));
        v.saturate = true;
        ASSERT_EQ(apply(v, a, b, c),
                  static_cast<std::uint32_t>(std::min((wide{a} * b + c) >> 7, wide{UINT32_MAX})));
        const auto clamp32 = [](wide x) {
            return static_cast<std::uint32_t>(std::clamp<wide>(x, INT32_MIN, INT32_MAX));
        };
        v.a_signed = v.b_signed = true;
        v.shift = 15;
        ASSERT_EQ(apply(v, a, b, c), clamp32((sa * sb + sc) >> 15));
        v.negate_product = true;
        ASSERT_EQ(apply(v, a, b, c), clamp32((sc - sa * sb) >> 15));
        v.negate_product = false;
        v.negate_c = true;
        if (sc != INT32_MIN) {
            ASSERT_EQ(apply(v, a, b, c), clamp32((sa * sb - sc) >> 15));
        }
        v.negate_c = false;
        v.plus_one = true;
        v.a = part::b1;
        v.b = part::h1;
        ASSERT_EQ(apply(v, a, b, c), clamp32((wide{static_cast<std::int8_t>(a >> 8)} *
                                                  static_cast<std::int16_t>(b >> 16) +
                                              sc + 1) >>
                                             15));
    });
}

/// One lane of a SIMD instruction by host arithmetic.
template <class Element>
std::int64_t lane_value(operation what, Element x, Element y) {
    const std::int64_t a = x, b = y;
    switch (what) {
        case operation::add:
            return a + b;
        case operation::subtract:
            return a - b;
        case operation::absolute_difference:
            return std::abs(a - b);
        case operation::minimum:
            return std::min(a, b);
        case operation::maximum:
            return std::max(a, b);
        // Rounds half away from zero: (a + b + 1) / 2, floor for negative sums.
        default:
            return a + b >= 0 ? (a + b + 1) / 2 : -((-(a + b) + 1) / 2);
    }
}

template <class Element>
void check_lanes() {
    constexpr unsigned width = sizeof(Element) * 8;
    using limits = std::numeric_limits<Element>;
    test::for_triples(test::samples<std::uint32_t>(300), 5000, [](auto a, auto b, auto c) {
        for (int what = 0; what <= static_cast<int>(operation::average); ++what) {
            simd_video v;
            v.operation = static_cast<operation>(what);
            v.lanes = 32 / width;
            v.a_signed = v.b_signed = v.destination_signed = std::is_signed_v<Element>;
            if (v.lanes == 2) v.b_elements = {2, 3, 0, 0};
            std::uint32_t wrapped = 0, saturated = 0, sum = c;
            for (unsigned i = 0; i < v.lanes; ++i) {
                const std::int64_t value =
                    lane_value(v.operation, static_cast<Element>(a >> width * i),
                               static_cast<Element>(b >> width * i));
                const auto clamped = std::clamp<std::int64_t>(value, limits::min(), limits::max());
                const std::uint32_t mask = (1u << width) - 1;
                wrapped |= (static_cast<std::uint32_t>(value) & mask) << width * i;
                saturated |= (static_cast<std::uint32_t>(clamped) & mask) << width * i;
                sum += static_cast<std::uint32_t>(value);
            }
            ASSERT_EQ(apply(v, a, b, c), wrapped) << what;
            v.saturate = true;
            ASSERT_EQ(apply(v, a, b, c), saturated) << what;
            v.saturate = false;
            v.accumulate = true;
            ASSERT_EQ(apply(v, a, b, c), sum) << what;
        }
    });
}

TEST(SimdVideo, WorksOnSignedAndUnsignedLanes) {
    check_lanes<std::uint8_t>();
    check_lanes<std::int8_t>();
    check_lanes<std::uint16_t>();
    check_lanes<std::int16_t>();
}

TEST(SimdVideo, SelectsElementsAndMasksLanes) {
    simd_video v;
    v.mask = 0b0101;
    v.a_elements = {7, 0, 1, 0};
    v.b_elements = {0, 0, 4, 0};
    EXPECT_EQ(apply(v, 0x04030201, 0x80706050, 0xaabbccdd), 0xaa52cc81u);
    v.accumulate = true;
    EXPECT_EQ(apply(v, 0x04030201, 0x80706050, 1000), 1000u + 0x52 + 0x81);
    v = {};
    v.lanes = 2;
    v.operation = operation::compare;
    v.compare = comparison::gt;
    v.a_elements = {3, 0, 0, 0};
    v.b_elements = {0, 1, 0, 0};
    EXPECT_EQ(apply(v, 0x00050005, 0x00060000, 0), 0x00000001u);
}

}  // namespace
}  // namespace simtlm::execution::arithmetic

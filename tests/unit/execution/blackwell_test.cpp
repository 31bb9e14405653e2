// SPDX-License-Identifier: Apache-2.0
// PTX of sm_100 and sm_120 through the whole machine: pairs of f32, operands of mixed width,
// numbers of four and six bits, block-scaled products.
#include "modules/execution/state/tensor_map.h"
#include "tests/unit/execution/machine.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <random>
#include <utility>

namespace simtlm::execution {
namespace {

using u32 = std::uint32_t;

float f(u32 bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
u32 bits(float value) {
    u32 b;
    std::memcpy(&b, &value, sizeof b);
    return b;
}

constexpr unsigned words = 16;  // per lane, in and out

/// Executes instructions with 32 lanes: %i0 to %i15 are inputs of the lane, %o0 to %o15 its
/// results.
std::vector<u32> run(const std::string& body, const std::vector<u32>& in,
                     const std::string& target = "sm_120a") {
    std::string load, store;
    for (unsigned i = 0; i < words; ++i) {
        const std::string n = std::to_string(i), at = "+" + std::to_string(4 * i) + "]";
        load += "ld.global.u32 %i" + n + ", [%a" + at + ";\n";
        store += "st.global.u32 [%b" + at + ", %o" + n + ";\n";
    }
    std::string clear;
    for (unsigned i = 0; i < words; ++i) clear += "mov.b32 %o" + std::to_string(i) + ", 0;\n";
    machine m(R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %i<16>; .reg .b32 %o<16>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b16 %h<8>;
  .reg .b8 %c<8>; .reg .b64 %a; .reg .b64 %b; .reg .b64 %e; .reg .b32 %t;
  .shared .align 16 .b8 sm[1024];
  ld.param.u64 %a, [in]; ld.param.u64 %b, [out];
  mov.u32 %t, %tid.x; mul.wide.u32 %e, %t, 64; add.u64 %a, %a, %e; add.u64 %b, %b, %e;
)" + load + clear +
                  body + "\n" + store + "ret;\n}\n",
              ".version 9.0\n.target " + target + "\n.address_size 64\n");
    const auto di = m.buffer(in), out = m.buffer(std::vector<u32>(32 * words, 0));
    m.run("k", {1, 1, 1}, {32, 1, 1}, di, out);
    return m.read<u32>(out, 32 * words);
}

std::vector<u32> random_words(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<u32> in(32 * words);
    for (u32& x : in) x = static_cast<u32>(random());
    return in;
}
/// Finite numbers of moderate size.
std::vector<u32> random_floats(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<u32> in(32 * words);
    for (u32& x : in)
        x = bits(std::ldexp(static_cast<float>(random() % 4096) - 2048.0f,
                            static_cast<int>(random() % 20) - 14));
    return in;
}

TEST(PairsOfFp32, AreRoundedLikeSingleNumbers) {
    const auto in = random_floats(1);
    const auto out = run(R"(
  mov.b64 %d0, {%i0, %i1}; mov.b64 %d1, {%i2, %i3}; mov.b64 %d2, {%i4, %i5};
  add.rn.f32x2 %d3, %d0, %d1; mov.b64 {%o0, %o1}, %d3;
  sub.f32x2 %d3, %d0, %d1; mov.b64 {%o2, %o3}, %d3;
  mul.rz.f32x2 %d3, %d0, %d1; mov.b64 {%o4, %o5}, %d3;
  fma.rn.f32x2 %d3, %d0, %d1, %d2; mov.b64 {%o6, %o7}, %d3;
  mul.rz.f32 %o8, %i0, %i2; mul.rz.f32 %o9, %i1, %i3;
)",
                         in);
    for (unsigned l = 0; l < 32; ++l) {
        const u32* const i = &in[l * words];
        const u32* const o = &out[l * words];
        for (unsigned half = 0; half < 2; ++half) {
            const float a = f(i[half]), b = f(i[2 + half]), c = f(i[4 + half]);
            EXPECT_EQ(f(o[half]), a + b);
            EXPECT_EQ(f(o[2 + half]), a - b);
            EXPECT_EQ(o[4 + half], o[8 + half]);
            EXPECT_EQ(f(o[6 + half]), std::fma(a, b, c));
        }
    }
}

TEST(MixedPrecisionArithmetic, WidensItsOperandsExactly) {
    const auto in = random_floats(2);
    const auto out = run(R"(
  cvt.rn.f16.f32 %h0, %i0; cvt.rn.bf16.f32 %h1, %i1; cvt.f32.f16 %o8, %h0; cvt.f32.bf16 %o9, %h1;
  add.rn.f32.f16 %o0, %h0, %i2; sub.rn.f32.bf16 %o1, %h1, %i2;
  cvt.rn.f16.f32 %h2, %i3; cvt.f32.f16 %o10, %h2; fma.rn.f32.f16 %o2, %h0, %h2, %i4;
  fma.rz.sat.f32.f16 %o3, %h0, %h2, %i4; fma.rz.sat.f32 %o4, %o8, %o10, %i4;
)",
                         in);
    for (unsigned l = 0; l < 32; ++l) {
        const u32* const i = &in[l * words];
        const u32* const o = &out[l * words];
        EXPECT_EQ(f(o[0]), f(o[8]) + f(i[2]));
        EXPECT_EQ(f(o[1]), f(o[9]) - f(i[2]));
        EXPECT_EQ(f(o[2]), std::fma(f(o[8]), f(o[10]), f(i[4])));
        EXPECT_EQ(o[3], o[4]);
    }
}

TEST(MinimumOfThree, IgnoresNaNUnlessItIsAskedFor) {
    std::vector<u32> in(32 * words, bits(0));
    const u32 nan = 0x7fffffff;
    const float rows[][3] = {{1, 2, 3}, {3, -2, 1}, {-5, 4, -1}};
    for (unsigned l = 0; l < 3; ++l)
        for (unsigned i = 0; i < 3; ++i) in[l * words + i] = bits(rows[l][i]);
    in[3 * words] = nan;
    in[3 * words + 1] = bits(7);
    in[3 * words + 2] = bits(-8);
    const auto out = run(R"(
  min.f32 %o0, %i0, %i1, %i2; max.f32 %o1, %i0, %i1, %i2;
  max.abs.f32 %o2, %i0, %i1, %i2; min.NaN.f32 %o3, %i0, %i1, %i2;
  mov.b32 %o4, %i2; min.f32 %o4, %i0, %i1, %o4;
)",
                         in);
    const float least[] = {1, -2, -5, -8}, most[] = {3, 3, 4, 7}, magnitude[] = {3, 3, 5, 8};
    for (unsigned l = 0; l < 4; ++l) {
        EXPECT_EQ(f(out[l * words]), least[l]);
        EXPECT_EQ(f(out[l * words + 1]), most[l]);
        EXPECT_EQ(f(out[l * words + 2]), magnitude[l]);
        EXPECT_EQ(f(out[l * words + 4]), least[l]) << "the result replaces an operand";
    }
    EXPECT_EQ(out[3 * words + 3], nan);
}

TEST(ReductionOfFp32, IsThatOfTheMembersOfTheWarp) {
    std::vector<u32> in(32 * words, 0);
    for (unsigned l = 0; l < 32; ++l) in[l * words] = bits(static_cast<float>(l) - 20.0f);
    in[5 * words] = 0xffc00001;  // NaN
    const auto out = run(R"(
  redux.sync.min.f32 %o0, %i0, -1; redux.sync.max.f32 %o1, %i0, -1;
  redux.sync.max.abs.f32 %o2, %i0, -1; redux.sync.min.NaN.f32 %o3, %i0, -1;
)",
                         in, "sm_100a");
    for (unsigned l = 0; l < 32; ++l) {
        EXPECT_EQ(f(out[l * words]), -20);
        EXPECT_EQ(f(out[l * words + 1]), 11);
        EXPECT_EQ(f(out[l * words + 2]), 20);
        EXPECT_EQ(out[l * words + 3], 0x7fffffffu);
    }
}

/// The value of a number with a sign, exponent and fraction, without infinities.
double small_value(unsigned code, int exponent_bits, int fraction_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const auto fraction = static_cast<int>(code & ((1u << fraction_bits) - 1));
    const auto exponent = static_cast<int>(code >> fraction_bits & ((1u << exponent_bits) - 1));
    const bool negative = (code >> (exponent_bits + fraction_bits) & 1) != 0;
    const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                           : std::ldexp(fraction + (1 << fraction_bits),
                                                        exponent - bias - fraction_bits);
    return negative ? -magnitude : magnitude;
}
/// The code whose value is nearest, of two the even one.
unsigned nearest_code(double value, int exponent_bits, int fraction_bits) {
    const unsigned count = 1u << (exponent_bits + fraction_bits);
    unsigned best = 0;
    for (unsigned code = 1; code < count; ++code) {
        const double is =
            std::fabs(small_value(code, exponent_bits, fraction_bits) - std::fabs(value));
        const double was =
            std::fabs(small_value(best, exponent_bits, fraction_bits) - std::fabs(value));
        if (is < was || (is == was && code % 2 == 0)) best = code;
    }
    return best | (std::signbit(value) ? count : 0);
}

TEST(NumbersOfFourAndSixBits, AreRoundedToTheNearestAndSaturate) {
    auto in = random_floats(3);
    in[0] = bits(1e9f);
    in[1] = bits(-1e9f);
    in[words] = 0xffc00000;  // NaN becomes the largest positive number
    in[words + 1] = bits(-0.2f);
    const auto out = run(R"(
  cvt.rn.satfinite.e2m1x2.f32 %c0, %i0, %i1; cvt.u32.u8 %o0, %c0;
  cvt.rn.satfinite.e2m3x2.f32 %h0, %i0, %i1; cvt.u32.u16 %o1, %h0;
  cvt.rn.satfinite.e3m2x2.f32 %h1, %i0, %i1; cvt.u32.u16 %o2, %h1;
  cvt.rn.satfinite.relu.e2m1x2.f32 %c1, %i0, %i1; cvt.u32.u8 %o3, %c1;
  cvt.rn.f16x2.e2m1x2 %o4, %c0; cvt.rn.f16x2.e2m3x2 %o5, %h0; cvt.rn.f16x2.e3m2x2 %o6, %h1;
  mov.b32 {%h2, %h3}, %o4; cvt.f32.f16 %o7, %h2; cvt.f32.f16 %o8, %h3;
  mov.b32 {%h2, %h3}, %o5; cvt.f32.f16 %o9, %h2; cvt.f32.f16 %o10, %h3;
  mov.b32 {%h2, %h3}, %o6; cvt.f32.f16 %o11, %h2; cvt.f32.f16 %o12, %h3;
)",
                         in);
    const std::pair<int, int> formats[] = {{2, 1}, {2, 3}, {3, 2}};
    for (unsigned l = 0; l < 32; ++l) {
        const u32* const i = &in[l * words];
        const u32* const o = &out[l * words];
        const bool nan = std::isnan(f(i[0]));
        for (unsigned k = 0; k < 3; ++k) {
            const auto [e, m] = formats[k];
            const unsigned stride = k == 0 ? 4 : 8;
            const unsigned high = nan ? (1u << (e + m)) - 1 : nearest_code(f(i[0]), e, m),
                           low = nearest_code(f(i[1]), e, m);
            EXPECT_EQ(o[k], high << stride | low) << f(i[0]) << " " << f(i[1]);
            EXPECT_EQ(f(o[7 + 2 * k]), small_value(low, e, m));
            EXPECT_EQ(f(o[8 + 2 * k]), small_value(high, e, m));
        }
        const auto positive = [](unsigned code) { return (code & 8) != 0 ? 0 : code; };
        EXPECT_EQ(o[3], positive(o[0] >> 4) << 4 | positive(o[0] & 15));
    }
}

/// A format of cvt.rs; numbers by their bits without sign.
struct rounded_format {
    unsigned exponent_bits, fraction_bits;
    u32 largest;  ///< finite number
    unsigned random_bits;

    double value(u32 magnitude) const {
        const int bias = exponent_bits == 2 ? 1 : (1 << (exponent_bits - 1)) - 1;
        const int exponent = static_cast<int>(magnitude >> fraction_bits);
        const auto fraction = static_cast<double>(magnitude & ((1u << fraction_bits) - 1));
        const double one = std::ldexp(1.0, static_cast<int>(fraction_bits));
        return std::ldexp((exponent == 0 ? 0 : one) + fraction,
                          std::max(exponent, 1) - bias - static_cast<int>(fraction_bits));
    }
    /// The smaller neighbour, unless its distance and the random number together reach the other.
    u32 rounded(u32 number, u32 random) const {
        const u32 sign = (number >> 31) << (exponent_bits + fraction_bits);
        const double x = std::abs(f(number));
        u32 low = 0, high = largest + 1;  // the first number that is greater
        while (low < high) {
            const u32 middle = low + (high - low) / 2;
            if (value(middle) <= x)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == largest + 1) return sign | largest;
        const double below = value(low - 1), distance = value(low) - below;
        const double part = (x - below) / distance;
        const bool up = part + std::ldexp(random, -static_cast<int>(random_bits)) >= 1;
        return sign | (up ? low : low - 1);
    }
};

u32 reversed(u32 half) {
    u32 r = 0;
    for (unsigned i = 0; i < 16; ++i) r |= (half >> i & 1) << (15 - i);
    return r;
}

// Which random bits a number takes was measured on a B200 (a published probe of cvt.rs), as was how
// they are compared with the part of the number that is dropped.
TEST(StochasticRounding, AddsRandomBitsBelowTheLastPlace) {
    std::mt19937 random(17);
    std::vector<u32> in(32 * words);
    for (u32& x : in) {
        const int exponent = static_cast<int>(random() % 28) - 18;
        x = bits(std::ldexp(static_cast<float>(random() % 0x1000000) - 0x800000, exponent - 23));
    }
    for (unsigned lane = 0; lane < 32; ++lane)
        for (const unsigned i : {4u, 5u}) in[lane * words + i] = static_cast<u32>(random());
    const std::vector<u32> out = run(R"(
  cvt.rs.satfinite.f16x2.f32 %o0, %i0, %i1, %i4;
  cvt.rs.satfinite.bf16x2.f32 %o1, %i0, %i1, %i4;
  cvt.rs.satfinite.e4m3x4.f32 %o2, {%i0, %i1, %i2, %i3}, %i5;
  cvt.rs.satfinite.e5m2x4.f32 %o3, {%i0, %i1, %i2, %i3}, %i5;
  cvt.rs.satfinite.e2m3x4.f32 %o4, {%i0, %i1, %i2, %i3}, %i5;
  cvt.rs.satfinite.e3m2x4.f32 %o5, {%i0, %i1, %i2, %i3}, %i5;
  cvt.rs.satfinite.e2m1x4.f32 %h0, {%i0, %i1, %i2, %i3}, %i5; cvt.u32.u16 %o6, %h0;
  cvt.rs.relu.satfinite.e4m3x4.f32 %o7, {%i0, %i1, %i2, %i3}, %i5;
)",
                                     in, "sm_100a");
    const rounded_format f16{5, 10, 0x7bff, 13}, bf16{8, 7, 0x7f7f, 16}, e4m3{4, 3, 0x7e, 16},
        e5m2{5, 2, 0x7b, 16}, e2m3{2, 3, 0x1f, 16}, e3m2{3, 2, 0x1f, 16}, e2m1{2, 1, 7, 16};
    for (unsigned lane = 0; lane < 32; ++lane) {
        const u32* const x = &in[lane * words];
        const u32* const y = &out[lane * words];
        EXPECT_EQ(y[0],
                  f16.rounded(x[0], x[4] >> 16 & 0x1fff) << 16 | f16.rounded(x[1], x[4] & 0x1fff));
        EXPECT_EQ(y[1], bf16.rounded(x[0], x[4] >> 16) << 16 | bf16.rounded(x[1], x[4] & 0xffff));
        const u32 low = x[5] & 0xffff, high = x[5] >> 16;
        const auto four = [&](const rounded_format& e, unsigned stride, u32 upper, u32 lower) {
            return e.rounded(x[0], reversed(upper)) << 3 * stride |
                   e.rounded(x[1], upper) << 2 * stride |
                   e.rounded(x[2], reversed(lower)) << stride | e.rounded(x[3], lower);
        };
        EXPECT_EQ(y[2], four(e4m3, 8, high, low));
        EXPECT_EQ(y[3], four(e5m2, 8, high, low));
        EXPECT_EQ(y[4], four(e2m3, 8, high, low));
        EXPECT_EQ(y[5], four(e3m2, 8, high, low));
        const u32 odd_bytes = x[5] >> 24 << 8 | (x[5] >> 8 & 0xff);
        const u32 even_bytes = (x[5] >> 16 & 0xff) << 8 | (x[5] & 0xff);
        EXPECT_EQ(y[6], four(e2m1, 4, odd_bytes, even_bytes));
        for (unsigned i = 0; i < 4; ++i) {
            const u32 byte = y[2] >> 8 * i & 0xff;
            EXPECT_EQ(y[7] >> 8 * i & 0xff, (byte & 0x80) != 0 ? 0 : byte);
        }
    }
}

TEST(StochasticRounding, KeepsWhatIsNotFinite) {
    std::vector<u32> in(32 * words);
    const u32 infinity = 0x7f800000, nan = 0x7fc00001, large = 0x477fffff, negative = 0xff800000;
    in = {infinity, nan, large, negative, 0xffffffff};
    in.resize(32 * words);
    const std::vector<u32> out = run(R"(
  cvt.rs.f16x2.f32 %o0, %i0, %i1, %i4;
  cvt.rs.f16x2.f32 %o1, %i2, %i3, %i4;
  cvt.rs.relu.f16x2.f32 %o2, %i3, %i1, %i4;
  cvt.rs.satfinite.f16x2.f32 %o3, %i2, %i3, %i4;
  cvt.rs.satfinite.e5m2x4.f32 %o4, {%i0, %i1, %i2, %i3}, %i4;
  cvt.rs.satfinite.e2m1x4.f32 %h0, {%i0, %i1, %i2, %i3}, %i4; cvt.u32.u16 %o5, %h0;
)",
                                     in, "sm_100a");
    EXPECT_EQ(out[0], 0x7c007fffu);
    EXPECT_EQ(out[1], 0x7c00fc00u) << "a number that is rounded beyond the largest one is infinite";
    EXPECT_EQ(out[2], 0x00007fffu);
    EXPECT_EQ(out[3], 0x7bfffbffu);
    EXPECT_EQ(out[4], 0x7b7f7bfbu);
    EXPECT_EQ(out[5], 0x777fu);
}

TEST(ScaleFactors, ArePowersOfTwoNextToTheMagnitude) {
    std::vector<u32> in(32 * words, 0);
    const struct {
        u32 value;
        unsigned down, up, down_finite;
    } cases[] = {
        {bits(1.0f), 127, 127, 127}, {bits(1.5f), 127, 128, 127}, {bits(-3.0f), 128, 129, 128},
        {bits(0.0f), 0, 0, 0},       {0x00400000, 0, 0, 0},       {0x00400001, 0, 1, 0},
        {0x7f800000, 255, 255, 254}, {0x7fc00000, 255, 255, 255}, {bits(3e38f), 254, 255, 254}};
    unsigned l = 0;
    for (const auto& c : cases) in[l++ * words] = c.value;
    const auto out = run(R"(
  cvt.rz.ue8m0x2.f32 %h0, %i0, 0f3F800000; cvt.u32.u16 %o0, %h0;
  cvt.rp.ue8m0x2.f32 %h1, %i0, 0f3F800000; cvt.u32.u16 %o1, %h1;
  cvt.rz.satfinite.ue8m0x2.f32 %h2, %i0, 0f3F800000; cvt.u32.u16 %o2, %h2;
  cvt.rn.bf16x2.ue8m0x2 %o3, %h0;
  mov.b32 %r0, 0x40403f80; cvt.rp.ue8m0x2.bf16x2 %h3, %r0; cvt.u32.u16 %o4, %h3;
)",
                         in);
    l = 0;
    for (const auto& c : cases) {
        const u32* const o = &out[l++ * words];
        EXPECT_EQ(o[0], c.down << 8 | 127);
        EXPECT_EQ(o[1], c.up << 8 | 127);
        EXPECT_EQ(o[2], c.down_finite << 8 | 127);
        const u32 wide = c.down == 255 ? 0x7fff : c.down == 0 ? 0x0040 : c.down << 7;
        EXPECT_EQ(o[3], wide << 16 | 0x3f80);
        EXPECT_EQ(o[4], 129u << 8 | 127u) << "3 and 1";
    }
}

/// Elements of A (16 x k) and B (k x 8), and how a product reads them.
struct narrow_product {
    const char* a_type;
    const char* b_type;
    unsigned k;
    bool packed;          ///< two in a byte
    unsigned scales = 0;  ///< of a row, or 0
    bool ue4m3 = false;
};

double element_value(const std::string& type, unsigned code, bool packed) {
    if (type == "e2m1") return small_value(packed ? code : code >> 2 & 15, 2, 1);
    if (type == "e2m3") return small_value(code & 63, 2, 3);
    if (type == "e3m2") return small_value(code & 63, 3, 2);
    if (type == "e4m3") return small_value(code, 4, 3);
    return small_value(code, 5, 2);
}
unsigned random_element(const std::string& type, std::mt19937& random, bool packed) {
    if (type == "e2m1") return packed ? random() & 15 : (random() & 15) << 2;
    if (type == "e2m3" || type == "e3m2") return random() & 63;
    // Numbers of moderate size, so that sums are exact.
    const unsigned magnitude = type == "e4m3" ? 0x28 + random() % 0x18 : 0x34 + random() % 0x0c;
    return magnitude | (random() & 1) << 7;
}

void expect_product(const narrow_product& p, const std::string& instruction) {
    std::mt19937 random(p.k);
    const unsigned per_word = p.packed ? 8 : 4, width = 32 / per_word;
    std::vector<u32> in(32 * words, 0);
    double a[16][64], b[64][8], c[16][8], a_scale[16][4], b_scale[8][4];
    // A in words 0 to 3, B in 4 and 5, C in 6 to 9, scale factors in 10 and 11 (PTX ISA, fragments
    // of mma.m16n8k32 and mma.m16n8k64).
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned group = lane / 4, within = lane % 4;
        u32* const w = &in[lane * words];
        for (unsigned r = 0; r < 6; ++r) {
            const bool of_a = r < 4;
            const std::string type = of_a ? p.a_type : p.b_type;
            const unsigned row = group + r % 2 * 8, step = of_a ? r / 2 : r - 4;
            for (unsigned e = 0; e < per_word; ++e) {
                const unsigned k = within * per_word + e + step * 4 * per_word;
                const unsigned code = random_element(type, random, p.packed);
                w[r] |= code << (e * width);
                (of_a ? a[row][k] : b[k][group]) = element_value(type, code, p.packed);
            }
        }
        for (unsigned i = 0; i < 4; ++i) {
            c[group + i / 2 * 8][within * 2 + i % 2] = static_cast<double>(random() % 9) - 4;
            w[6 + i] = bits(static_cast<float>(c[group + i / 2 * 8][within * 2 + i % 2]));
        }
        for (unsigned n = 0; n < 2; ++n) w[10 + n] = 0;
    }
    const auto scale_code = [&] {
        return p.ue4m3 ? 0x30 + static_cast<unsigned>(random() % 16)
                       : 124 + static_cast<unsigned>(random() % 6);
    };
    const auto scale_value = [&](unsigned code) {
        return p.ue4m3 ? small_value(code, 4, 3) : std::ldexp(1.0, static_cast<int>(code) - 127);
    };
    // The factors of A in the upper pair of each four lanes, those of B in the third lane, and of
    // pairs of factors the upper half.
    const unsigned first = p.scales == 2 ? 2 : p.scales == 1 ? 3 : 0;
    for (unsigned q = 0; q < p.scales; ++q) {
        for (unsigned row = 0; row < 16; ++row) {
            const unsigned code = scale_code(), lane = row % 8 * 4 + 2 + row / 8;
            a_scale[row][q] = scale_value(code);
            in[lane * words + 10] |= code << (8 * (first + q));
        }
        for (unsigned column = 0; column < 8; ++column) {
            const unsigned code = scale_code();
            b_scale[column][q] = scale_value(code);
            in[(column * 4 + 2) * words + 11] |= code << (8 * (first + q));
        }
    }
    std::string text = instruction +
                       " {%o0,%o1,%o2,%o3}, {%i0,%i1,%i2,%i3}, {%i4,%i5}, "
                       "{%i6,%i7,%i8,%i9}";
    if (p.scales != 0) {
        const std::string byte = std::to_string(first);
        text = "mov.b16 %h0, " + byte + "; mov.b16 %h1, 1; mov.b16 %h2, 2;" + text +
               ", {%i10}, {%h0, %h1}, %i11, {" + byte + ", %h2}";
    }
    const auto out = run(text + ";", in);
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            double sum = c[row][column];
            for (unsigned k = 0; k < p.k; ++k) {
                const unsigned q = p.scales != 0 ? k / (p.k / p.scales) : 0;
                const double scale = p.scales != 0 ? a_scale[row][q] * b_scale[column][q] : 1;
                sum += a[row][k] * b[k][column] * scale;
            }
            EXPECT_EQ(f(out[lane * words + i]), static_cast<float>(sum))
                << instruction << " row " << row << " column " << column;
        }
}

TEST(ProductsOfNarrowFloats, HaveOneElementInAByte) {
    const std::pair<const char*, const char*> types[] = {
        {"e2m1", "e3m2"}, {"e2m3", "e2m1"}, {"e3m2", "e2m3"}, {"e4m3", "e2m1"}, {"e2m1", "e5m2"}};
    for (const auto& [a, b] : types)
        expect_product({a, b, 32, false},
                       std::string("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.") + a +
                           "." + b + ".f32");
}

TEST(ProductsOfNarrowFloats, ReadInfinitiesInTheTypeOfTheirMatrix) {
    std::vector<u32> in(32 * words, 0);
    in[0] = 0x38;  // row 0 of A: 1 as e4m3
    in[4] = 0x7c;  // column 0 of B: infinity as e5m2, but 416 as e4m3
    in[4 * words] = 0x38;
    in[4 * words + 4] = 0x3c;  // column 1: 1
    const auto out =
        run("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%o0,%o1,%o2,%o3}, "
            "{%i0,%i1,%i2,%i3}, {%i4,%i5}, {%i6,%i7,%i8,%i9};",
            in, "sm_90a");
    EXPECT_EQ(out[0], 0x7f800000u);
    EXPECT_EQ(f(out[1]), 1);
}

TEST(BlockScaledProducts, MultiplyEachBlockByTheFactorsOfItsRowAndColumn) {
    expect_product({"e3m2", "e2m1", 32, false, 1},
                   "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32."
                   "e3m2.e2m1.f32.ue8m0");
    expect_product({"e2m3", "e2m3", 32, false, 1},
                   "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32."
                   "e2m3.e2m3.f32.ue8m0");
    expect_product({"e2m1", "e2m1", 64, true, 2},
                   "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32."
                   "e2m1.e2m1.f32.ue8m0");
    expect_product({"e2m1", "e2m1", 64, true, 4, true},
                   "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32."
                   "e2m1.e2m1.f32.ue4m3");
}

/// A sparse block-scaled product: in each group of four elements of A two are stored, or of
/// elements of four bits, in each group of eight two pairs.
void expect_sparse_product(const narrow_product& p, const std::string& instruction) {
    std::mt19937 random(p.k + p.scales);
    const unsigned per_word = p.packed ? 8 : 4, width = 32 / per_word, unit = p.packed ? 2 : 1;
    std::vector<u32> in(32 * words, 0);
    std::vector<std::vector<double>> a(16, std::vector<double>(p.k, 0)),
        b(p.k, std::vector<double>(8, 0));
    double c[16][8], a_scale[16][4], b_scale[8][4];
    // A in words 0 to 3, B in 4 to 7, C in 8 to 11, metadata, then scale factors of A and of B.
    constexpr unsigned b_word = 4, c_word = 8, metadata_word = 12, a_scales = 13, b_scales = 14;
    const unsigned groups = p.k / (4 * unit);
    std::vector<std::array<unsigned, 2>> kept(16 * groups);
    for (unsigned row = 0; row < 16; ++row)
        for (unsigned g = 0; g < groups; ++g) {
            const unsigned first = random() % 3, second = first + 1 + random() % (3 - first);
            kept[row * groups + g] = {first, second};
            // Eight groups in a word: first those of rows 0 to 7 and 8 to 15, then the next eight.
            const unsigned lane = row % 8 * 4 + g / 8 * 2 + row / 8;
            in[lane * words + metadata_word] |= (first | second << 2) << (g % 8 * 4);
        }
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned group = lane / 4, within = lane % 4;
        u32* const w = &in[lane * words];
        for (unsigned r = 0; r < 8; ++r) {
            const bool of_a = r < b_word;
            const std::string type = of_a ? p.a_type : p.b_type;
            const unsigned row = group + r % 2 * 8, step = of_a ? r / 2 : r - b_word;
            for (unsigned e = 0; e < per_word; ++e) {
                const unsigned k = within * per_word + e + step * 4 * per_word;
                const unsigned code = random_element(type, random, p.packed);
                w[r] |= code << (e * width);
                const double value = element_value(type, code, p.packed);
                if (!of_a) {
                    b[k][group] = value;
                    continue;
                }
                const unsigned g = k / (2 * unit), pair = k / unit % 2;
                a[row][g * 4 * unit + kept[row * groups + g][pair] * unit + k % unit] = value;
            }
        }
        for (unsigned i = 0; i < 4; ++i) {
            double& sum = c[group + i / 2 * 8][within * 2 + i % 2];
            sum = static_cast<double>(random() % 9) - 4;
            w[c_word + i] = bits(static_cast<float>(sum));
        }
    }
    const auto scale_code = [&] {
        return p.ue4m3 ? 0x30 + static_cast<unsigned>(random() % 16)
                       : 124 + static_cast<unsigned>(random() % 6);
    };
    const auto scale_value = [&](unsigned code) {
        return p.ue4m3 ? small_value(code, 4, 3) : std::ldexp(1.0, static_cast<int>(code) - 127);
    };
    const unsigned first = p.scales == 2 ? 2 : p.scales == 1 ? 1 : 0;
    for (unsigned q = 0; q < p.scales; ++q) {
        for (unsigned row = 0; row < 16; ++row) {
            const unsigned code = scale_code(), lane = row % 8 * 4 + 2 + row / 8;
            a_scale[row][q] = scale_value(code);
            in[lane * words + a_scales] |= code << (8 * (first + q));
        }
        for (unsigned column = 0; column < 8; ++column) {
            const unsigned code = scale_code();
            b_scale[column][q] = scale_value(code);
            in[(column * 4 + 3) * words + b_scales] |= code << (8 * (first + q));
        }
    }
    const std::string byte = std::to_string(first);
    const auto out = run(instruction +
                             " {%o0,%o1,%o2,%o3}, {%i0,%i1,%i2,%i3}, {%i4,%i5,%i6,%i7}, "
                             "{%i8,%i9,%i10,%i11}, {%i12}, 0, {%i13}, {" +
                             byte + ", 1}, %i14, {" + byte + ", 3};",
                         in);
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            double sum = c[row][column];
            for (unsigned k = 0; k < p.k; ++k) {
                const unsigned q = k / (p.k / p.scales);
                sum += a[row][k] * b[k][column] * a_scale[row][q] * b_scale[column][q];
            }
            EXPECT_EQ(f(out[lane * words + i]), static_cast<float>(sum))
                << instruction << " row " << row << " column " << column;
        }
}

TEST(BlockScaledProducts, OfSparseMatricesHaveBlocksOfElementsThatAreNotStored) {
    const std::string mma = "mma.sp::ordered_metadata.sync.aligned.";
    expect_sparse_product(
        {"e3m2", "e2m1", 64, false, 1},
        mma + "m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e2m1.f32.ue8m0");
    expect_sparse_product(
        {"e2m3", "e2m3", 64, false, 1},
        mma + "m16n8k64.row.col.kind::mxf8f6f4.block_scale.f32.e2m3.e2m3.f32.ue8m0");
    expect_sparse_product(
        {"e2m1", "e2m1", 128, true, 2},
        mma + "m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0");
    expect_sparse_product(
        {"e2m1", "e2m1", 128, true, 2},
        mma + "m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0");
    // The order of qualifiers in CUTLASS.
    expect_sparse_product({"e2m1", "e2m1", 128, true, 4, true},
                          "mma.sync.aligned.kind::mxf4nvf4.sp::ordered_metadata.block_scale."
                          "scale_vec::4X.m16n8k128.row.col.f32.e2m1.e2m1.f32.ue4m3");
}

TEST(BlockScaledProducts, AreNotNumbersIfAFactorIsNot) {
    std::vector<u32> in(32 * words, 0);
    in[2 * words + 10] = 0xff;  // of row 0
    const auto out = run(
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0 "
        "{%o0,%o1,%o2,%o3}, {%i0,%i1,%i2,%i3}, {%i4,%i5}, {%i6,%i7,%i8,%i9}, %i10, {0, 1}, %i11, "
        "{0, 0};",
        in);
    EXPECT_TRUE(std::isnan(f(out[0])));
    EXPECT_EQ(f(out[2]), 0) << "row 8";
}

TEST(MatrixRowsOfPackedElements, AreLoadedAsBytes) {
    // Lanes 0 to 7 name rows of 16 bytes, whose elements of four or six bits begin at the lowest
    // bit.
    const auto in = random_words(5);
    const std::string fill =
        "mul.lo.u32 %r0, %t, 16; mov.u32 %r1, sm; add.u32 %r1, %r1, %r0;"
        "st.shared.v4.b32 [%r1], {%i0, %i1, %i2, %i3}; bar.warp.sync -1;";
    const auto out = run(fill + R"(
  ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%o0}, [%r1];
  ldmatrix.sync.aligned.m8n16.x2.shared::cta.b8x16.b6x16_p32 {%o1, %o2}, [%r1];
)",
                         in);
    const auto element = [&](unsigned row, unsigned i, unsigned width) {
        const unsigned bit = i * width;
        const std::uint64_t low = in[row * words + bit / 32];
        const std::uint64_t high = bit / 32 < 3 ? in[row * words + bit / 32 + 1] : 0;
        return static_cast<u32>((high << 32 | low) >> bit % 32 & ((1u << width) - 1));
    };
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned e = 0; e < 4; ++e) {
            const unsigned row = lane / 4, i = lane % 4 * 4 + e;
            const u32* const o = &out[lane * words];
            EXPECT_EQ(o[0] >> 8 * e & 0xff, element(row, i, 4));
            EXPECT_EQ(o[1] >> 8 * e & 0xff, element(row, i, 6));
            EXPECT_EQ(o[2] >> 8 * e & 0xff, element(row + 8, i, 6));
        }
}

TEST(AsynchronousStores, ToGlobalMemoryAreVisibleWithTheirRelease) {
    const std::vector<u32> out = run(R"(
  st.async.mmio.release.sys.global.u32 [%b], 7;
  st.async.mmio.release.gpu.b64 [%b+8], 0x100000002;
  red.async.mmio.release.sys.global.add.u32 [%b], %i0;
  red.async.mmio.release.gpu.max.u32 [%b+8], 5;
  fence.acq_rel.gpu;
  ld.global.u32 %o0, [%b]; ld.global.u32 %o2, [%b+8]; ld.global.u32 %o3, [%b+12];
)",
                                     std::vector<u32>(32 * words, 3), "sm_100a");
    for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(out[lane * words], 10u);
        EXPECT_EQ(out[lane * words + 2], 5u);
        EXPECT_EQ(out[lane * words + 3], 1u);
    }
}

TEST(RestrictedFences, OrderLikeOtherFences) {
    const auto out = run(R"(
  mov.u32 %r0, sm; mov.b32 %o0, 5; st.shared.b32 [%r0], %o0;
  fence.release.sync_restrict::shared::cta.cluster;
  fence.acquire.sync_restrict::shared::cluster.cluster;
  fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
  fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
  ld.shared.b32 %o1, [%r0];
)",
                         std::vector<u32>(32 * words, 0), "sm_90a");
    EXPECT_EQ(out[1], 5u);
}

// The distributions of CUTLASS's Copy_Traits<SM100_U8x8_LDSM_T> and <SM100_U8x4_STSM_T>.
TEST(MatricesOfBytes, AreLoadedAndStoredTransposed) {
    const auto in = random_words(6);
    const auto out = run(R"(
  mul.lo.u32 %r0, %t, 16; mov.u32 %r1, sm; add.u32 %r1, %r1, %r0;
  st.shared.v4.b32 [%r1], {%i0, %i1, %i2, %i3}; bar.warp.sync -1;
  ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%o0, %o1}, [%r1];
  ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b6x16_p32 {%o2, %o3}, [%r1];
  bar.warp.sync -1;
  stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], {%i4}; bar.warp.sync -1;
  ld.shared.v4.b32 {%o4, %o5, %o6, %o7}, [%r1];
)",
                         in);
    const auto byte = [](const u32* words_of_row, unsigned i) {
        return words_of_row[i / 4] >> i % 4 * 8 & 0xff;
    };
    for (unsigned t = 0; t < 32; ++t)
        for (unsigned r = 0; r < 2; ++r)
            for (unsigned b = 0; b < 4; ++b) {
                const unsigned bit = t % 4 * 256 + t / 4 * 8 + b % 2 * 128 + b / 2 * 64 + r * 1024;
                for (unsigned lane = 0; lane < 16; ++lane) {
                    if (lane % 2 * 128 + lane / 2 % 2 * 1024 + lane / 4 * 256 != bit / 128 * 128)
                        continue;
                    const u32* const row = &in[lane * words];
                    const unsigned element = bit % 128 / 8, at = element * 6;
                    EXPECT_EQ(out[t * words + r] >> 8 * b & 0xff, byte(row, element));
                    const std::uint64_t pair = row[at / 32] | std::uint64_t{row[at / 32 + 1]} << 32;
                    EXPECT_EQ(out[t * words + 2 + r] >> 8 * b & 0xff, pair >> at % 32 & 63);
                }
                if (r == 0) {
                    EXPECT_EQ(byte(&out[bit / 128 * words + 4], bit % 128 / 8),
                              in[t * words + 4] >> 8 * b & 0xff);
                }
            }
}

TEST(LaunchControl, CancelsNoThreadBlockOfAGridOfOne) {
    const auto out = run(R"(
  .shared .align 8 .b64 bar; .reg .b128 %q; .reg .pred %p, %w;
  mov.u32 %r0, sm; setp.eq.u32 %p, %t, 0;
  st.shared.v4.b32 [%r0], {-1, -1, -1, -1};
  @%p mbarrier.init.shared.b64 [bar], 1; bar.warp.sync -1;
  @%p mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
  @%p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r0], [bar];
WAIT:
  mbarrier.try_wait.parity.shared.b64 %w, [bar], 0;
  @!%w bra WAIT;
  ld.shared.b128 %q, [%r0];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %q;
  selp.u32 %o0, 1, 2, %p;
)",
                         std::vector<u32>(32 * words, 0), "sm_100");
    EXPECT_EQ(out[0], 2u);
}

TEST(BulkCopies, ClearMemoryAndObeyByteMasks) {
    machine m(R"(
.visible .entry k(.param .u64 out)
{
  .shared .align 16 .b8 sm[64]; .reg .b64 %a; .reg .b32 %r<4>; .reg .b16 %h;
  ld.param.u64 %a, [out]; mov.u32 %r0, sm;
  st.shared.v4.b32 [%r0], {1, 2, 3, 4}; st.shared.v4.b32 [%r0+16], {5, 6, 7, 8};
  st.shared.v4.b32 [%r0+32], {9, 9, 9, 9};
  add.u32 %r1, %r0, 32;
  st.bulk.shared::cta [%r1], 8, 0;
  mov.u16 %h, 0x000f;
  cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%a], [%r0], 48, %h;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
  ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%r1];
  st.global.v4.b32 [%a+48], {%r0, %r1, %r2, %r3};
  ret;
})",
              ".version 9.0\n.target sm_100\n.address_size 64\n");
    const auto out = m.buffer(std::vector<u32>(16, 100));
    m.run("k", {1, 1, 1}, {1, 1, 1}, out);
    EXPECT_EQ(m.read<u32>(out, 16),
              (std::vector<u32>{1, 100, 100, 100, 5, 100, 100, 100, 0, 100, 100, 100, 0, 0, 9, 9}));
}

TEST(TensorCopies, GatherAndScatterFourRows) {
    machine m(R"(
.visible .entry k(.param .u64 map, .param .u64 out)
{
  .shared .align 128 .b8 sm[128]; .shared .align 8 .b64 bar;
  .reg .b64 %m, %a; .reg .b32 %r<4>; .reg .pred %w;
  ld.param.u64 %m, [map]; ld.param.u64 %a, [out]; mov.u32 %r0, sm;
  mbarrier.init.shared.b64 [bar], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
  cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.cta_group::1
    [%r0], [%m, {8, 5, 1, 7, 3}], [bar];
WAIT:
  mbarrier.try_wait.parity.shared.b64 %w, [bar], 0;
  @!%w bra WAIT;
  ld.shared.u32 %r1, [%r0]; st.global.u32 [%a], %r1;
  ld.shared.u32 %r1, [%r0+36]; st.global.u32 [%a+4], %r1;
  ld.shared.u32 %r1, [%r0+96]; st.global.u32 [%a+8], %r1;
  cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%m, {0, 0, 2, 4, 6}], [%r0];
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
  ret;
})",
              ".version 9.0\n.target sm_100a\n.address_size 64\n");
    std::vector<u32> data(8 * 16);
    for (u32 i = 0; i < data.size(); ++i) data[i] = i;
    tensor_map map;
    map.rank = 2;
    map.type = tensor_map::element::u32;
    map.address = m.buffer(data);
    map.last = {15, 7};
    map.strides = {64};
    map.box = {8, 1};
    map.step = {1, 1};
    std::vector<std::byte> bytes(tensor_map::bytes);
    map.encode(bytes.data());
    const auto at = m.buffer(bytes), out = m.buffer(std::vector<u32>(3, 0));
    m.run("k", {1, 1, 1}, {1, 1, 1}, at, out);
    EXPECT_EQ(m.read<u32>(out, 3), (std::vector<u32>{5 * 16 + 8, 16 + 9, 3 * 16 + 8}));
    const auto changed = m.read<u32>(map.address, 8 * 16);
    EXPECT_EQ(changed[0], 5 * 16 + 8u);
    EXPECT_EQ(changed[2 * 16 + 1], 16 + 9u);
    EXPECT_EQ(changed[6 * 16], 3 * 16 + 8u);
}

}  // namespace
}  // namespace simtlm::execution

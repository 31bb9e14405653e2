// SPDX-License-Identifier: Apache-2.0
// Instructions with one operand, over all values for two-byte operands and over a million values
// for four-byte ones; compared with the host's arithmetic.
#include "tests/unit/execution/machine.h"

#include <cmath>
#include <cstring>
#include <functional>

namespace simtlm::execution {
namespace {

using u32 = std::uint32_t;

float as_float(u32 bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
u32 as_bits(float value) {
    u32 bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
bool is_nan(u32 bits) {
    return (bits & 0x7fffffff) > 0x7f800000;
}

struct value_case {
    const char* name;
    const char* body;  ///< computes %r2 from %r1 (%h1: its low half, %f1: as a float)
    std::function<u32(u32)> want;
    bool floating = false;  ///< all NaNs compare equal
    bool half = false;      ///< two-byte operand
};

double half_value(u32 h) {
    const int exponent = static_cast<int>(h >> 10 & 31), fraction = static_cast<int>(h & 0x3ff);
    double v =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) v = fraction == 0 ? INFINITY : NAN;
    return (h & 0x8000) != 0 ? -v : v;
}

template <class To>
u32 saturated(double v, double least, double most) {
    if (std::isnan(v)) return 0;
    return static_cast<u32>(static_cast<To>(std::min(std::max(v, least), most)));
}
double nearest_even(double v) {
    return std::nearbyint(v);
}

const value_case cases[] = {
    {"Popc", "popc.b32 %r2, %r1;", [](u32 a) { return static_cast<u32>(__builtin_popcount(a)); }},
    {"Clz", "clz.b32 %r2, %r1;",
     [](u32 a) { return a == 0 ? 32u : static_cast<u32>(__builtin_clz(a)); }},
    {"Brev", "brev.b32 %r2, %r1;",
     [](u32 a) {
         u32 r = 0;
         for (unsigned i = 0; i < 32; ++i) r |= (a >> i & 1) << (31 - i);
         return r;
     }},
    {"BfindSigned", "bfind.s32 %r2, %r1;",
     [](u32 a) {
         const u32 v = static_cast<std::int32_t>(a) < 0 ? ~a : a;
         return v == 0 ? ~0u : 31 - static_cast<u32>(__builtin_clz(v));
     }},
    {"AbsOfAnInteger", "abs.s32 %r2, %r1;",
     [](u32 a) { return static_cast<std::int32_t>(a) < 0 ? 0u - a : a; }},
    {"NegOfAFloat", "neg.f32 %f2, %f1; mov.b32 %r2, %f2;", [](u32 a) { return a ^ 0x80000000; },
     true},
    {"AbsOfAFloat", "abs.f32 %f2, %f1; mov.b32 %r2, %f2;", [](u32 a) { return a & 0x7fffffff; },
     true},
    {"Rcp", "rcp.rn.f32 %f2, %f1; mov.b32 %r2, %f2;",
     [](u32 a) { return as_bits(1.0f / as_float(a)); }, true},
    {"Sqrt", "sqrt.rn.f32 %f2, %f1; mov.b32 %r2, %f2;",
     [](u32 a) { return as_bits(std::sqrt(as_float(a))); }, true},
    {"RoundToEven", "cvt.rni.f32.f32 %f2, %f1; mov.b32 %r2, %f2;",
     [](u32 a) { return as_bits(std::nearbyintf(as_float(a))); }, true},
    {"Floor", "cvt.rmi.f32.f32 %f2, %f1; mov.b32 %r2, %f2;",
     [](u32 a) { return as_bits(std::floor(as_float(a))); }, true},
    {"Truncate", "cvt.rzi.f32.f32 %f2, %f1; mov.b32 %r2, %f2;",
     [](u32 a) { return as_bits(std::trunc(as_float(a))); }, true},
    {"FloatToSigned", "cvt.rni.s32.f32 %r2, %f1;",
     [](u32 a) {
         return saturated<std::int32_t>(nearest_even(as_float(a)), -2147483648.0, 2147483647.0);
     }},
    {"FloatToUnsigned", "cvt.rzi.u32.f32 %r2, %f1;",
     [](u32 a) { return saturated<u32>(std::trunc(as_float(a)), 0, 4294967295.0); }},
    {"SignedToFloat", "cvt.rn.f32.s32 %f2, %r1; mov.b32 %r2, %f2;",
     [](u32 a) { return as_bits(static_cast<float>(static_cast<std::int32_t>(a))); }},
    {"UnsignedToFloat", "cvt.rn.f32.u32 %f2, %r1; mov.b32 %r2, %f2;",
     [](u32 a) { return as_bits(static_cast<float>(a)); }},
    {"ThroughDouble", "cvt.f64.f32 %fd1, %f1; cvt.rn.f32.f64 %f2, %fd1; mov.b32 %r2, %f2;",
     [](u32 a) { return a; }, true},
    {"ToBfloat", "cvt.rn.bf16.f32 %h2, %f1; cvt.u32.u16 %r2, %h2; shl.b32 %r2, %r2, 16;",
     [](u32 a) {
         // A NaN result is the canonical one, 0x7fff.
         return is_nan(a) ? 0x7fff0000 : (a + 0x7fff + (a >> 16 & 1)) & 0xffff0000;
     }},
    {"SaturatedToOne", "cvt.sat.f32.f32 %f2, %f1; mov.b32 %r2, %f2;",
     [](u32 a) {
         const float v = as_float(a);
         return std::isnan(v) ? 0u : v <= 0 ? 0u : v >= 1 ? as_bits(1.0f) : a;
     }},
    {"IsNormal", "testp.normal.f32 %p1, %f1; selp.u32 %r2, 1, 0, %p1;",
     // Zeros count as normal.
     [](u32 a) { return as_float(a) == 0 || std::isnormal(as_float(a)) ? 1u : 0u; }},
    {"HalfToFloat", "cvt.f32.f16 %f2, %h1; mov.b32 %r2, %f2;",
     [](u32 a) { return as_bits(static_cast<float>(half_value(a))); }, true, true},
    {"HalfToSigned", "cvt.rzi.s32.f16 %r2, %h1;",
     [](u32 a) {
         return saturated<std::int32_t>(std::trunc(half_value(a)), -2147483648.0, 2147483647.0);
     },
     false, true},
    {"HalfThroughFloat", "cvt.f32.f16 %f2, %h1; cvt.rn.f16.f32 %h2, %f2; cvt.u32.u16 %r2, %h2;",
     [](u32 a) { return std::isnan(half_value(a)) ? 0x7fffu : a; }, false, true},
    {"HalfTimesItself", "mul.rn.f16 %h2, %h1, %h1; cvt.f32.f16 %f2, %h2; mov.b32 %r2, %f2;",
     [](u32 a) {
         // Exact in double: rounded once, to eleven bits or to multiples of 2^-24.
         const double v = half_value(a) * half_value(a);
         if (std::isnan(v) || v == 0) return as_bits(static_cast<float>(v));
         if (v >= 65520) return as_bits(INFINITY);
         const double step = std::ldexp(1, std::max(std::ilogb(v) - 10, -24));
         return as_bits(static_cast<float>(std::nearbyint(v / step) * step));
     },
     true, true},
    {"NegOfAHalf", "neg.f16 %h2, %h1; cvt.f32.f16 %f2, %h2; mov.b32 %r2, %f2;",
     [](u32 a) { return as_bits(static_cast<float>(-half_value(a))); }, true, true},
    {"DoubledHalfSaturated", "add.sat.f16 %h2, %h1, %h1; cvt.f32.f16 %f2, %h2; mov.b32 %r2, %f2;",
     [](u32 a) {
         const double v = 2 * half_value(a);
         return as_bits(v >= 1 ? 1.0f : v > 0 ? static_cast<float>(v) : 0.0f);
     },
     false, true},
    // The high half is 0.
    {"PairOfHalvesGreaterThanOneAndMinusOne",
     "mov.b32 %r8, 0xbc003c00; setp.gt.f16x2 %p1|%p2, %r1, %r8;"
     "selp.u32 %r2, 1, 0, %p1; selp.u32 %r8, 2, 0, %p2; or.b32 %r2, %r2, %r8;",
     [](u32 a) { return half_value(a) > 1 ? 3u : 2u; }, false, true},
    {"ByteOfAShort", "cvt.s32.s8 %r2, %h1;",
     [](u32 a) { return static_cast<u32>(static_cast<std::int32_t>(static_cast<std::int8_t>(a))); },
     false, true},
};

class Values : public testing::TestWithParam<value_case> {};
INSTANTIATE_TEST_SUITE_P(All, Values, testing::ValuesIn(cases),
                         [](const auto& one) { return one.param.name; });

TEST_P(Values, EqualThoseOfTheHost) {
    const value_case& c = GetParam();
    // %r1 = thread * step + start: all 65536 values, or 2^20 values spread by a prime step.
    machine m(std::string(R"(
.visible .entry k(.param .u64 out, .param .u32 step)
{
  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<12>; .reg .f32 %f<4>; .reg .f64 %fd<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r9, [step];
  mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r7, %r5, %r6, %r4;
  mul.lo.u32 %r1, %r7, %r9; mov.b32 %f1, %r1; cvt.u16.u32 %h1, %r1;
)") + c.body + R"(
  mul.wide.u32 %rd2, %r7, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r2;
  ret;
}
)");
    const u32 count = c.half ? 65536 : 1u << 20, step = c.half ? 1 : 4099;
    const auto out = m.buffer(std::vector<u32>(count, 0));
    m.run("k", {count / 256, 1, 1}, {256, 1, 1}, out, step);
    const auto got = m.read<u32>(out, count);
    unsigned wrong = 0;
    for (u32 i = 0; i < count && wrong < 5; ++i) {
        const u32 in = i * step, want = c.want(in);
        if (got[i] == want || (c.floating && is_nan(got[i]) && is_nan(want))) continue;
        ++wrong;
        ADD_FAILURE() << c.body << " of 0x" << std::hex << in << ": 0x" << got[i]
                      << " instead of 0x" << want;
    }
}

}  // namespace
}  // namespace simtlm::execution

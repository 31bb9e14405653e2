// SPDX-License-Identifier: Apache-2.0
// One instruction of each family through the whole machine, compared with the host's arithmetic.
// The tests in arithmetic/ cover all values; these cover the routing of operands, widths, masks and
// results.
#include "tests/unit/execution/machine.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

namespace simtlm::execution {
namespace {

struct instruction_case {
    const char* name;
    const char* body;  ///< computes %r0 from %r1 %r2 %r3; %p1: %r1 is odd
    std::function<std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t)> want;
};

float f(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
std::uint32_t bits(float value) {
    std::uint32_t b;
    std::memcpy(&b, &value, sizeof b);
    return b;
}
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

u32 fma_rounded_down(u32 a, u32 b, u32 c) {
    const int before = std::fegetround();
    std::fesetround(FE_DOWNWARD);
    const volatile float x = f(a), y = f(b), z = f(c);
    const volatile float result = std::fma(float{x}, float{y}, float{z});
    std::fesetround(before);
    return bits(result);
}

const instruction_case cases[] = {
    {"Add", "add.u32 %r0, %r1, %r2;", [](u32 a, u32 b, u32) { return a + b; }},
    {"AddImmediate", "add.s32 %r0, %r1, -5;", [](u32 a, u32, u32) { return a - 5; }},
    {"SubSaturated", "sub.sat.s32 %r0, %r1, %r2;",
     [](u32 a, u32 b, u32) {
         const s64 d = s64{static_cast<s32>(a)} - static_cast<s32>(b);
         return static_cast<u32>(std::min<s64>(std::max<s64>(d, INT32_MIN), INT32_MAX));
     }},
    {"MulHigh", "mul.hi.s32 %r0, %r1, %r2;",
     [](u32 a, u32 b, u32) {
         return static_cast<u32>((s64{static_cast<s32>(a)} * static_cast<s32>(b)) >> 32);
     }},
    {"MulWide", "mul.wide.u32 %rd1, %r1, %r2; mov.b64 {%r4, %r0}, %rd1; xor.b32 %r0, %r0, %r4;",
     [](u32 a, u32 b, u32) {
         const u64 p = u64{a} * b;
         return static_cast<u32>(p) ^ static_cast<u32>(p >> 32);
     }},
    {"MadWide",
     "cvt.s64.s32 %rd1, %r3; mad.wide.s32 %rd1, %r1, %r2, %rd1;"
     "shr.u64 %rd1, %rd1, 16; cvt.u32.u64 %r0, %rd1;",
     [](u32 a, u32 b, u32 c) {
         const s64 p = s64{static_cast<s32>(a)} * static_cast<s32>(b) + static_cast<s32>(c);
         return static_cast<u32>(static_cast<u64>(p) >> 16);
     }},
    {"DivideByWhatIsNotZero", "or.b32 %r2, %r2, 1; div.u32 %r0, %r1, %r2;",
     [](u32 a, u32 b, u32) { return a / (b | 1); }},
    {"Remainder", "or.b32 %r2, %r2, 1; rem.u32 %r0, %r1, %r2;",
     [](u32 a, u32 b, u32) { return a % (b | 1); }},
    {"Carry", "add.cc.u32 %r4, %r1, %r2; addc.u32 %r0, %r3, 0;",
     [](u32 a, u32 b, u32 c) { return c + (a + b < a ? 1 : 0); }},
    {"Borrow", "sub.cc.u32 %r4, %r1, %r2; subc.u32 %r0, %r3, 0;",
     [](u32 a, u32 b, u32 c) { return c - (a < b ? 1 : 0); }},
    {"ShortRegisters",
     "{ .reg .b16 %s<4>; cvt.u16.u32 %s1, %r1; cvt.u16.u32 %s2, %r2; mul.lo.u16 %s3, %s1, %s2;"
     " cvt.s32.s16 %r0, %s3; }",
     [](u32 a, u32 b, u32) {
         return static_cast<u32>(s32{static_cast<std::int16_t>((a & 0xffff) * (b & 0xffff))});
     }},
    {"SignOfAByteInAWord", "cvt.s32.s8 %r0, %r1;",
     [](u32 a, u32, u32) { return static_cast<u32>(s32{static_cast<std::int8_t>(a)}); }},
    {"ByteIntoAWiderRegister", "cvt.u8.u32 %r0, %r1;", [](u32 a, u32, u32) { return a & 0xff; }},
    {"BitField", "bfe.u32 %r0, %r1, 5, 11;", [](u32 a, u32, u32) { return a >> 5 & 0x7ff; }},
    {"Insert", "bfi.b32 %r0, %r1, %r2, 8, 4;",
     [](u32 a, u32 b, u32) { return (b & ~0xf00u) | (a & 15) << 8; }},
    {"Lop3", "lop3.b32 %r0, %r1, %r2, %r3, 0xe8;",
     [](u32 a, u32 b, u32 c) { return (a & b) | (a & c) | (b & c); }},
    {"Permute", "prmt.b32 %r0, %r1, %r2, 0x7054;",
     [](u32 a, u32 b, u32) {
         return (b & 0xff) | (b >> 8 & 0xff) << 8 | (a & 0xff) << 16 | (b & 0xff000000);
     }},
    {"FunnelShift", "shf.l.wrap.b32 %r0, %r1, %r2, 12;",
     [](u32 a, u32 b, u32) { return b << 12 | a >> 20; }},
    {"ShiftBeyondTheWidth", "shr.u32 %r0, %r1, 40;", [](u32, u32, u32) { return 0u; }},
    {"PopulationAndLeadingZeros", "popc.b32 %r4, %r1; clz.b32 %r5, %r2; add.u32 %r0, %r4, %r5;",
     [](u32 a, u32 b, u32) {
         return static_cast<u32>(__builtin_popcount(a) + (b == 0 ? 32 : __builtin_clz(b)));
     }},
    {"SelectByPredicate", "selp.b32 %r0, %r2, %r3, %p1;",
     [](u32 a, u32 b, u32 c) { return (a & 1) != 0 ? b : c; }},
    {"SelectInPlace", "mov.u32 %r0, %r2; selp.b32 %r0, %r0, %r3, %p1;",
     [](u32 a, u32 b, u32 c) { return (a & 1) != 0 ? b : c; }},
    {"SetPredicatesOfBothWays",
     "setp.lt.and.s32 %p2|%p3, %r2, %r3, %p1; selp.u32 %r4, 1, 0, %p2; selp.u32 %r5, 2, 0, %p3;"
     "or.b32 %r0, %r4, %r5;",
     [](u32 a, u32 b, u32 c) {
         const bool odd = (a & 1) != 0, less = static_cast<s32>(b) < static_cast<s32>(c);
         return (less && odd ? 1u : 0u) | (!less && odd ? 2u : 0u);
     }},
    {"SetAWord", "set.gt.u32.u32 %r0, %r1, %r2;",
     [](u32 a, u32 b, u32) { return a > b ? ~0u : 0u; }},
    {"PredicateLogic",
     "setp.gt.u32 %p2, %r2, %r3; and.pred %p3, %p1, !%p2; not.pred %p2, %p3; selp.u32 %r0, 7, 9, "
     "%p2;",
     [](u32 a, u32 b, u32 c) { return (a & 1) != 0 && !(b > c) ? 9u : 7u; }},
    {"GuardedByANegatedPredicate", "mov.u32 %r0, 1; @!%p1 add.u32 %r0, %r0, %r2;",
     [](u32 a, u32 b, u32) { return (a & 1) != 0 ? 1 : 1 + b; }},
    {"FusedMultiplyAdd", "fma.rn.f32 %r0, %r1, %r2, %r3;",
     [](u32 a, u32 b, u32 c) { return bits(std::fma(f(a), f(b), f(c))); }},
    {"FusedMultiplyAddRoundedDown", "fma.rm.f32 %r0, %r1, %r2, %r3;", fma_rounded_down},
    {"GuardedFusedMultiplyAddRoundedDown", "mov.b32 %r0, %r3; @%p1 fma.rm.f32 %r0, %r1, %r2, %r3;",
     [](u32 a, u32 b, u32 c) { return (a & 1) != 0 ? fma_rounded_down(a, b, c) : c; }},
    {"MultiplySaturated", "mul.sat.f32 %r0, %r1, %r2;",
     [](u32 a, u32 b, u32) {
         const float product = f(a) * f(b);
         return product >= 1 ? bits(1.0f) : product > 0 ? bits(product) : 0u;
     }},
    {"DoubleArithmetic",
     "cvt.rn.f64.s32 %fd1, %r1; cvt.rn.f64.s32 %fd2, %r2; mul.f64 %fd1, %fd1, %fd2;"
     "cvt.rn.f32.f64 %r0, %fd1;",
     [](u32 a, u32 b, u32) {
         return bits(static_cast<float>(static_cast<double>(static_cast<s32>(a)) *
                                        static_cast<double>(static_cast<s32>(b))));
     }},
    {"ConvertToFloatAndBack", "cvt.rn.f32.u32 %r4, %r1; cvt.rzi.u32.f32 %r0, %r4;",
     [](u32 a, u32, u32) {
         const double d = static_cast<double>(static_cast<float>(a));
         return d >= 4294967296.0 ? ~0u : static_cast<u32>(d);
     }},
    {"PackedHalves", "vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;",
     [](u32 a, u32 b, u32) { return ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16; }},
    {"DotProduct", "dp4a.u32.u32 %r0, %r1, %r2, %r3;",
     [](u32 a, u32 b, u32 c) {
         for (unsigned i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
         return c;
     }},
    {"PackAndUnpack", "mov.b64 %rd1, {%r2, %r1}; mov.b64 {%r4, %r5}, %rd1; sub.u32 %r0, %r5, %r4;",
     [](u32 a, u32 b, u32) { return a - b; }},
    {"ExchangeInAVectorMove", "mov.v2.b32 {%r1, %r2}, {%r2, %r1}; sub.u32 %r0, %r1, %r2;",
     [](u32 a, u32 b, u32) { return b - a; }},
};

class Instruction : public testing::TestWithParam<instruction_case> {};

TEST_P(Instruction, ComputesTheValuesOfTheHost) {
    const instruction_case& c = GetParam();
    machine m(std::string(R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .f64 %fd<4>; .reg .b64 %rd<8>;
  ld.param.u64 %rd4, [in]; ld.param.u64 %rd5, [out];
  mov.u32 %r9, %tid.x;
  mul.wide.u32 %rd6, %r9, 12; add.u64 %rd4, %rd4, %rd6;
  ld.global.u32 %r1, [%rd4]; ld.global.u32 %r2, [%rd4+4]; ld.global.u32 %r3, [%rd4+8];
  and.b32 %r10, %r1, 1; setp.ne.u32 %p1, %r10, 0;
)") + c.body + R"(
  mul.wide.u32 %rd6, %r9, 4; add.u64 %rd5, %rd5, %rd6;
  st.global.u32 [%rd5], %r0;
  ret;
}
)");
    constexpr unsigned threads = 200;  // the last warp is partially filled
    std::mt19937 random(7);
    std::vector<u32> in(threads * 3);
    for (u32& x : in) x = random() % 4 == 0 ? random() % 9 : static_cast<u32>(random());
    const auto di = m.buffer(in), out = m.buffer(std::vector<u32>(threads, 0));
    m.run("k", {1, 1, 1}, {threads, 1, 1}, di, out);
    const auto got = m.read<u32>(out, threads);
    for (unsigned i = 0; i < threads; ++i) {
        const u32 want = c.want(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
        const bool both_nan = f(got[i]) != f(got[i]) && f(want) != f(want);
        EXPECT_TRUE(got[i] == want || both_nan)
            << c.body << " of " << in[3 * i] << " " << in[3 * i + 1] << " " << in[3 * i + 2] << ": "
            << got[i] << " instead of " << want;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Instruction, testing::ValuesIn(cases),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace simtlm::execution

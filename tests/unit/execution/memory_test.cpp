// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/execution/machine.h"

#include <algorithm>
#include <numeric>

namespace simtlm::execution {
namespace {

/// A kernel that stores %r1 of every thread; %rd0: its buffer `in`.
std::vector<std::uint32_t> results(const std::string& body, const std::string& before = {},
                                   const std::vector<std::uint32_t>& in = {1, 2, 3, 4},
                                   unsigned threads = 64, unsigned host_threads = 1,
                                   std::vector<std::uint32_t>* after = nullptr) {
    machine m(before + R"(
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<8>; .reg .b16 %s<4>; .reg .b32 %r<16>; .reg .f32 %f<4>; .reg .b64 %rd<12>;
  mov.u32 %r0, %tid.x;
  ld.param.u64 %rd0, [in];
)" + body + R"(
  ld.param.u64 %rd10, [out];
  mov.u32 %r14, %ctaid.x; mov.u32 %r15, %ntid.x;
  mad.lo.u32 %r14, %r14, %r15, %r0;
  mul.wide.u32 %rd11, %r14, 4;
  add.u64 %rd10, %rd10, %rd11;
  st.global.u32 [%rd10], %r1;
  ret;
}
)");
    m.options.host_threads = host_threads;
    const unsigned blocks = host_threads * 4;
    const auto di = m.buffer(in);
    const auto out = m.buffer(std::vector<std::uint32_t>(blocks * threads, 0xdead));
    m.run("k", {blocks, 1, 1}, {threads, 1, 1}, di, out);
    if (after != nullptr) *after = m.read<std::uint32_t>(di, in.size());
    return m.read<std::uint32_t>(out, threads);
}

TEST(Memory, ExtendsValuesNarrowerThanTheRegister) {
    const std::vector<std::uint32_t> in{0x80ff7f81, 0};
    EXPECT_EQ(results("ld.global.s8 %r1, [%rd0];", "", in)[0], 0xffffff81u);
    EXPECT_EQ(results("ld.global.u8 %r1, [%rd0];", "", in)[0], 0x81u);
    EXPECT_EQ(results("ld.global.s16 %r1, [%rd0+2];", "", in)[0], 0xffff80ffu);
    EXPECT_EQ(results("ld.global.s32 %rd1, [%rd0]; shr.u64 %rd1, %rd1, 32;"
                      "cvt.u32.u64 %r1, %rd1;",
                      "", in)[0],
              0xffffffffu);
    EXPECT_EQ(results("ld.global.u32 %rd1, [%rd0]; shr.u64 %rd1, %rd1, 32;"
                      "cvt.u32.u64 %r1, %rd1;",
                      "", in)[0],
              0u);
}

TEST(Memory, LocalArraysOf64BitsAreSeparatePerLane) {
    // Element t % 4 of each thread's array, then element 1 for odd threads.
    const auto r = results(
        ".local .align 8 .b8 doubles[32];"
        "mov.u64 %rd1, doubles; and.b32 %r2, %r0, 3; mul.wide.u32 %rd2, %r2, 8;"
        "add.u64 %rd3, %rd1, %rd2;"
        "cvt.u64.u32 %rd4, %r0; shl.b64 %rd5, %rd4, 40; or.b64 %rd4, %rd4, %rd5;"
        "mov.u64 %rd5, 7; st.local.u64 [doubles+8], %rd5;"
        "st.local.u64 [%rd3], %rd4; ld.local.u64 %rd6, [%rd3];"
        "and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 1; @%p1 st.local.u64 [doubles+8], %rd6;"
        "ld.local.u64 %rd7, [doubles+8]; shr.u64 %rd8, %rd6, 40;"
        "cvt.u32.u64 %r1, %rd8; cvt.u32.u64 %r4, %rd7; mad.lo.u32 %r1, %r1, 1000, %r4;");
    for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(r[t], t * 1000 + (t % 2 == 1 ? t : 7)) << t;
}

TEST(Memory, LocalArraysOfBytesAndVectorsAreIndexedLaneByLane) {
    const auto r = results(
        ".local .align 16 .b8 bytes[16];"
        "mov.u64 %rd1, bytes; and.b32 %r2, %r0, 7; cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2;"
        "mov.u32 %r3, 0; st.local.v4.u32 [bytes], {%r3, %r3, %r3, %r3};"
        "st.local.u8 [%rd3], %r0; ld.local.v2.u8 {%r4, %r5}, [bytes+6]; ld.local.u8 %r6, [%rd3];"
        "mad.lo.u32 %r1, %r4, 1000, %r5; mad.lo.u32 %r1, %r1, 1000, %r6;");
    for (unsigned t = 0; t < 64; ++t)
        EXPECT_EQ(r[t], ((t % 8 == 6 ? t : 0) * 1000 + (t % 8 == 7 ? t : 0)) * 1000 + t) << t;
}

TEST(Memory, LoadsAndStoresVectors) {
    const auto r = results(
        "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd0];"
        "mad.lo.u32 %r1, %r2, 1000, %r3; mad.lo.u32 %r1, %r1, 1000, %r4;"
        "mad.lo.u32 %r1, %r1, 2, %r5;");
    EXPECT_EQ(r[17], ((1u * 1000 + 2) * 1000 + 3) * 2 + 4);
}

TEST(Memory, GathersFromArbitraryAddresses) {
    std::vector<std::uint32_t> in(64);
    std::iota(in.begin(), in.end(), 100u);
    const auto r = results(
        "mul.lo.u32 %r2, %r0, 37; and.b32 %r2, %r2, 63;"
        "mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd0, %rd1;"
        "ld.global.u32 %r1, [%rd1];",
        "", in);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], 100 + (i * 37) % 64) << i;
}

TEST(Memory, KeepsLocalArraysOfEachThread) {
    const auto r = results(R"(
  .local .align 8 .b8 array[64];
  mov.u64 %rd1, array;
  mov.u32 %r2, 0;
FILL:
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  mad.lo.u32 %r3, %r0, 100, %r2;
  st.local.u32 [%rd3], %r3;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 16;
  @%p1 bra FILL;
  and.b32 %r4, %r0, 15;
  mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2;
  ld.local.u8 %r5, [%rd3];
  cvta.local.u64 %rd4, %rd3;
  ld.u32 %r1, [%rd4];
  and.b32 %r6, %r1, 255;
  sub.u32 %r5, %r5, %r6;
  add.u32 %r1, %r1, %r5;
)");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i * 100 + i % 16) << i;
}

TEST(Memory, HoldsWideValuesInLocalMemory) {
    const auto r = results(R"(
  .local .align 16 .b8 array[32];
  mov.u64 %rd1, 0x1122334455667788;
  cvt.u64.u32 %rd2, %r0;
  st.local.v2.u64 [array+16], {%rd1, %rd2};
  ld.local.u64 %rd3, [array+24];
  ld.local.u16 %r2, [array+18];
  cvt.u32.u64 %r3, %rd3;
  mad.lo.u32 %r1, %r3, 0x10000, %r2;
)");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i * 0x10000 + 0x5566) << i;
}

TEST(Memory, DistinguishesStateSpacesByAddress) {
    const auto r = results(R"(
  .local .b32 mine;
  mov.u64 %rd1, mine; cvta.local.u64 %rd1, %rd1;
  mov.u64 %rd2, ours; cvta.shared.u64 %rd2, %rd2;
  isspacep.local %p1, %rd1; isspacep.shared %p2, %rd2; isspacep.global %p3, %rd0;
  isspacep.global %p4, %rd2; isspacep.shared %p5, %rd0;
  selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 2, 0, %p2; or.b32 %r1, %r1, %r2;
  selp.u32 %r2, 4, 0, %p3; or.b32 %r1, %r1, %r2;
  selp.u32 %r2, 8, 0, %p4; or.b32 %r1, %r1, %r2;
  selp.u32 %r2, 16, 0, %p5; or.b32 %r1, %r1, %r2;
)",
                           ".shared .b32 ours;\n");
    EXPECT_EQ(r[3], 7u);
}

TEST(Memory, InitialisesVariables) {
    const auto r = results(R"(
  and.b32 %r2, %r0, 3;
  mul.wide.u32 %rd1, %r2, 2;
  mov.u64 %rd2, table; add.u64 %rd2, %rd2, %rd1;
  ld.const.u16 %r1, [%rd2];
  ld.global.u64 %rd3, [pointer];
  ld.global.u32 %r3, [%rd3+4];
  add.u32 %r1, %r1, %r3;
)",
                           ".const .align 2 .u16 table[4] = {10, 20, 30, 40};\n"
                           ".global .u32 pair[2] = {500, 600};\n"
                           ".global .u64 pointer = pair;\n");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], 600 + (i % 4 + 1) * 10) << i;
}

TEST(Memory, PlacesGlobalVariablesByAlignmentAsPtxasDoes) {
    // A word array begins a section of memory, as nothing with a higher alignment precedes it.
    const char* const variables = R"(
.global .align 1 .b8 first[1]; .global .align 4 .b8 tensor[64]; .global .align 1 .b8 last[3];
.global .align 1 .b8 known_first[1] = {7}; .global .align 4 .u32 known[8] = {1, 2, 3};
)";
    const auto address_of = [&](const std::string& name) {
        return results("mov.u64 %rd1, " + name + "; cvt.u32.u64 %r1, %rd1;", variables)[0];
    };
    EXPECT_EQ(address_of("tensor") % 256, 0u);
    EXPECT_EQ(address_of("known") % 256, 0u);
    EXPECT_EQ(address_of("last"), address_of("first") + 1);
}

TEST(Memory, PlacesDynamicSharedMemoryAfterTheVariables) {
    machine m(R"(
.shared .align 4 .b8 fixed[20];
.extern .shared .align 4 .b8 rest[];
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  mov.u32 %r1, rest; mov.u32 %r2, fixed; sub.u32 %r1, %r1, %r2;
  st.shared.u32 [rest+8], 77; ld.shared.u32 %r3, [rest+8];
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r3;
  ret;
}
)");
    m.dynamic_shared = 12;
    const auto out = m.buffer(std::vector<std::uint32_t>{0, 0});
    m.run("k", {1, 1, 1}, {1, 1, 1}, out);
    EXPECT_EQ(m.read<std::uint32_t>(out, 2), (std::vector<std::uint32_t>{32, 77}));
}

struct atomic_case {
    const char* name;
    const char* body;
    std::uint32_t start, end;  ///< of the word, after 4 blocks of 64 threads per host thread
};

class Atomic : public testing::TestWithParam<atomic_case> {};

TEST_P(Atomic, TakesEffectOncePerThread) {
    const atomic_case& c = GetParam();
    for (const unsigned host_threads : {1u, 3u}) {
        std::vector<std::uint32_t> after;
        results(c.body, "", {c.start, 0}, 64, host_threads, &after);
        const std::uint32_t scale =
            std::string(c.name) == "Add" || std::string(c.name) == "CasLoop" ? host_threads : 1;
        EXPECT_EQ(after[0], c.start + (c.end - c.start) * scale) << host_threads;
    }
}

const atomic_case atomics[] = {
    {"Add", "red.global.add.u32 [%rd0], 3; mov.u32 %r1, 0;", 5, 5 + 3 * 256},
    {"Max", "atom.global.max.s32 %r1, [%rd0], %r0;", 0, 63},
    {"MinUnsigned", "red.global.min.u32 [%rd0], %r0; mov.u32 %r1, 0;", 900, 0},
    {"Or",
     "shl.b32 %r2, 1, %r0; and.b32 %r3, %r0, 31; mov.u32 %r4, 1; shl.b32 %r2, %r4, %r3;"
     "red.global.or.b32 [%rd0], %r2; mov.u32 %r1, 0;",
     0, ~0u},
    {"Exchange", "atom.global.exch.b32 %r1, [%rd0], 9;", 0, 9},
    {"IncrementAround", "atom.global.inc.u32 %r1, [%rd0], 7;", 0, 0},
    {"DecrementAround", "atom.global.dec.u32 %r1, [%rd0], 7;", 0, 0},
    {"CasLoop",
     "AGAIN: ld.volatile.global.u32 %r2, [%rd0]; add.u32 %r3, %r2, 1;"
     "atom.global.cas.b32 %r1, [%rd0], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra AGAIN;",
     10, 10 + 256},
};
INSTANTIATE_TEST_SUITE_P(All, Atomic, testing::ValuesIn(atomics),
                         [](const auto& one) { return one.param.name; });

TEST(Atomic, ReturnsADistinctOldValueToEachLane) {
    auto r = results("atom.shared.add.u32 %r1, [counter], 1;", ".shared .u32 counter;\n");
    std::sort(r.begin(), r.end());
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i);
}

TEST(Atomic, AddsFloats) {
    std::vector<std::uint32_t> after;
    results("mov.f32 %f1, 0f3F000000; red.global.add.f32 [%rd0], %f1; mov.u32 %r1, 0;", "", {0, 0},
            64, 1, &after);
    EXPECT_EQ(after[0], 0x43000000u);  // 128
}

/// What global memory contains after one thread has added a float to it.
std::uint32_t sum_in_global_memory(const std::string& add, std::uint32_t before) {
    std::vector<std::uint32_t> after;
    results("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 " + add + ";", "", {before}, 1, 1,
            &after);
    return after[0];
}

TEST(Atomic, SumsOfFloatsFlushSubnormalsInGlobalMemoryOnly) {
    const std::string subnormal = "0f00400000", negative = "0f80c00000";
    EXPECT_EQ(sum_in_global_memory("red.global.add.f32 [%rd0], " + subnormal, 0x00400000), 0u);
    EXPECT_EQ(sum_in_global_memory("red.add.f32 [%rd0], " + subnormal, 0x3f800000), 0x3f800000u);
    EXPECT_EQ(sum_in_global_memory("atom.add.f32 %f1, [%rd0], " + negative, 0x00800000),
              0x80000000u);  // the result
    for (const char* const add : {"red.shared.add.f32 [sum]", "red.add.f32 [%rd1]"})
        EXPECT_EQ(results("mov.f32 %f1, " + subnormal +
                              "; st.shared.f32 [sum], %f1; mov.u64 %rd1, sum;"
                              "cvta.shared.u64 %rd1, %rd1; " +
                              add + ", %f1; ld.shared.u32 %r1, [sum];",
                          ".shared .align 4 .f32 sum;\n", {0}, 1),
                  std::vector<std::uint32_t>{0x00800000});
}

}  // namespace
}  // namespace simtlm::execution

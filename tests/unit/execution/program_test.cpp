// SPDX-License-Identifier: Apache-2.0
// Whole programs: results are the same in every execution mode.
#include "tests/unit/execution/machine.h"

#include <numeric>

namespace simtlm::execution {
namespace {

const char* const add_vectors = R"(
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];
  ld.param.u32 %r2, [n];
  mov.u32 %r3, %ntid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r4, %r3, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd4, %rd1;
  mul.wide.s32 %rd5, %r1, 4;
  add.s64 %rd6, %rd4, %rd5;
  cvta.to.global.u64 %rd7, %rd2;
  add.s64 %rd8, %rd7, %rd5;
  ld.global.f32 %f1, [%rd8];
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f2, %f1;
  cvta.to.global.u64 %rd9, %rd3;
  add.s64 %rd10, %rd9, %rd5;
  st.global.f32 [%rd10], %f3;
DONE:
  ret;
}
)";

TEST(Program, AddsVectorsOfAPartialLastBlock) {
    machine m(add_vectors);
    std::vector<float> a(1000), b(1000);
    std::iota(a.begin(), a.end(), 0.f);
    std::iota(b.begin(), b.end(), 1000.f);
    const auto da = m.buffer(a), db = m.buffer(b), dc = m.buffer(std::vector<float>(1024, -1.f));
    const execution_summary s = m.run("add", {4, 1, 1}, {256, 1, 1}, da, db, dc, 1000u);
    const auto c = m.read<float>(dc, 1024);
    for (std::size_t i = 0; i < 1024; ++i) EXPECT_EQ(c[i], i < 1000 ? a[i] + b[i] : -1.f) << i;
    // 32 warps; the last is empty after the branch, the one before partially.
    EXPECT_EQ(s.blocks, 4u);
    EXPECT_EQ(s.thread_instructions, 1024u * 10 + 1000u * 11 + 1024u);
    EXPECT_EQ(s.warp_instructions, 32u * 11 + 32u * 11);
}

/// Sum of a block in shared memory, then one atomic per block.
const char* const sum = R"(
.shared .align 4 .b8 partial[1024];
.visible .entry sum(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd1, %rd3;
  ld.global.u32 %r5, [%rd4];
  shl.b32 %r6, %r3, 2;
  mov.u32 %r7, partial;
  add.u32 %r8, %r7, %r6;
  st.shared.u32 [%r8], %r5;
  shr.u32 %r9, %r2, 1;
LOOP:
  bar.sync 0;
  setp.ge.u32 %p1, %r3, %r9;
  @%p1 bra SKIP;
  shl.b32 %r10, %r9, 2;
  add.u32 %r10, %r8, %r10;
  ld.shared.u32 %r11, [%r10];
  add.u32 %r5, %r5, %r11;
  st.shared.u32 [%r8], %r5;
SKIP:
  shr.u32 %r9, %r9, 1;
  setp.ne.u32 %p2, %r9, 0;
  @%p2 bra LOOP;
  setp.ne.u32 %p3, %r3, 0;
  @%p3 bra DONE;
  red.global.add.u32 [%rd2], %r5;
DONE:
  ret;
}
)";

TEST(Program, SumsInSharedMemoryBetweenBarriers) {
    machine m(sum);
    std::vector<std::uint32_t> in(256 * 37);
    std::iota(in.begin(), in.end(), 1u);
    const auto di = m.buffer(in), out = m.buffer(std::vector<std::uint32_t>{0});
    m.run("sum", {37, 1, 1}, {256, 1, 1}, di, out);
    EXPECT_EQ(m.read<std::uint32_t>(out, 1)[0],
              std::accumulate(in.begin(), in.end(), std::uint32_t{0}));
}

TEST(Program, ComputesTheSameOnSeveralHostThreads) {
    std::vector<std::uint32_t> in(256 * 211);
    std::iota(in.begin(), in.end(), 1u);
    execution_summary of[2];
    std::uint32_t result[2];
    for (const unsigned n : {0u, 1u}) {
        machine m(sum);
        m.options.host_threads = n == 0 ? 1 : 4;
        const auto di = m.buffer(in), out = m.buffer(std::vector<std::uint32_t>{0});
        of[n] = m.run("sum", {211, 1, 1}, {256, 1, 1}, di, out);
        result[n] = m.read<std::uint32_t>(out, 1)[0];
    }
    EXPECT_EQ(result[0], result[1]);
    EXPECT_EQ(of[0].warp_instructions, of[1].warp_instructions);
    EXPECT_EQ(of[0].thread_instructions, of[1].thread_instructions);
}

/// A program in which the behaviour of a thread depends only on its data: loops, conditions, calls.
const char* const collatz = R"(
.func (.param .b32 r) step(.param .b32 x)
{
  .reg .pred %p<2>; .reg .b32 %r<4>;
  ld.param.u32 %r1, [x];
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra EVEN;
  mad.lo.u32 %r3, %r1, 3, 1;
  st.param.b32 [r+0], %r3;
  ret;
EVEN:
  shr.u32 %r3, %r1, 1;
  st.param.b32 [r+0], %r3;
  ret;
}
.visible .entry collatz(.param .u64 data, .param .u32 first)
{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [first];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r2, %r3, %r4, %r2;
  add.u32 %r5, %r1, %r2;
  mov.u32 %r6, 0;
AGAIN:
  setp.le.u32 %p1, %r5, 1;
  @%p1 bra END;
  { .param .b32 a; st.param.b32 [a+0], %r5;
    .param .b32 b;
    call.uni (b), step, (a);
    ld.param.b32 %r5, [b+0]; }
  add.u32 %r6, %r6, 1;
  bra AGAIN;
END:
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
)";

std::uint32_t collatz_steps(std::uint32_t x) {
    std::uint32_t n = 0;
    for (; x > 1; ++n) x = x % 2 != 0 ? 3 * x + 1 : x / 2;
    return n;
}

TEST(Program, CallsFunctionsFromLanesThatLeaveALoopOneByOne) {
    machine m(collatz);
    const auto out = m.buffer(std::vector<std::uint32_t>(256, 0));
    m.run("collatz", {2, 1, 1}, {128, 1, 1}, out, 5u);
    const auto steps = m.read<std::uint32_t>(out, 256);
    for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(steps[i], collatz_steps(5 + i)) << i;
}

TEST(Program, ComputesTheSameInOneWarpAndInThirtyTwoWarps) {
    std::vector<std::uint32_t> result[2];
    for (const unsigned n : {0u, 1u}) {
        machine m(collatz);
        const auto out = m.buffer(std::vector<std::uint32_t>(32, 0));
        if (n == 0)
            m.run("collatz", {1, 1, 1}, {32, 1, 1}, out, 97u);
        else
            m.run("collatz", {32, 1, 1}, {1, 1, 1}, out, 97u);
        result[n] = m.read<std::uint32_t>(out, 32);
    }
    EXPECT_EQ(result[0], result[1]);
}

}  // namespace
}  // namespace simtlm::execution

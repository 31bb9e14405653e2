// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/execution/machine.h"

namespace simtlm::execution {
namespace {

/// A kernel that stores %r1, a function of %r0 = %tid.x, for every thread.
std::string storing(const std::string& body, const std::string& before = {}) {
    return before + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  mov.u32 %r0, %tid.x;
)" + body + R"(
  ld.param.u64 %rd0, [out];
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd0, %rd0, %rd1;
  st.global.u32 [%rd0], %r1;
  ret;
}
)";
}

std::vector<std::uint32_t> results(const std::string& code, unsigned threads = 64) {
    machine m(code);
    const auto out = m.buffer(std::vector<std::uint32_t>(threads, 0xdead));
    m.run("k", {1, 1, 1}, {threads, 1, 1}, out);
    return m.read<std::uint32_t>(out, threads);
}

TEST(ControlFlow, ExecutesOnlyLanesWhosePredicateHolds) {
    const auto r = results(storing(R"(
  mov.u32 %r1, 7;
  setp.lt.u32 %p1, %r0, 5;
  @%p1 mov.u32 %r1, 100;
  @!%p1 add.u32 %r1, %r1, %r0;
)"));
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i < 5 ? 100 : 7 + i) << i;
}

TEST(ControlFlow, EndsLanesOneByOne) {
    const auto r = results(storing(R"(
  mov.u32 %r1, 1;
  setp.gt.u32 %p1, %r0, 40;
  @%p1 exit;
  mov.u32 %r1, 2;
)"));
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i > 40 ? 0xdead : 2) << i;
}

/// Every third lane may return early, on its own way to a barrier that the others come to as well.
const char* const early_returns = R"(
  .shared .b32 s[64];
  mov.u32 %r2, s; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3;
  mov.u32 %r1, %r0; rem.u32 %r4, %r0, 3; setp.ne.u32 %p1, %r4, 0;
  @%p1 bra BARRIER;
  add.u32 %r1, %r1, 100; setp.gt.u32 %p2, %r0, 40;
  @%p2 ret;
  mov.u32 %r5, 0;
LOOP:
  setp.eq.u32 %p3, %r5, 30; @%p3 bra GONE;
  add.u32 %r1, %r1, 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, %r0; @%p4 bra LOOP;
BARRIER:
  st.shared.u32 [%r2], %r1;
  bar.sync 0;
  ld.shared.u32 %r1, [%r2];
  bra.uni STORE;
GONE:
  ret;
STORE:
)";

/// Every thread takes a lock in a loop of its own and counts behind it, without an atomic.
std::string counting_under_a_lock(const std::string& behind) {
    return R"(
  .shared .b32 lock; .shared .b32 count;
  mov.u32 %r1, 0; st.shared.u32 [lock], %r1; st.shared.u32 [count], %r1;
  bar.sync 0;
SPIN:
  atom.shared.cas.b32 %r2, [lock], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;
  ld.volatile.shared.u32 %r3, [count]; add.u32 %r3, %r3, 1; st.volatile.shared.u32 [count], %r3;
  membar.cta; atom.shared.exch.b32 %r2, [lock], 0;
)" + behind +
           "ld.volatile.shared.u32 %r1, [count];\n";
}

TEST(ControlFlow, PassesALockAmongLanesOfAWarp) {
    for (const char* const behind : {"bar.sync 0;\n", "bar.warp.sync -1;\nbar.sync 0;\n"}) {
        const auto r = results(storing(counting_under_a_lock(behind)));
        for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], 64u) << i;
    }
}

TEST(ControlFlow, PassesALockWithinABranchAndALoop) {
    const auto r = results(storing(R"(
  .shared .b32 lock; .shared .b32 count;
  mov.u32 %r1, 0; st.shared.u32 [lock], %r1; st.shared.u32 [count], %r1;
  mov.u32 %r4, 0;
  bar.sync 0;
NEXT:
  and.b32 %r5, %r0, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra BEHIND;
SPIN:
  atom.shared.cas.b32 %r2, [lock], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;
  ld.volatile.shared.u32 %r3, [count]; add.u32 %r3, %r3, 1; st.volatile.shared.u32 [count], %r3;
  membar.cta; atom.shared.exch.b32 %r2, [lock], 0;
BEHIND:
  add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3; @%p3 bra NEXT;
  bar.sync 0;
  ld.volatile.shared.u32 %r1, [count];
)"));
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], 96u) << i;
}

TEST(ControlFlow, GathersLanesAtABarrierThatAnEarlyReturnKeptApart) {
    const auto r = results(storing(early_returns));
    for (unsigned i = 0; i < 64; ++i) {
        const bool third = i % 3 == 0, returns = third && i > 30;
        EXPECT_EQ(r[i], returns ? 0xdead : third ? 100 + i + std::max(i, 1u) : i) << i;
    }
}

TEST(ControlFlow, GathersLanesAtABarrierThatABranchToTheReturnKeptApart) {
    // As compilers write it: one return, behind the barrier.
    std::string body = early_returns;
    body.replace(body.find("@%p2 ret;"), 9, "@%p2 bra GONE;");
    body.replace(body.find("GONE:\n  ret;\n"), 13, "");
    const auto r = results(R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  mov.u32 %r0, %tid.x;
)" + body + R"(
  ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;
  st.global.u32 [%rd0], %r1;
GONE:
  ret;
}
)");
    for (unsigned i = 0; i < 64; ++i) {
        const bool third = i % 3 == 0, returns = third && i > 30;
        EXPECT_EQ(r[i], returns ? 0xdead : third ? 100 + i + std::max(i, 1u) : i) << i;
    }
}

TEST(ControlFlow, BranchesThroughATable) {
    const auto r = results(storing(R"(
  and.b32 %r2, %r0, 3;
  mov.u32 %r1, 0;
T: .branchtargets L0, L1, L2, L3;
  brx.idx %r2, T;
L0: add.u32 %r1, %r1, 10; bra END;
L1: add.u32 %r1, %r1, 20;
L2: add.u32 %r1, %r1, 30; bra END;
L3: add.u32 %r1, %r1, 40;
END:
)"));
    const unsigned want[] = {10, 50, 30, 40};
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], want[i % 4]) << i;
}

const char* const fibonacci = R"(
.func (.param .b32 r) fib(.param .b32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<8>;
  ld.param.u32 %r1, [n];
  setp.gt.u32 %p1, %r1, 1;
  @%p1 bra DEEP;
  st.param.b32 [r+0], %r1;
  ret;
DEEP:
  sub.u32 %r2, %r1, 1;
  sub.u32 %r3, %r1, 2;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r2; call (b), fib, (a); ld.param.b32 %r4, [b+0]; }
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r3; call (b), fib, (a); ld.param.b32 %r5, [b+0]; }
  add.u32 %r6, %r4, %r5;
  st.param.b32 [r+0], %r6;
  ret;
}
)";

TEST(ControlFlow, Recurses) {
    const auto r = results(storing(R"(
  and.b32 %r2, %r0, 7;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r2; call (b), fib, (a); ld.param.b32 %r1, [b+0]; }
)",
                                   fibonacci));
    const unsigned want[] = {0, 1, 1, 2, 3, 5, 8, 13};
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], want[i % 8]) << i;
}

TEST(ControlFlow, CallsOnlyFromLanesWhosePredicateHolds) {
    const auto r = results(storing(R"(
  mov.u32 %r1, 99;
  setp.eq.u32 %p1, %r0, 6;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r0; st.param.b32 [b+0], %r1;
    @%p1 call (b), fib, (a); ld.param.b32 %r1, [b+0]; }
)",
                                   fibonacci));
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i == 6 ? 8u : 99u) << i;
}

TEST(ControlFlow, CallsDifferentFunctionsThroughPointers) {
    const auto r = results(storing(R"(
  and.b32 %r2, %r0, 1;
  setp.eq.u32 %p1, %r2, 0;
  mov.u64 %rd2, twice;
  mov.u64 %rd3, square;
  selp.b64 %rd4, %rd2, %rd3, %p1;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r0;
    P: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), %rd4, (a), P; ld.param.b32 %r1, [b+0]; }
)",
                                   R"(
.func (.param .b32 r) twice(.param .b32 n)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; add.u32 %r2, %r1, %r1; st.param.b32 [r+0], %r2; ret; }
.func (.param .b32 r) square(.param .b32 n)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [r+0], %r2; ret; }
)"));
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i % 2 == 0 ? 2 * i : i * i) << i;
}

TEST(ControlFlow, PassesRegistersOfTheOldCallingConvention) {
    const auto r = results(storing(R"(
  call (%r1), twice, (%r0);
)",
                                   R"(
.func (.reg .u32 result) twice(.reg .u32 n) { add.u32 result, n, n; ret; }
)"));
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], 2 * i);
}

TEST(ControlFlow, LetsWarpsWaitForEachOtherThroughMemory) {
    // The first warp spins until the second has written.
    const auto r = results(storing(R"(
  setp.lt.u32 %p1, %r0, 32;
  @!%p1 bra WRITE;
SPIN:
  ld.volatile.shared.u32 %r2, [flag];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra SPIN;
  bra DONE;
WRITE:
  st.volatile.shared.u32 [flag], 5;
  mov.u32 %r2, 6;
DONE:
  mov.u32 %r1, %r2;
)",
                                   ".shared .u32 flag;\n"));
    EXPECT_EQ(r[0], 5u);
    EXPECT_EQ(r[63], 6u);
}

TEST(Calls, ThatReachAFunctionByManyWaysAreFollowedOnce) {
    // Each function of a level calls both of the next one: 2^40 ways from the kernel to the last.
    constexpr int levels = 40;
    std::string text;
    for (int level = levels; level > 0; --level) {
        for (const char name : {'f', 'g'}) {
            const std::string next = std::to_string(level + 1);
            text += std::string(".func ") + name + std::to_string(level) + "()\n{\n";
            text += ".local .align 16 .b8 mine[16];\n";
            if (level < levels) text += "call f" + next + "; call g" + next + ";\n";
            text += "ret;\n}\n";
        }
    }
    machine m(text + ".visible .entry k()\n{\ncall f1; call g1; ret;\n}\n");
    EXPECT_EQ(m.image().find_kernel("k")->local_bytes, levels * 16u);
    EXPECT_FALSE(m.image().find_kernel("k")->stack_unknown);
}

}  // namespace
}  // namespace simtlm::execution

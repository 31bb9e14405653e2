// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/execution/machine.h"

namespace simtlm::execution {
namespace {

std::vector<std::uint32_t> results(const std::string& body, const std::string& before = {},
                                   unsigned threads = 64) {
    machine m(before + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<8>; .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 %rd<12>;
  mov.u32 %r0, %tid.x; and.b32 %r2, %r0, 31;
)" + body + R"(
  ld.param.u64 %rd10, [out];
  mul.wide.u32 %rd11, %r0, 4;
  add.u64 %rd10, %rd10, %rd11;
  st.global.u32 [%rd10], %r1;
  ret;
}
)");
    const auto out = m.buffer(std::vector<std::uint32_t>(threads, 0xdead));
    m.run("k", {1, 1, 1}, {threads, 1, 1}, out);
    return m.read<std::uint32_t>(out, threads);
}

TEST(Collective, ShufflesDownAndReportsLanesInRange) {
    const auto r = results(
        "shfl.sync.down.b32 %r3|%p1, %r0, 5, 31, -1;"
        "selp.u32 %r4, 1000, 0, %p1; add.u32 %r1, %r3, %r4;");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i % 32 < 27 ? i + 1005 : i) << i;
}

TEST(Collective, ShufflesWithinSegments) {
    // Segments of eight lanes: the mask is in the upper part of c.
    const auto r = results("shfl.sync.idx.b32 %r1, %r0, 3, 0x181f, -1;");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i / 8 * 8 + 3) << i;
}

TEST(Collective, ShufflesZeroOutOfLanesThatTheMaskDoesNotName) {
    const auto r = results(
        "setp.lt.u32 %p1, %r2, 8; mov.u32 %r1, 7;"
        "@%p1 shfl.sync.down.b32 %r1, %r0, 6, 31, 0xff;");
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(r[i], i % 32 >= 8 ? 7 : i % 32 < 2 ? i + 6 : 0) << i;
}

TEST(Collective, ShufflesZeroOutOfLanesThatDoNotExecute) {
    const auto r = results(
        "setp.lt.u32 %p1, %r2, 8; mov.u32 %r1, 7;"
        "@%p1 shfl.sync.down.b32 %r1, %r0, 6, 31, -1;");
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(r[i], i % 32 >= 8 ? 7 : i % 32 < 2 ? i + 6 : 0) << i;
}

TEST(Collective, BallotsItsMaskForALaneOutsideOfTheMask) {
    // Every lane names the lanes below it.
    const auto r = results(
        "setp.gt.u32 %p1, %r2, 20; mov.u32 %r3, 1; shl.b32 %r3, %r3, %r2; sub.u32 %r3, %r3, 1;"
        "vote.sync.ballot.b32 %r1, %p1, %r3;");
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], 0xffe00000u & ((1u << i) - 1)) << i;
}

/// A third of the lanes return, some of them inside another branch; the others reach the code
/// after it.
std::string after_early_returns(const std::string& what) {
    return "mov.u32 %r1, 0xdead; rem.u32 %r3, %r2, 3; setp.ne.u32 %p1, %r3, 0; @%p1 bra TOGETHER;\n"
           "setp.gt.u32 %p2, %r2, 15; @%p2 bra GONE;\n add.u32 %r4, %r2, 1;\nTOGETHER:" +
           what + "\nbra.uni STORE;\nGONE: exit;\nSTORE:";
}

unsigned lanes_left_after_returns() {
    unsigned left = 0;
    for (unsigned i = 0; i < 32; ++i) left |= static_cast<unsigned>(i % 3 != 0 || i <= 15) << i;
    return left;
}

TEST(Collective, ReconvergesItsLanesAfterEarlyReturns) {
    const auto r =
        results(after_early_returns("setp.ge.u32 %p3, %r2, 0; vote.sync.ballot.b32 %r1, %p3, -1;"));
    const unsigned left = lanes_left_after_returns();
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], (left >> i & 1) != 0 ? left : 0xdead) << i;
}

TEST(Collective, ReconvergesLanesAtAWarpBarrier) {
    const auto r = results(after_early_returns("bar.warp.sync -1; activemask.b32 %r1;"));
    const unsigned left = lanes_left_after_returns();
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], (left >> i & 1) != 0 ? left : 0xdead) << i;
}

TEST(Collective, Votes) {
    const auto r = results(
        "setp.gt.u32 %p1, %r2, 20; vote.sync.ballot.b32 %r3, %p1, -1;"
        "vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1;"
        "selp.u32 %r4, 1, 0, %p2; selp.u32 %r5, 2, 0, %p3;"
        "add.u32 %r1, %r3, %r4; add.u32 %r1, %r1, %r5;");
    EXPECT_EQ(r[40], 0xffe00001u);
}

TEST(Collective, IncludesOnlyConvergedLanes) {
    const auto r = results(
        "mov.u32 %r1, 0; setp.lt.u32 %p1, %r2, 12; @!%p1 bra MEET;\n"
        "activemask.b32 %r1;\nMEET:");
    EXPECT_EQ(r[5], 0xfffu);
    EXPECT_EQ(r[12], 0u);
}

TEST(Collective, MatchesEqualValues) {
    const auto r = results("and.b32 %r3, %r0, 3; match.any.sync.b32 %r1, %r3, -1;");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], 0x11111111u << i % 4) << i;
}

TEST(Collective, Reduces) {
    EXPECT_EQ(results("redux.sync.add.u32 %r1, %r2, -1;")[33], 31u * 32 / 2);
    EXPECT_EQ(results("sub.u32 %r3, %r2, 9; redux.sync.min.s32 %r1, %r3, -1;")[1], -9u);
}

/// %r3: mask of the lanes in the same group of 8.
const std::string parts_of_eight = "and.b32 %r3, %r2, 24; shl.b32 %r3, 0xff, %r3;";

TEST(Collective, ShufflesWithinSeveralMasks) {
    const auto r =
        results(parts_of_eight + "or.b32 %r4, %r2, 7; shfl.sync.idx.b32 %r1, %r0, %r4, 31, %r3;");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i | 7) << i;
}

TEST(Collective, VotesWithinSeveralMasks) {
    const auto r = results(parts_of_eight +
                           "setp.gt.u32 %p1, %r2, 12; vote.sync.ballot.b32 %r4, %p1, %r3;"
                           "vote.sync.all.pred %p2, %p1, %r3; vote.sync.any.pred %p3, %p1, %r3;"
                           "selp.u32 %r5, 1, 0, %p2; selp.u32 %r6, 2, 0, %p3;"
                           "add.u32 %r1, %r4, %r5; add.u32 %r1, %r1, %r6;");
    EXPECT_EQ(r[7], 0u);
    EXPECT_EQ(r[8], 0xe000u + 2);
    EXPECT_EQ(r[20], 0xff0000u + 3);
}

TEST(Collective, ReducesAndMatchesWithinSeveralMasks) {
    const auto sums = results(parts_of_eight + "redux.sync.add.u32 %r1, %r2, %r3;");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(sums[i], 28 + i % 32 / 8 * 64) << i;
    const auto equal =
        results(parts_of_eight + "and.b32 %r4, %r0, 1; match.any.sync.b32 %r1, %r4, %r3;");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(equal[i], (0x55u << i % 2) << i % 32 / 8 * 8) << i;
    const auto all =
        results(parts_of_eight + "max.u32 %r4, %r2, 7; match.all.sync.b32 %r1|%p1, %r4, %r3;");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(all[i], i % 32 < 8 ? 0xffu : 0) << i;
}

/// Code of even and of odd lanes, in branches of their own.
std::string by_parity(const std::string& even, const std::string& odd) {
    return "and.b32 %r20, %r2, 1; setp.eq.u32 %p6, %r20, 0; @%p6 bra EVEN;\n" + odd +
           "\nbra.uni MEET;\nEVEN:\n" + even + "\nMEET:";
}

TEST(Collective, VotesWithLanesThatReachItInAnotherBranch) {
    const auto r = results("setp.gt.u32 %p1, %r2, 20; setp.gt.u32 %p2, %r2, 9;" +
                           by_parity("vote.sync.ballot.b32 %r1, %p1, -1;",
                                     "vote.sync.ballot.b32 %r3, %p2, -1; add.u32 %r1, %r3, 1;"));
    unsigned votes = 0;
    for (unsigned i = 0; i < 32; ++i)
        votes |= static_cast<unsigned>(i > (i % 2 == 0 ? 20u : 9u)) << i;
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], votes + i % 2) << i;
}

TEST(Collective, ShufflesBetweenRegistersOfDifferentBranches) {
    const auto r =
        results(by_parity("mul.lo.u32 %r4, %r0, 10;"
                          "shfl.sync.bfly.b32 %r1|%p1, %r4, 1, 31, -1;",
                          "add.u32 %r5, %r0, 1000;"
                          "shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1; mov.b32 %r1, %r6;"));
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(r[i], i % 2 == 0 ? i + 1 + 1000 : (i - 1) * 10) << i;
}

TEST(Collective, MatchesAndReducesOverLanesOfDifferentBranches) {
    const auto sums =
        results(by_parity("redux.sync.add.u32 %r1, %r2, -1;", "redux.sync.add.u32 %r1, %r2, -1;"));
    const auto equal = results("and.b32 %r3, %r0, 2;" +
                               by_parity("match.any.sync.b32 %r1, %r3, -1;",
                                         "xor.b32 %r4, %r3, 2; match.any.sync.b32 %r1, %r4, -1;"));
    const auto all = results(by_parity("mov.b64 %rd1, 7; match.all.sync.b64 %r1|%p1, %rd1, -1;",
                                       "mov.b64 %rd2, 7; match.all.sync.b64 %r1|%p1, %rd2, -1;"));
    for (unsigned i = 0; i < 64; ++i) {
        EXPECT_EQ(sums[i], 31u * 32 / 2) << i;
        const bool second = (i & 2) != 0;
        EXPECT_EQ(equal[i], (i % 2 == 0) == second ? 0x66666666u : 0x99999999u) << i;
        EXPECT_EQ(all[i], ~0u) << i;
    }
}

TEST(Collective, WaitsForLanesInBranchesOfOuterBranches) {
    // Lanes 0 to 7, 8 to 15 and 16 to 31 are in three branches, two of them nested.
    const auto r = results(R"(
  setp.ge.u32 %p3, %r2, 16; @%p3 bra HIGH;
  setp.ge.u32 %p4, %r2, 8; @%p4 bra MIDDLE;
  redux.sync.add.u32 %r1, %r2, -1; bra.uni JOIN;
MIDDLE:
  add.u32 %r3, %r2, 100; redux.sync.add.u32 %r1, %r3, -1;
JOIN:
  add.u32 %r1, %r1, 1; bra.uni MEET;
HIGH:
  redux.sync.add.u32 %r1, 1, -1;
MEET:
)");
    const unsigned sum = 15u * 16 / 2 + 800 + 16;
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], sum + (i % 32 < 16 ? 1 : 0)) << i;
}

TEST(Collective, ReconvergesRepeatedlyInLoopsOfDifferentBranches) {
    const std::string step = "shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1; add.u32 %r1, %r1, %r4;";
    const auto r = results(
        "mov.u32 %r1, %r2; mov.u32 %r5, 0;" +
        by_parity("L0: " + step + "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 4; @%p1 bra L0;",
                  "L1: " + step +
                      "add.u32 %r1, %r1, 1; add.u32 %r5, %r5, 1;"
                      "setp.lt.u32 %p1, %r5, 4; @%p1 bra L1;"));
    for (unsigned i = 0; i < 64; i += 2) {
        unsigned even = i % 32, odd = even + 1;
        for (unsigned step_number = 0; step_number < 4; ++step_number) {
            const unsigned sum = even + odd;
            even = sum;
            odd = sum + 1;
        }
        EXPECT_EQ(r[i], even) << i;
        EXPECT_EQ(r[i + 1], odd) << i;
    }
}

TEST(Collective, WaitsForTheLanesOfItsMaskOnly) {
    // Lanes name the half of the warp in which they are; only those of one half are in two
    // branches.
    const auto r = results(
        "and.b32 %r3, %r2, 16; shl.b32 %r3, 0xffff, %r3;"
        "setp.lt.u32 %p4, %r2, 4; @%p4 bra FEW;\n redux.sync.add.u32 %r1, %r2, %r3; bra.uni MEET;"
        "\nFEW: redux.sync.add.u32 %r1, 1, %r3;\nMEET:");
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(r[i], i % 32 < 16 ? 4u + 15 * 16 / 2 - 6 : 31u * 32 / 2 - 15 * 16 / 2) << i;
}

/// Two functions that add to their argument the sum over the warp of what they contribute; the
/// second one has registers of other widths.
const std::string summing_functions = R"(
.func (.param .b32 r) first(.param .b32 n)
{
  .reg .b32 %r<8>; ld.param.u32 %r1, [n];
  redux.sync.add.u32 %r2, %r1, -1;
  add.u32 %r3, %r1, %r2; st.param.b32 [r+0], %r3; ret;
}
.func (.param .b32 r) second(.param .b32 n)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<3>; ld.param.u32 %r1, [n];
  cvt.u64.u32 %rd1, %r1; mul.lo.u64 %rd2, %rd1, 3; add.u64 %rd3, %rd2, %rd1;
  cvt.u32.u64 %r2, %rd3;
  redux.sync.add.u32 %r3, 1, -1;
  add.u32 %r4, %r2, %r3; st.param.b32 [r+0], %r4; ret;
}
)";

TEST(Collective, WaitsForLanesInOtherFunctionsAndPreservesTheirRegisters) {
    const std::string call = R"({ .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r2; call (b), NAME, (a); ld.param.b32 %r1, [b+0]; })";
    std::string even = call, odd = call;
    even.replace(even.find("NAME"), 4, "first");
    odd.replace(odd.find("NAME"), 4, "second");
    const auto r = results(by_parity(even, odd), summing_functions);
    const unsigned sum = 15u * 16 + 16;
    for (unsigned i = 0; i < 64; ++i) {
        const unsigned lane = i % 32;
        EXPECT_EQ(r[i], (i % 2 == 0 ? lane : 4 * lane) + sum) << i;
    }
}

/// Descends as many levels as the argument says, and takes part in a sum at the deepest of them.
const std::string descending_function = R"(
.func (.param .b32 r) descend(.param .b32 n)
{
  .reg .b32 %r<8>; .reg .pred %p<3>; ld.param.u32 %r1, [n];
  setp.eq.u32 %p1, %r1, 0; @%p1 bra BOTTOM;
  sub.u32 %r2, %r1, 1;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r2; call (b), descend, (a); ld.param.b32 %r3, [b+0]; }
  add.u32 %r4, %r3, %r1; st.param.b32 [r+0], %r4; ret;
BOTTOM:
  redux.sync.add.u32 %r5, 1, -1; st.param.b32 [r+0], %r5; ret;
}
)";

TEST(Collective, WaitsForLanesAtOtherDepthsOfRecursion) {
    const auto r = results(R"(
  and.b32 %r3, %r2, 7;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r3; call (b), descend, (a); ld.param.b32 %r1, [b+0]; }
)",
                           descending_function);
    for (unsigned i = 0; i < 64; ++i) {
        const unsigned levels = i & 7;
        EXPECT_EQ(r[i], 32 + levels * (levels + 1) / 2) << i;
    }
}

TEST(Collective, WaitsForLanesThatHaveReturnedFromACallEarlier) {
    // Lanes below 16 take part in the function, the others after it.
    const auto r = results(R"(
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a+0], %r2; call (b), low, (a); ld.param.b32 %r1, [b+0]; }
  setp.lt.u32 %p1, %r2, 16; @%p1 bra MEET;
  redux.sync.add.u32 %r1, %r2, -1;
MEET:
)",
                           R"(
.func (.param .b32 r) low(.param .b32 n)
{
  .reg .b32 %r<8>; .reg .pred %p<3>; ld.param.u32 %r1, [n];
  setp.ge.u32 %p1, %r1, 16; @%p1 bra OUT;
  redux.sync.add.u32 %r2, 1, -1; st.param.b32 [r+0], %r2; ret;
OUT:
  st.param.b32 [r+0], %r1; ret;
}
)");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], 31u * 32 / 2 - 15 * 16 / 2 + 16) << i;
}

TEST(Collective, ContinuesWithoutLanesThatWaitAtReconvergence) {
    const auto r = results(
        "mov.u32 %r1, 5; setp.ge.u32 %p1, %r2, 4; @%p1 bra MEET;\n"
        "redux.sync.add.u32 %r1, 1, -1;\nMEET:");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i % 32 < 4 ? 4u : 5u) << i;
}

TEST(Collective, OrdersAccessesOfLanesInDifferentBranches) {
    const std::string mine =
        "mov.u32 %r3, cells; shl.b32 %r4, %r2, 2; add.u32 %r3, %r3, %r4;"
        "xor.b32 %r5, %r3, 4;";
    const auto r = results(mine + by_parity("st.shared.u32 [%r3], %r2; bar.warp.sync -1;"
                                            "ld.shared.u32 %r1, [%r5];",
                                            "add.u32 %r6, %r2, 50; st.shared.u32 [%r3], %r6;"
                                            "bar.warp.sync -1; ld.shared.u32 %r1, [%r5];"),
                           ".shared .align 4 .b8 cells[128];\n", 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], i % 2 == 0 ? i + 51 : i - 1) << i;
}

TEST(Barrier, ReducesOverTheBlock) {
    const auto r = results(
        "setp.gt.u32 %p1, %r0, 40; bar.red.popc.u32 %r1, 0, %p1;"
        "bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, %p1;"
        "selp.u32 %r3, 100, 0, %p2; selp.u32 %r4, 1000, 0, %p3;"
        "add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], 1023u) << i;
}

TEST(Barrier, DoesNotBlockProducersThatOnlyArrive) {
    const auto r = results(R"(
  setp.lt.u32 %p1, %r0, 32;
  @%p1 bra CONSUME;
  st.shared.u32 [item], 42;
  bar.arrive 3, 64;
  mov.u32 %r1, 1;
  bra DONE;
CONSUME:
  bar.sync 3, 64;
  ld.shared.u32 %r1, [item];
DONE:
)",
                           ".shared .u32 item;\n");
    EXPECT_EQ(r[0], 42u);
    EXPECT_EQ(r[63], 1u);
}

TEST(Barrier, WithoutAlignedAcceptsLanesInDifferentBranches) {
    const auto r = results(R"(
  mul.wide.u32 %rd1, %r0, 4; mov.u64 %rd2, s; add.u64 %rd2, %rd2, %rd1;
  xor.b32 %r5, %r0, 33; mul.wide.u32 %rd3, %r5, 4; mov.u64 %rd4, s; add.u64 %rd4, %rd4, %rd3;
  st.shared.u32 [%rd2], %r0;
  rem.u32 %r6, %r0, 3; setp.eq.u32 %p1, %r6, 0; setp.eq.u32 %p2, %r6, 1;
  @%p1 bra A; @%p2 bra B;
  barrier.sync 3, 64; ld.shared.u32 %r1, [%rd4]; bra DONE;
A: barrier.sync 3, 64; ld.shared.u32 %r1, [%rd4]; add.u32 %r1, %r1, 1000; bra DONE;
B: barrier.sync 3, 64; ld.shared.u32 %r1, [%rd4]; add.u32 %r1, %r1, 2000;
DONE:
)",
                           ".shared .align 8 .b8 s[256];\n");
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(r[i], (i ^ 33) + 1000 * ((i + 1) % 3 != 0 ? i % 3 + 1 : 0)) << i;
}

TEST(Barrier, WithoutAlignedIsPredicatedPerLane) {
    const auto r = results(R"(
  mul.wide.u32 %rd1, %r0, 4; mov.u64 %rd2, s; add.u64 %rd2, %rd2, %rd1;
  xor.b32 %r5, %r0, 33; mul.wide.u32 %rd3, %r5, 4; mov.u64 %rd4, s; add.u64 %rd4, %rd4, %rd3;
  and.b32 %r6, %r0, 1; setp.eq.u32 %p1, %r6, 0; mov.u32 %r1, 7;
  @!%p1 st.shared.u32 [%rd2], %r0;
  @%p1 barrier.sync 0;
  @%p1 ld.shared.u32 %r1, [%rd4];
  @!%p1 barrier.cta.sync 0;
)",
                           ".shared .align 8 .b8 s[256];\n");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], i % 2 == 0 ? i ^ 33 : 7) << i;
}

TEST(Barrier, WithoutAlignedReducesOverLanesInDifferentBranchesAndFunctions) {
    const auto r = results(R"(
  setp.lt.u32 %p1, %r0, 45; setp.lt.u32 %p2, %r2, 10;
  @%p2 bra A;
  barrier.red.popc.u32 %r3, 1, !%p1; barrier.red.or.pred %p3, 2, %p2; bra DONE;
A: { .param .b32 a; .param .b32 q; selp.b32 %r4, 1, 0, %p1; st.param.b32 [a], %r4;
     call (q), counts, (a); ld.param.b32 %r3, [q]; }
  setp.eq.u32 %p4, %r0, 3; barrier.red.or.pred %p3, 2, %p4;
DONE: selp.u32 %r5, 1000, 0, %p3; add.u32 %r1, %r3, %r5;
)",
                           R"(
.func (.param .b32 r) counts (.param .b32 n)
{ .reg .b32 %r<3>; .reg .pred %p; ld.param.b32 %r1, [n]; setp.ne.u32 %p, %r1, 0;
  barrier.red.popc.u32 %r2, 1, %p; st.param.b32 [r], %r2; ret; }
)");
    unsigned count = 0;
    for (unsigned i = 0; i < 64; ++i) count += (i % 32 < 10) == (i < 45) ? 1 : 0;
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], count + 1000) << i;
}

TEST(Barrier, WithDifferentNumbersInAWarpIsAnError) {
    const std::string fault = fault_of([] {
        results(R"(
  setp.lt.u32 %p1, %r2, 5;
  @%p1 bra A;
  barrier.sync 1; bra DONE;
A: barrier.sync 2;
DONE: mov.u32 %r1, 0;
)");
    });
    EXPECT_NE(fault.find("divergent barrier"), std::string::npos) << fault;
}

TEST(Barrier, IsLeftInTheOrderOfTheWarps) {
    const auto r = results(
        "st.shared.u32 [order], 0; bar.sync 0; atom.shared.add.u32 %r1, [order], 1; bar.sync 0;"
        "atom.shared.add.u32 %r2, [order], 1; shl.b32 %r2, %r2, 8; add.u32 %r1, %r1, %r2;",
        ".shared .u32 order;\n", 96);
    for (unsigned i = 0; i < 96; ++i) {
        EXPECT_EQ((r[i] & 255u) / 32, i / 32) << i;
        EXPECT_EQ((r[i] >> 8) / 32, 3 + i / 32) << i;
    }
}

TEST(Barrier, DoesNotWaitForExitedWarps) {
    const auto r =
        results("mov.u32 %r1, 5; setp.gt.u32 %p1, %r0, 63; @%p1 exit; bar.sync 0;", "", 96);
    EXPECT_EQ(r[10], 5u);
    EXPECT_EQ(r[70], 0xdeadu);
}

TEST(Mbarrier, CompletesAPhaseWhenAllHaveArrived) {
    const auto r = results(R"(
  setp.eq.u32 %p1, %r0, 0;
  @%p1 mbarrier.init.shared.b64 [bar], 64;
  bar.sync 0;
  st.shared.u32 [item], 0;
  bar.sync 0;
  red.shared.add.u32 [item], 1;
  mbarrier.arrive.shared.b64 %rd1, [bar];
WAIT:
  mbarrier.test_wait.shared.b64 %p2, [bar], %rd1;
  @!%p2 bra WAIT;
  ld.shared.u32 %r1, [item];
)",
                           ".shared .align 8 .b64 bar;\n.shared .u32 item;\n");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(r[i], 64u) << i;
}

TEST(AsynchronousCopy, ZeroFillsBeyondTheSourceSize) {
    const auto r = results(R"(
  shl.b32 %r3, %r0, 4; mov.u32 %r4, tile; add.u32 %r4, %r4, %r3;
  mov.u64 %rd1, table; 
  cp.async.ca.shared.global [%r4], [%rd1], 16, 12;
  cp.async.commit_group; cp.async.wait_group 0;
  ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r4];
  mad.lo.u32 %r1, %r7, 10, %r8; mad.lo.u32 %r1, %r5, 100, %r1;
)",
                           ".shared .align 16 .b8 tile[1024];\n"
                           ".global .align 16 .u32 table[4] = {1, 2, 3, 4};\n");
    EXPECT_EQ(r[50], 130u);
}

/// A: m16n8k8 of tf32 with ones on the diagonal of its left half; D = A B.
const char* const product_with_identity = R"(
  shr.u32 %r3, %r2, 2; and.b32 %r4, %r2, 3;
  setp.eq.u32 %p1, %r3, %r4; selp.b32 %r5, 0x3f800000, 0, %p1;
  add.u32 %r6, %r4, 4; setp.eq.u32 %p2, %r3, %r6; selp.b32 %r7, 0x3f800000, 0, %p2;
  mov.b32 %r8, 0;
  mad.lo.u32 %r9, %r4, 8, %r3; cvt.rn.f32.u32 %r9, %r9;
  add.u32 %r10, %r4, 4; mad.lo.u32 %r10, %r10, 8, %r3; cvt.rn.f32.u32 %r10, %r10;
  mov.f32 %f9, 0f00000000;
  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4},
    {%r5, %r8, %r7, %r8}, {%r9, %r10}, {%f9, %f9, %f9, %f9};
  cvt.rzi.u32.f32 %r1, %f1;
)";

TEST(Matrix, MultipliesByTheIdentity) {
    const auto r = results(product_with_identity, "", 32);
    // D[row = lane / 4][column = lane % 4 * 2] = B[row][column].
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], i / 4 * 8 + i % 4 * 2) << i;
}

const char* const tile = ".shared .align 16 .b8 tile[256];\n";
const char* const filled_tile = R"(
  shl.b32 %r3, %r2, 3; mov.u32 %r4, tile; add.u32 %r5, %r4, %r3;
  shl.b32 %r6, %r2, 1; add.u32 %r7, %r6, 1;
  st.shared.v2.u32 [%r5], {%r6, %r7};
  bar.sync 0;
  and.b32 %r8, %r2, 7; shl.b32 %r8, %r8, 4; add.u32 %r8, %r4, %r8;
)";
const char* const load_of_rows = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r8];\n";

TEST(Matrix, LoadsRowsThatOtherLanesAddress) {
    const auto r = results(std::string(filled_tile) + load_of_rows, tile, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], i) << i;
}

/// A third of the lanes tests whether it exits, which none does. They reach the code after it
/// separately from the others.
std::string after_a_branch_that_keeps_lanes_apart(const std::string& what) {
    return "rem.u32 %r30, %r2, 3; setp.ne.u32 %p6, %r30, 0; @%p6 bra TOGETHER;\n"
           "setp.gt.u32 %p7, %r2, 99; @%p7 bra GONE;\nTOGETHER:" +
           what + "\nbra.uni STORE;\nGONE: exit;\nSTORE:";
}

TEST(Matrix, ReconvergesLanesOfABranchToMultiply) {
    const auto r = results(after_a_branch_that_keeps_lanes_apart(product_with_identity), "", 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], i / 4 * 8 + i % 4 * 2) << i;
}

TEST(Matrix, ReconvergesLanesOfABranchToLoadRows) {
    const auto r =
        results(filled_tile + after_a_branch_that_keeps_lanes_apart(load_of_rows), tile, 32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(r[i], i) << i;
}

TEST(Matrix, ReconvergesLanesOfABranchToTransposeRows) {
    // Element (row, column) is 8 * row + column; lane l has two of row l / 4.
    const auto r = results(
        "shl.b32 %r3, %r2, 1; add.u32 %r4, %r3, 1; shl.b32 %r4, %r4, 16; or.b32 %r3, %r3, %r4;" +
            after_a_branch_that_keeps_lanes_apart(
                "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r3;"),
        "", 32);
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned column = i / 4, row = i % 4 * 2;
        EXPECT_EQ(r[i], (8 * row + column) | (8 * (row + 1) + column) << 16) << i;
    }
}

}  // namespace
}  // namespace simtlm::execution

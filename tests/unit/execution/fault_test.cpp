// SPDX-License-Identifier: Apache-2.0
// Faults of programs are reported as by a debugger.
#include "tests/unit/execution/machine.h"

#include <gmock/gmock.h>

namespace simtlm::execution {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string fault(const std::string& body, unsigned threads = 64, const std::string& before = {},
                  const std::string& target = "sm_80") {
    machine m(before +
                  ".visible .entry k(.param .u64 out)\n{\n"
                  ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
                  "mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [out];\n"
                  "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n" +
                  body + "\nret;\n}\n",
              ".version 7.8\n.target " + target + "\n.address_size 64\n");
    m.memory().keep_apart();
    const auto out = m.buffer(std::vector<std::uint32_t>(48, 0));
    return fault_of([&] { m.run("k", {1, 1, 1}, {threads, 1, 1}, out); });
}

TEST(Fault, NamesTheThreadThatStoresBeyondAnAllocation) {
    EXPECT_THAT(fault("st.global.u32 [%rd1], %r0;"),
                AllOf(HasSubstr("test.ptx:9: kernel k, block (0,0,0), thread (48,0,0)"),
                      HasSubstr("access of 4 bytes"), HasSubstr("0 bytes behind allocation"),
                      HasSubstr("st.global.u32")));
}

TEST(Fault, NamesAMisalignedAddress) {
    EXPECT_THAT(fault("add.u64 %rd1, %rd1, 2; ld.global.u32 %r1, [%rd1];"),
                HasSubstr("not a multiple of the 4 bytes"));
}

TEST(Fault, ReportsNullPointers) {
    EXPECT_THAT(fault("mov.u64 %rd2, 0; ld.u32 %r1, [%rd2];"),
                HasSubstr("access of 4 bytes at 0x0, outside of all allocations"));
}

TEST(Fault, ReportsAccessesBeyondSharedMemory) {
    EXPECT_THAT(fault("shl.b32 %r1, %r0, 2; st.shared.u32 [%r1], %r0;", 64,
                      ".shared .align 4 .b8 s[64];\n"),
                HasSubstr("shared memory, which has"));
}

TEST(Fault, ReportsADivergentBarrier) {
    EXPECT_THAT(fault("setp.lt.u32 %p1, %r0, 7; @%p1 bar.sync 0;", 32),
                HasSubstr("divergent barrier"));
}

const char* const returns_early =
    "setp.ge.u32 %p1, %r0, 40; @%p1 bra END; st.shared.u32 [s], %r0; bar.sync 0;\n";

TEST(Fault, AcceptsABarrierOfAPartiallyReturnedLastWarp) {
    EXPECT_EQ(fault(std::string(returns_early) + "END:", 64, ".shared .u32 s;\n"), "");
    EXPECT_EQ(fault(std::string(returns_early) + "bra END; END: bra LAST; LAST:", 64,
                    ".shared .u32 s;\n"),
              "")
        << "by way of other branches";
}

TEST(Fault, ReportsABarrierThatOtherLanesSkip) {
    EXPECT_THAT(
        fault(std::string(returns_early) + "END: st.shared.u32 [s], %r0;", 64, ".shared .u32 s;\n"),
        HasSubstr("divergent barrier"));
}

TEST(Memory, IsMappedByPagesIfUnchecked) {
    const std::string code =
        ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
        "ld.param.u64 %rd0, [a]; mov.u32 %r0, 7; st.global.u32 [%rd0+512], %r0;\n"
        "ld.global.u32 %r1, [%rd0+512]; st.global.u32 [%rd0], %r1;\n"
        "ld.global.u32 %r2, [%rd0+-8]; ret;\n}\n";
    machine loose(code);
    const auto a = loose.buffer(std::vector<std::uint32_t>(4, 1));
    EXPECT_EQ(fault_of([&] { loose.run("k", {1, 1, 1}, {1, 1, 1}, a); }), "");
    EXPECT_EQ(loose.read<std::uint32_t>(a, 1)[0], 7u);
    const auto later = loose.allocate(1024);
    EXPECT_EQ(loose.read<std::uint32_t>(later, 256), std::vector<std::uint32_t>(256, 0))
        << "new memory is zeroed, whatever was written there before";
    EXPECT_THAT(fault_of([&] {
                    loose.run("k", {1, 1, 1}, {1, 1, 1}, a + (4u << 20));
                }),
                HasSubstr("outside of all allocations"));

    machine strict(code);
    strict.memory().keep_apart();
    const auto b = strict.buffer(std::vector<std::uint32_t>(4, 1));
    EXPECT_THAT(fault_of([&] {
                    strict.run("k", {1, 1, 1}, {1, 1, 1}, b);
                }),
                HasSubstr("496 bytes behind allocation"));
}

TEST(Fault, ReportsALocalArrayIndexedFarBeyondItsEnd) {
    for (const char* access :
         {"ld.local.u32 %r1, [%r2];", "cvta.local.u64 %rd2, %rd2; ld.u32 %r1, [%rd2];"})
        EXPECT_THAT(
            fault(std::string(".local .align 4 .b8 v[16]; mov.u32 %r2, v; mov.u64 %rd2, v;\n"
                              "add.u32 %r2, %r2, 16777216; add.u64 %rd2, %rd2, 16777216;\n") +
                      access,
                  1),
            testing::AnyOf(HasSubstr("of local memory"), HasSubstr("outside of all")))
            << access;
}

TEST(Fault, RejectsAConstantOffsetBeyondTheParameters) {
    for (const char* offset : {"4096", "100000000", "4294967296", "-8"})
        EXPECT_THAT(fault_of([&] {
                        machine m(std::string(".visible .entry k(.param .u64 p)\n{\n"
                                              ".reg .b64 %rd<2>;\nld.param.u64 %rd0, [p+") +
                                  offset + "];\nret;\n}\n");
                    }),
                    AllOf(HasSubstr("test.ptx:7"), HasSubstr("of the kernel's parameters")))
            << offset;
}

TEST(Fault, RejectsVariablesThatTheirMemoryCannotHold) {
    EXPECT_THAT(fault_of([] {
                    machine m(
                        ".shared .b8 s[4294967295];\n.visible .entry k()\n{\n"
                        ".reg .b64 %rd<2>; mov.u64 %rd0, s; ret;\n}\n");
                }),
                AllOf(HasSubstr("test.ptx:4"), HasSubstr("s has 4294967295 bytes")));
    EXPECT_THAT(fault_of([] {
                    machine m(".visible .entry k()\n{\n.local .b8 s[4294967360];\n ret;\n}\n");
                }),
                HasSubstr("s has 4294967360 bytes"));
}

TEST(Fault, EndsARecursionOfFunctionsWithoutFrames) {
    machine m(
        ".func g();\n.func f() { call g; ret; }\n.func g() { call f; ret; }\n"
        ".visible .entry k() { call f; ret; }\n");
    EXPECT_THAT(fault_of([&] { m.run("k", {1, 1, 1}, {1, 1, 1}); }), HasSubstr("stack overflow"));
}

TEST(Fault, ReportsABarrierWithoutOtherArrivals) {
    EXPECT_THAT(fault("setp.lt.u32 %p1, %r0, 32; @!%p1 bra E; bar.sync 1, 64;\nE:"),
                AllOf(HasSubstr("waits for ever at a barrier"), HasSubstr("bar.sync")));
}

TEST(Fault, NamesALockAmongLanesOfAWarpBeforeSm70) {
    // Each lane takes the lock and releases it after the loop, where it waits for the others.
    EXPECT_THAT(fault("LOOP: atom.shared.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p1, %r1, 0;\n"
                      "@%p1 bra LOOP;\nst.shared.u32 [lock], 0;",
                      32, ".shared .u32 lock;\n", "sm_61"),
                AllOf(HasSubstr("a lock among the lanes of a warp"), HasSubstr("test.ptx:")));
}

TEST(Fault, ReportsALockThatIsNeverReleased) {
    // Lanes of a warp make progress independently, but the lock is never released.
    EXPECT_THAT(fault("LOOP: atom.shared.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p1, %r1, 0;\n"
                      "@%p1 bra LOOP;\n",
                      32, ".shared .u32 lock;\n"),
                AllOf(HasSubstr("waits for ever"), HasSubstr("test.ptx:")));
}

TEST(Fault, ReportsATrap) {
    EXPECT_THAT(fault("setp.eq.u32 %p1, %r0, 33; @%p1 trap;"),
                AllOf(HasSubstr("thread (33,0,0)"), HasSubstr("traps")));
}

TEST(Fault, RejectsAnInstructionOfALaterTargetWhenALaneExecutesIt) {
    machine m(R"(
.visible .entry newer(.param .u32 n)
{
  .reg .f32 %f<4>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u32 %r1, [n]; setp.ne.u32 %p, %r1, 0;
  @%p tcgen05.shift.cta_group::1.down [%r1];
  ret;
}
)",
              ".version 8.6\n.target sm_100a\n.address_size 64\n");
    m.run("newer", {1, 1, 1}, {32, 1, 1}, 0u);
    const std::string fault = fault_of([&] { m.run("newer", {1, 1, 1}, {32, 1, 1}, 1u); });
    EXPECT_NE(fault.find("test.ptx:9:"), std::string::npos) << fault;
    EXPECT_NE(fault.find("tcgen05.shift"), std::string::npos) << fault;
}

TEST(Fault, RejectsInvalidLaunches) {
    machine m(".visible .entry k() .reqntid 32 { ret; }");
    EXPECT_THAT(fault_of([&] { m.run("k", {1, 1, 1}, {64, 1, 1}); }), HasSubstr(".reqntid"));
    EXPECT_THAT(fault_of([&] { m.run("k", {1, 1, 1}, {2048, 1, 1}); }), HasSubstr("2048 threads"));
    EXPECT_EQ(fault_of([&] { m.run("k", {1, 1, 1}, {32, 1, 1}); }), "");
}

}  // namespace
}  // namespace simtlm::execution

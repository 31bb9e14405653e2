// SPDX-License-Identifier: Apache-2.0
// What a program does wrong is told as a debugger would tell it.
#include "tests/unit/execution/machine.h"

#include <gmock/gmock.h>

namespace simtlm::execution {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string fault(const std::string& body, unsigned threads = 64, const std::string& before = {}) {
    machine m(before +
              ".visible .entry k(.param .u64 out)\n{\n"
              ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
              "mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [out];\n"
              "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n" +
              body + "\nret;\n}\n");
    const auto out = m.buffer(std::vector<std::uint32_t>(48, 0));
    return fault_of([&] { m.run("k", {1, 1, 1}, {threads, 1, 1}, out); });
}

TEST(Fault, NamesTheThreadThatStoresBehindAnAllocation) {
    EXPECT_THAT(fault("st.global.u32 [%rd1], %r0;"),
                AllOf(HasSubstr("test.ptx:9: kernel k, block (0,0,0), thread (48,0,0)"),
                      HasSubstr("access of 4 bytes"), HasSubstr("0 bytes behind allocation"),
                      HasSubstr("st.global.u32")));
}

TEST(Fault, NamesAMisalignedAddress) {
    EXPECT_THAT(fault("add.u64 %rd1, %rd1, 2; ld.global.u32 %r1, [%rd1];"),
                HasSubstr("not a multiple of the 4 bytes"));
}

TEST(Fault, TellsNullPointers) {
    EXPECT_THAT(fault("mov.u64 %rd2, 0; ld.u32 %r1, [%rd2];"),
                HasSubstr("access of 4 bytes at 0x0, outside of all allocations"));
}

TEST(Fault, TellsSharedMemoryThatABlockDoesNotHave) {
    EXPECT_THAT(fault("shl.b32 %r1, %r0, 2; st.shared.u32 [%r1], %r0;", 64,
                      ".shared .align 4 .b8 s[64];\n"),
                HasSubstr("shared memory, which has"));
}

TEST(Fault, TellsADivergentBarrier) {
    EXPECT_THAT(fault("setp.lt.u32 %p1, %r0, 7; @%p1 bar.sync 0;", 32),
                HasSubstr("divergent barrier"));
}

TEST(Fault, TellsABarrierThatNobodyElseComesTo) {
    EXPECT_THAT(fault("setp.lt.u32 %p1, %r0, 32; @!%p1 bra E; bar.sync 1, 64;\nE:"),
                AllOf(HasSubstr("waits for ever at a barrier"), HasSubstr("bar.sync")));
}

TEST(Fault, NamesALockAmongLanesOfAWarp) {
    // Each lane takes the lock and frees it behind the loop, where it waits for the others.
    EXPECT_THAT(fault("LOOP: atom.shared.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p1, %r1, 0;\n"
                      "@%p1 bra LOOP;\nst.shared.u32 [lock], 0;",
                      32, ".shared .u32 lock;\n"),
                AllOf(HasSubstr("a lock among the lanes of a warp"), HasSubstr("test.ptx:")));
}

TEST(Fault, TellsATrap) {
    EXPECT_THAT(fault("setp.eq.u32 %p1, %r0, 33; @%p1 trap;"),
                AllOf(HasSubstr("thread (33,0,0)"), HasSubstr("traps")));
}

TEST(Fault, RefusesLaunchesThatCannotBe) {
    machine m(".visible .entry k() .reqntid 32 { ret; }");
    EXPECT_THAT(fault_of([&] { m.run("k", {1, 1, 1}, {64, 1, 1}); }), HasSubstr(".reqntid"));
    EXPECT_THAT(fault_of([&] { m.run("k", {1, 1, 1}, {2048, 1, 1}); }), HasSubstr("2048 threads"));
    EXPECT_EQ(fault_of([&] { m.run("k", {1, 1, 1}, {32, 1, 1}); }), "");
}

}  // namespace
}  // namespace simtlm::execution

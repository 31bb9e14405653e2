// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/register_allocation.h"

#include "modules/ptx/parser.h"

#include <gtest/gtest.h>

#include <string>

namespace simtlm::ptx {
namespace {

struct assigned {
    module m;
    register_allocation registers;

    explicit assigned(const std::string& body, bool share = true)
        : m(parse(
              ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
              ".reg .pred %p<4>; .reg .b32 %r<2000>; .reg .b64 %rd<4>;\n" +
                  body + "\nret;\n}\n",
              "test.ptx")) {
        const function& f = m.functions[0];
        registers = allocate_registers(f, analyse_control_flow(m, f), share);
    }
    /// Slot of %r<n>: registers are numbered in the order of their declaration.
    std::uint32_t word(unsigned n) const { return registers.index_of[4 + n]; }
};

TEST(RegisterAllocation, FollowLiveRangesNotTheNumberOfNames) {
    std::string body = "mov.u32 %r0, %tid.x;\n";
    for (unsigned i = 1; i < 2000; ++i)
        body += "add.u32 %r" + std::to_string(i) + ", %r" + std::to_string(i - 1) + ", 1;\n";
    body += "st.global.u32 [%rd0], %r1999;";
    EXPECT_LE(assigned(body).registers.registers[register_allocation::word], 8u);
    EXPECT_EQ(assigned(body, false).registers.registers[register_allocation::word], 2000u);
}

TEST(RegisterAllocation, DifferForOverlappingLiveRanges) {
    const assigned a(
        "mov.u32 %r0, 1; mov.u32 %r1, 2; add.u32 %r2, %r0, %r1;\n"
        "st.global.u32 [%rd0], %r2; st.global.u32 [%rd0], %r0;");
    EXPECT_NE(a.word(0), a.word(1));
    EXPECT_NE(a.word(0), a.word(2));
    EXPECT_NE(a.word(1), a.word(2)) << "a result and an operand of one instruction";
}

TEST(RegisterAllocation, KeepAValueThroughALoop) {
    const assigned a(
        "mov.u32 %r0, 7; mov.u32 %r1, 0;\n"
        "L: mov.u32 %r2, 3; add.u32 %r3, %r2, %r0; add.u32 %r1, %r1, %r3;\n"
        "setp.lt.u32 %p0, %r1, 100; @%p0 bra L;\n"
        "mov.u32 %r4, 9; st.global.u32 [%rd0], %r4;");
    for (const unsigned other : {1u, 2u, 3u}) EXPECT_NE(a.word(0), a.word(other));
}

TEST(RegisterAllocation, AreExclusiveForPossiblyUninitializedRegisters) {
    const assigned a(
        "mov.u32 %r1, 5; st.global.u32 [%rd0], %r1;\n"
        "setp.eq.u32 %p0, %r1, 5; @%p0 mov.u32 %r0, 1; st.global.u32 [%rd0], %r0;\n"
        "mov.u32 %r2, 5; mov.u32 %r3, 5; mov.u32 %r4, 6;\n"
        "st.global.v2.u32 [%rd0], {%r2, %r3}; st.global.u32 [%rd0], %r4;");
    for (const unsigned other : {1u, 2u, 3u, 4u}) EXPECT_NE(a.word(0), a.word(other));
}

TEST(RegisterAllocation, StayAllocatedUntilAnUnreadLoadCompletes) {
    // In the timing model its data arrive after later instructions have issued.
    const assigned a(
        "ld.volatile.global.u32 %r0, [%rd0]; mov.u32 %r1, 5;\n"
        "st.global.u32 [%rd0], %r1; mov.u32 %r2, 6; mov.u32 %r3, 7;\n"
        "st.global.v2.u32 [%rd0], {%r2, %r3};");
    for (const unsigned other : {1u, 2u, 3u}) EXPECT_NE(a.word(0), a.word(other));
}

}  // namespace
}  // namespace simtlm::ptx

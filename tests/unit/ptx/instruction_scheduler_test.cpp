// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/instruction_scheduler.h"

#include "modules/ptx/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace simtlm::ptx {
namespace {

using ::testing::ElementsAre;

/// Opcodes of a kernel's instructions in scheduled order.
std::vector<std::string> scheduled(const std::string& body) {
    module m = parse(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<20>;\n" +
            body + "\nret;\n}\n",
        "test.ptx");
    schedule_instructions(m);
    std::vector<std::string> order;
    for (const instruction& i : m.functions[0].code) order.push_back(m.text_of(m.functions[0], i));
    return order;
}

TEST(InstructionScheduler, IssuesLoadsBeforeTheUsesOfEarlierOnes) {
    EXPECT_THAT(
        scheduled("ld.global.f32 %f1, [%rd1];\n"
                  "fma.rn.f32 %f0, %f1, %f1, %f0;\n"
                  "ld.global.f32 %f2, [%rd1+4];\n"
                  "fma.rn.f32 %f0, %f2, %f2, %f0;"),
        ElementsAre("ld.global.f32 %f1, [%rd1];", "ld.global.f32 %f2, [%rd1+4];",
                    "fma.rn.f32 %f0, %f1, %f1, %f0;", "fma.rn.f32 %f0, %f2, %f2, %f0;", "ret;"));
}
TEST(InstructionScheduler, KeepsALoadAfterAStoreThatItMayAlias) {
    const std::vector<std::string> order = scheduled(
        "ld.global.f32 %f1, [%rd1];\n"
        "st.global.f32 [%rd2], %f1;\n"
        "ld.global.f32 %f2, [%rd1+4];\n"
        "st.global.f32 [%rd2+4], %f2;");
    EXPECT_THAT(
        order, ElementsAre("ld.global.f32 %f1, [%rd1];", "st.global.f32 [%rd2], %f1;",
                           "ld.global.f32 %f2, [%rd1+4];", "st.global.f32 [%rd2+4], %f2;", "ret;"));
}
TEST(InstructionScheduler, MovesALoadBeforeAStoreToAnotherStateSpaceAndAReadOnlyLoad) {
    EXPECT_THAT(scheduled("ld.global.f32 %f1, [%rd1];\n"
                          "st.shared.f32 [%rd2], %f1;\n"
                          "ld.global.f32 %f2, [%rd1+4];\n"
                          "st.shared.f32 [%rd2+4], %f2;")[1],
                "ld.global.f32 %f2, [%rd1+4];");
    EXPECT_THAT(scheduled("ld.global.f32 %f1, [%rd1];\n"
                          "st.global.f32 [%rd2], %f1;\n"
                          "ld.global.nc.f32 %f2, [%rd1+4];\n"
                          "st.global.f32 [%rd2+4], %f2;")[1],
                "ld.global.nc.f32 %f2, [%rd1+4];");
}
TEST(InstructionScheduler, KeepsTheOrderOfClockReadsBarriersAndVolatileLoads) {
    for (const char* fixed :
         {"mov.u32 %r3, %clock;", "bar.sync 0;", "ld.volatile.global.u32 %r3, [%rd3];",
          "atom.global.add.u32 %r3, [%rd3], 1;", "membar.gl;"})
        EXPECT_THAT(scheduled(std::string("add.u32 %r1, %r1, 1;\n") + fixed +
                              "\nld.global.u32 %r2, [%rd1];\nadd.u32 %r4, %r2, 1;"),
                    ElementsAre("add.u32 %r1, %r1, 1;", fixed, "ld.global.u32 %r2, [%rd1];",
                                "add.u32 %r4, %r2, 1;", "ret;"));
}
TEST(InstructionScheduler, KeepsRegistersThatAreWrittenAgain) {
    EXPECT_THAT(scheduled("ld.global.u32 %r1, [%rd1];\n"
                          "add.u32 %r2, %r1, 1;\n"
                          "ld.global.u32 %r1, [%rd1+4];\n"
                          "add.u32 %r3, %r1, 1;"),
                ElementsAre("ld.global.u32 %r1, [%rd1];", "add.u32 %r2, %r1, 1;",
                            "ld.global.u32 %r1, [%rd1+4];", "add.u32 %r3, %r1, 1;", "ret;"));
}
TEST(InstructionScheduler, KeepsCarriesAndGuardedWrites) {
    EXPECT_THAT(scheduled("add.cc.u32 %r1, %r2, %r3;\n"
                          "addc.cc.u32 %r4, %r5, %r6;\n"
                          "addc.u32 %r7, %r8, %r9;"),
                ElementsAre("add.cc.u32 %r1, %r2, %r3;", "addc.cc.u32 %r4, %r5, %r6;",
                            "addc.u32 %r7, %r8, %r9;", "ret;"));
    EXPECT_THAT(scheduled("ld.global.u32 %r1, [%rd1];\n"
                          "mov.u32 %r2, 1;\n"
                          "@%p1 mov.u32 %r2, %r1;\n"
                          "add.u32 %r3, %r2, 1;"),
                ElementsAre("ld.global.u32 %r1, [%rd1];", "mov.u32 %r2, 1;",
                            "@%p1 mov.u32 %r2, %r1;", "add.u32 %r3, %r2, 1;", "ret;"));
}
TEST(InstructionScheduler, PrioritizesTheConditionOfALoopBranch) {
    const std::vector<std::string> order = scheduled(
        "again:\n"
        "fma.rn.f32 %f0, %f1, %f1, %f0;\n"
        "fma.rn.f32 %f0, %f1, %f1, %f0;\n"
        "add.u32 %r1, %r1, 1;\n"
        "setp.lt.u32 %p1, %r1, %r2;\n"
        "@%p1 bra again;");
    EXPECT_EQ(order[0], "add.u32 %r1, %r1, 1;");
    EXPECT_EQ(order[4], "@%p1 bra again;");
}

}  // namespace
}  // namespace simtlm::ptx

// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/scheduling.h"

#include <gtest/gtest.h>

namespace simtlm::isa {
namespace {

using program::op_class;
using program::scheduling_class;
using program::static_instruction;

/// Class of an opcode; unknown opcodes count as memory.
scheduling_class of(std::string_view opcode) {
    return scheduling_class_of(opcode, scheduling_class::memory);
}

TEST(SchedulingClass, FollowsTheOpcodeOfMachineCodeWithoutItsModifiers) {
    EXPECT_EQ(of("FFMA"), scheduling_class::fp32);
    EXPECT_EQ(of("FFMA.FTZ"), scheduling_class::fp32);
    EXPECT_EQ(of("ISETP.GE.U32.AND"), scheduling_class::alu);
    EXPECT_EQ(of("HMMA.16816.F32"), scheduling_class::mma);
    EXPECT_EQ(of("MUFU.RSQ"), scheduling_class::xu);
    EXPECT_EQ(of("BAR.SYNC"), scheduling_class::barrier);
    EXPECT_EQ(of("ULDC.64"), scheduling_class::uniform);
}

TEST(SchedulingClass, DistinguishesWideMultiplications) {
    EXPECT_EQ(of("IMAD"), scheduling_class::imad);
    EXPECT_EQ(of("IMAD.MOV.U32"), scheduling_class::imad);
    EXPECT_EQ(of("IMAD.WIDE.U32"), scheduling_class::imad_wide);
    EXPECT_EQ(of("IMAD.HI"), scheduling_class::imad_wide);
    EXPECT_EQ(of("mul.lo.s32"), scheduling_class::imad);
    EXPECT_EQ(of("mad.wide.u32"), scheduling_class::imad_wide);
}

TEST(SchedulingClass, FollowsTheTypeOfPtxArithmetic) {
    EXPECT_EQ(of("add.s32"), scheduling_class::alu);
    EXPECT_EQ(of("add.rn.f32"), scheduling_class::fp32);
    EXPECT_EQ(of("fma.rn.f16x2"), scheduling_class::half);
    EXPECT_EQ(of("add.f64"), scheduling_class::fp64);
    EXPECT_EQ(of("setp.lt.f64"), scheduling_class::fp64);
    EXPECT_EQ(of("setp.lt.s32"), scheduling_class::alu);
}

TEST(SchedulingClass, DistinguishesConversionsOf64Bits) {
    for (const char* wide : {"F2F.F64.F32", "F2F.F32.F64", "F2I.S64.TRUNC", "I2F.U64", "FRND.F64",
                             "cvt.f64.f32", "cvt.rzi.s32.f64", "cvt.rn.f32.u64"})
        EXPECT_EQ(of(wide), scheduling_class::xu64) << wide;
    for (const char* narrow :
         {"F2F.F16.F32", "F2I.TRUNC.NTZ", "I2F.S8", "cvt.rn.f32.s32", "cvt.s64.s32", "cvt.u32.u64"})
        EXPECT_EQ(of(narrow), scheduling_class::xu) << narrow;
}

TEST(SchedulingClass, OfABarrierWithinAWarpIsThatOfABranch) {
    EXPECT_EQ(of("bar.warp.sync"), scheduling_class::branch);
    EXPECT_EQ(of("bar.sync"), scheduling_class::barrier);
}

TEST(SchedulingClass, OfPtxWithoutAllModifiersFollowsTheOpcode) {
    EXPECT_EQ(of("mbarrier.try_wait"), scheduling_class::special);
    EXPECT_EQ(of("wgmma.mma_async.sp.sync"), scheduling_class::mma);
    EXPECT_EQ(of("wgmma.commit_group"), scheduling_class::special);
}

TEST(SchedulingClass, OfAnOpcodeThatIsNotKnownIsLeftToTheCaller) {
    EXPECT_EQ(of("FROBNICATE.X"), scheduling_class::memory);
    EXPECT_EQ(scheduling_class_of("FROBNICATE", scheduling_class::xu), scheduling_class::xu);
}

scheduling_class of_instruction(static_instruction i) {
    set_scheduling_class(i);
    return i.scheduling;
}

TEST(SchedulingClass, OfAnInstructionWithoutAKnownOpcodeFollowsItsUnit) {
    static_instruction i;
    i.opcode = "FROBNICATE";
    i.cls = op_class::sfu;
    EXPECT_EQ(of_instruction(i), scheduling_class::xu);
    i.cls = op_class::dp;
    EXPECT_EQ(of_instruction(i), scheduling_class::fp64);
    i.opcode = "FFMA";
    EXPECT_EQ(of_instruction(i), scheduling_class::fp32) << "the opcode knows better";
}

}  // namespace
}  // namespace simtlm::isa

// SPDX-License-Identifier: Apache-2.0
#include "modules/program/control_assigner.h"

#include "modules/isa/scheduling.h"

#include <gtest/gtest.h>

#include <deque>
#include <initializer_list>

namespace simtlm::program {
namespace {

struct code {
    std::deque<static_instruction> kept;
    std::vector<scheduled_block> blocks{1};

    const static_instruction& add(const char* opcode, std::initializer_list<unsigned> dst,
                                  std::initializer_list<unsigned> src,
                                  op_class cls = op_class::alu) {
        static_instruction i;
        i.opcode = opcode;
        i.cls = cls;
        i.is_load = cls == op_class::load;
        i.is_store = cls == op_class::store;
        for (const unsigned d : dst) i.dst[i.n_dst++] = static_cast<std::uint16_t>(d);
        for (const unsigned s : src) i.src[i.n_src++] = static_cast<std::uint16_t>(s);
        isa::set_scheduling_class(i);
        kept.push_back(i);
        blocks.back().code.push_back(&kept.back());
        return kept.back();
    }
    /// Begins the next block; the previous one falls through to it.
    void block() {
        blocks.back().successors.push_back(static_cast<unsigned>(blocks.size()));
        blocks.emplace_back();
    }
    std::vector<std::vector<control_bits>> assign(unsigned version = 80) {
        return control_assigner(dependence_latencies::of(version)).assign(blocks);
    }
};

TEST(ControlAssigner, StallsAProducerForTheLatencyOfItsReader) {
    code c;
    c.add("FFMA", {1}, {2, 3, 4});
    c.add("FFMA", {5}, {1, 3, 4});   // FMA to FMA: 4
    c.add("IADD3", {6}, {5, 3, 4});  // FMA to ALU: 5
    c.add("MOV", {7}, {6});          // ALU to ALU: 4
    c.add("EXIT", {}, {});
    const auto b = c.assign()[0];
    EXPECT_EQ(b[0].stall, 4);
    EXPECT_EQ(b[1].stall, 5);
    EXPECT_EQ(b[2].stall, 4);
}

TEST(ControlAssigner, CountsInstructionsBetweenAsCyclesOfTheLatency) {
    code c;
    c.add("FFMA", {1}, {2, 3, 4});
    c.add("FFMA", {5}, {2, 3, 4});
    c.add("FFMA", {6}, {2, 3, 4});
    c.add("FFMA", {7}, {1, 3, 4});
    const auto b = c.assign()[0];
    EXPECT_EQ(b[0].stall, 1);
    EXPECT_EQ(b[1].stall, 1);
    EXPECT_EQ(b[2].stall, 2);
}

TEST(ControlAssigner, WaitsForALoadByItsCounter) {
    code c;
    c.add("LDG.E", {1}, {2}, op_class::load);
    c.add("FADD", {3}, {4, 4});
    c.add("FADD", {5}, {1, 4});
    const auto b = c.assign()[0];
    ASSERT_NE(b[0].write_barrier, control_bits::no_barrier);
    EXPECT_EQ(b[1].wait_mask, 0);
    EXPECT_EQ(b[2].wait_mask, 1u << b[0].write_barrier);
}

TEST(ControlAssigner, SeparatesAProducerAndAnAdjacentReaderByACycle) {
    code c;
    c.add("LDG.E", {1}, {2}, op_class::load);
    c.add("FADD", {5}, {1, 4});
    EXPECT_EQ(c.assign()[0][0].stall, 2);
}

TEST(ControlAssigner, AssignsDistinctCountersToLoadsWhileAvailable) {
    code c;
    for (unsigned r = 1; r <= 6; ++r) c.add("LDG.E", {r}, {20}, op_class::load);
    const auto b = c.assign()[0];
    unsigned used = 0;
    for (const control_bits& x : b) used |= 1u << x.write_barrier;
    EXPECT_EQ(used, 0x3fu);
}

TEST(ControlAssigner, ProtectsTheOperandsOfAStoreFromALaterWrite) {
    code c;
    c.add("STG.E", {}, {2, 3}, op_class::store);
    c.add("IADD3", {9}, {9});
    c.add("IADD3", {3}, {9});
    const auto b = c.assign()[0];
    ASSERT_NE(b[0].read_barrier, control_bits::no_barrier);
    EXPECT_EQ(b[1].wait_mask, 0);
    EXPECT_EQ(b[2].wait_mask, 1u << b[0].read_barrier);
}

TEST(ControlAssigner, PropagatesPendingDependencesToSuccessorsAndAroundLoops) {
    code c;
    c.add("LDG.E", {1}, {2}, op_class::load);
    c.block();
    c.add("FADD", {3}, {1, 3});  // reads the results of both loads
    c.add("LDG.E", {1}, {2}, op_class::load);
    c.add("BRA", {}, {}, op_class::branch);
    c.blocks[1].successors = {1};
    const auto b = c.assign();
    EXPECT_EQ(b[1][0].wait_mask, 1u << b[0][0].write_barrier | 1u << b[1][1].write_barrier);
}

TEST(ControlAssigner, KeepsAPredicateThirteenCyclesFromABranch) {
    code c;
    c.add("ISETP.GE.AND", {}, {1, 2});
    c.add("BRA", {}, {}, op_class::branch);
    const auto b = c.assign()[0];
    EXPECT_EQ(b[0].stall, 13);
    EXPECT_TRUE(b[0].yield);  // otherwise it would not count
}

TEST(ControlAssigner, ReusesAnOperandOfTheSameSlot) {
    code c;
    c.add("FFMA", {1}, {2, 3, 4});
    c.add("FFMA", {5}, {2, 6, 4});
    const auto b = c.assign()[0];
    EXPECT_EQ(b[0].reuse, 0b101);
    EXPECT_EQ(b[1].reuse, 0);
}

TEST(ControlAssigner, AppliesTheLowerRateOfTuringsUnits) {
    code c;
    c.add("HFMA2", {1}, {2, 3, 4});
    c.add("HFMA2", {5}, {1, 3, 4});
    EXPECT_EQ(c.assign(75)[0][0].stall, 6);
    EXPECT_EQ(c.assign(80)[0][0].stall, 5);
}

TEST(SchedulingClass, FollowsTheOpcodeOfMachineCodeAndPtx) {
    using sc = scheduling_class;
    using isa::scheduling_class_of;
    EXPECT_EQ(scheduling_class_of("FFMA.FTZ", sc::alu), sc::fp32);
    EXPECT_EQ(scheduling_class_of("IMAD.WIDE.U32", sc::alu), sc::imad_wide);
    EXPECT_EQ(scheduling_class_of("IMAD.MOV.U32", sc::alu), sc::imad);
    EXPECT_EQ(scheduling_class_of("MUFU.RCP", sc::alu), sc::xu);
    EXPECT_EQ(scheduling_class_of("fma.rn.f32", sc::alu), sc::fp32);
    EXPECT_EQ(scheduling_class_of("fma.rn.f64", sc::alu), sc::fp64);
    EXPECT_EQ(scheduling_class_of("fma.rn.f16x2", sc::alu), sc::half);
    EXPECT_EQ(scheduling_class_of("add.s32", sc::fp32), sc::alu);
    EXPECT_EQ(scheduling_class_of("mad.lo.s32", sc::alu), sc::imad);
    EXPECT_EQ(scheduling_class_of("mul.wide.s32", sc::alu), sc::imad_wide);
    EXPECT_EQ(scheduling_class_of("setp.lt.f64", sc::alu), sc::fp64);
    EXPECT_EQ(scheduling_class_of("setp.lt.s32", sc::fp32), sc::alu);
    EXPECT_EQ(scheduling_class_of("cvt.rn.f32.s32", sc::alu), sc::xu);
    EXPECT_EQ(scheduling_class_of("F2F.F16.F32", sc::alu), sc::xu);
    for (const char* packed :
         {"F2FP.F16.F32.PACK_AB", "I2FP.F32.S32", "I2IP.S8.S32.SAT", "F2IP.U8"})
        EXPECT_EQ(scheduling_class_of(packed, sc::xu), sc::alu) << packed;
    EXPECT_EQ(scheduling_class_of("UIADD3", sc::alu), sc::uniform);
    EXPECT_EQ(scheduling_class_of("SOMETHING", sc::half), sc::half);
}

}  // namespace
}  // namespace simtlm::program

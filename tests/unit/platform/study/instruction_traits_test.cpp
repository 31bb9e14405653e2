// SPDX-License-Identifier: Apache-2.0
#include "platform/study/instruction_traits.h"

#include <gtest/gtest.h>

namespace simtlm::platform::study {
namespace {

TEST(InstructionTraits, TellTheMemoryAndTheBytesOfALane) {
    struct expected {
        const char* opcode;
        memory_space space;
        double bytes;
    };
    const expected all[] = {{"LDG.E.SYS", memory_space::global, 4},
                            {"LDG.E.128", memory_space::global, 16},
                            {"STG.E.U8", memory_space::global, 1},
                            {"LDS.64", memory_space::shared, 8},
                            {"LDC.64", memory_space::constant, 8},
                            {"STL", memory_space::local, 4},
                            {"FFMA", memory_space::none, 0},
                            {"ld.param.u64", memory_space::constant, 8},
                            {"ld.global.v4.f32", memory_space::global, 16},
                            {"st.shared.u16", memory_space::shared, 2},
                            {"atom.global.add.u32", memory_space::global, 4}};
    for (const expected& e : all) {
        const instruction_traits t = instruction_traits::of(e.opcode);
        EXPECT_EQ(e.space, t.space) << e.opcode;
        EXPECT_EQ(e.bytes, t.lane_bytes) << e.opcode;
    }
    EXPECT_EQ(4, instruction_traits::of("LDG.E").ideal_sectors(32));
    EXPECT_EQ(1, instruction_traits::of("LDG.E").ideal_sectors(1));
    EXPECT_EQ(4, instruction_traits::of("LDS.128").ideal_shared_cycles(32));
}

TEST(InstructionTraits, CountFloatingPointOperations) {
    struct expected {
        const char* opcode;
        flop_kind kind;
        double each;
    };
    const expected all[] = {
        {"FFMA", flop_kind::fp32, 2},
        {"FADD.FTZ", flop_kind::fp32, 1},
        {"HFMA2", flop_kind::fp16, 4},
        {"DMUL", flop_kind::fp64, 1},
        {"HMMA.16816.F32", flop_kind::tensor, 2. * 16 * 8 * 16},
        {"HMMA.884.F32.F32.STEP0", flop_kind::tensor, 2. * 8 * 8 * 4},
        {"fma.rn.f32", flop_kind::fp32, 2},
        {"mul.f64", flop_kind::fp64, 1},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", flop_kind::tensor, 2. * 16 * 8 * 8},
        {"add.s32", flop_kind::none, 0},
        {"IMAD", flop_kind::none, 0}};
    for (const expected& e : all) {
        const instruction_traits t = instruction_traits::of(e.opcode);
        EXPECT_EQ(e.kind, t.flops_of) << e.opcode;
        EXPECT_EQ(e.each, t.flops_per_lane) << e.opcode;
    }
}

TEST(InstructionTraits, NameThePipeline) {
    EXPECT_EQ("FP32", instruction_traits::of("FFMA").pipeline);
    EXPECT_EQ("load/store", instruction_traits::of("STS").pipeline);
    EXPECT_EQ("special functions and conversions", instruction_traits::of("MUFU.RCP").pipeline);
    EXPECT_EQ("tensor cores", instruction_traits::of("HMMA.1688.F32").pipeline);
    EXPECT_EQ("ALU", instruction_traits::of("setp.lt.u32").pipeline);
    EXPECT_EQ("", instruction_traits::of("").pipeline);
}

}  // namespace
}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/decode.h"

#include "modules/isa/opcode_tables.h"

#include <gtest/gtest.h>

namespace {

using namespace simtlm::isa;
using namespace simtlm::program;

class Decode : public ::testing::Test {
protected:
    Decode() {
        options.latencies[op_class::sp] = {4, 2};
        options.latencies[op_class::integer] = {5, 3};
        options.latencies[op_class::alu] = {6, 1};
    }

    static_instruction decoded(const char* opcode, unsigned version = 80) {
        text.opcode = opcode;
        const opcode_entry* entry = tables.find(version, base_opcode(opcode));
        EXPECT_NE(entry, nullptr) << opcode;
        return entry == nullptr ? static_instruction{} : decode(*entry, text, options);
    }

    opcode_tables tables = opcode_tables::builtin();
    decode_options options;
    instruction_text text;
};

TEST_F(Decode, TakesLatencyFromTheClass) {
    EXPECT_EQ(decoded("FFMA").latency, 4);
    EXPECT_EQ(decoded("IMAD.MOV.U32").latency, 5);
    EXPECT_EQ(decoded("MOV").latency, 6);
    EXPECT_EQ(decoded("LDG.E").latency, 1);
}

TEST_F(Decode, HalvesTheIntervalOfPackedHalfPrecisionButNeverBelowOne) {
    EXPECT_EQ(decoded("FFMA").initiation_interval, 2);
    EXPECT_EQ(decoded("HFMA2.MMA").initiation_interval, 1);
    EXPECT_EQ(decoded("HMUL2").initiation_interval, 2);
    options.latencies[op_class::sp].initiation_interval = 1;
    EXPECT_EQ(decoded("HADD2.F32").initiation_interval, 1);
}

TEST_F(Decode, ReadsTheAccessWidthFromTheOpcode) {
    EXPECT_EQ(decoded("LDG.E").data_size, 4);
    EXPECT_EQ(decoded("LDG.E.64.SYS").data_size, 8);
    EXPECT_EQ(decoded("LDGSTS.E.BYPASS.LTC128B.128").data_size, 16);
    EXPECT_EQ(decoded("LDG.E.U8.SYS").data_size, 1);
    EXPECT_EQ(decoded("LDS.U.128").data_size, 16);
    EXPECT_EQ(decoded("LDG.E.S16").data_size, 2);
    EXPECT_EQ(decoded("RED.E.ADD.F64.RN").data_size, 8);
    EXPECT_EQ(decoded("LDG.E.99999").data_size, 4);
    EXPECT_EQ(decoded("FADD.64").data_size, 0);
    options.quirks.typed_width_is_word = true;
    EXPECT_EQ(decoded("LDG.E.S16").data_size, 4);
    EXPECT_EQ(decoded("LDG.E.U16").data_size, 2);
}

TEST_F(Decode, ServesStrongGpuLoadsAndAtomicsAtTheSecondLevel) {
    EXPECT_EQ(decoded("LDG.E.STRONG.GPU").cache_op, cache_operator::cache_global);
    EXPECT_EQ(decoded("LDG.E.STRONG.SYS").cache_op, cache_operator::cache_all);
    EXPECT_EQ(decoded("STG.E.STRONG.GPU").cache_op, cache_operator::cache_all);
    EXPECT_EQ(decoded("LDL.LU.64").cache_op, cache_operator::last_use);
    EXPECT_EQ(decoded("LDL.64").cache_op, cache_operator::cache_all);
    const static_instruction atomic = decoded("ATOMG.E.ADD.STRONG.GPU");
    EXPECT_TRUE(atomic.is_load && atomic.is_atomic && !atomic.is_store);
    EXPECT_EQ(atomic.cache_op, cache_operator::cache_global);
    EXPECT_EQ(atomic.space, memory_space::global);
    EXPECT_EQ(atomic.cls, op_class::load);
    EXPECT_EQ(decoded("ATOMS.POPC.INC.32").space, memory_space::shared);
}

TEST_F(Decode, BypassesTheL1ForAsynchronousCopiesExceptUnderTheQuirk) {
    EXPECT_EQ(decoded("LDGSTS.E.BYPASS.128").cache_op, cache_operator::cache_global);
    EXPECT_EQ(decoded("LDGSTS.E.128").cache_op, cache_operator::cache_all);
    options.quirks.ldgsts_uses_l1 = true;
    EXPECT_EQ(decoded("LDGSTS.E.BYPASS.128").cache_op, cache_operator::cache_all);
}

TEST_F(Decode, LoadsConstantsThroughTheConstantCacheExceptUnderTheQuirk) {
    static_instruction ldc = decoded("LDC.64");
    EXPECT_EQ(ldc.cls, op_class::load);
    EXPECT_EQ(ldc.space, memory_space::constant);
    EXPECT_TRUE(ldc.is_load);
    EXPECT_EQ(ldc.data_size, 4);
    options.quirks.ldc_is_alu = true;
    ldc = decoded("LDC.64");
    EXPECT_EQ(ldc.cls, op_class::alu);
    EXPECT_FALSE(ldc.is_memory());
    EXPECT_EQ(ldc.latency, 6);
}

TEST_F(Decode, MarksAsynchronousCopiesAndTheirBarriers) {
    EXPECT_EQ(decoded("LDGSTS.E.128").special, special_op::ldgsts);
    EXPECT_EQ(decoded("LDGDEPBAR").special, special_op::ldgdepbar);
    text.n_immediates = 1;
    text.immediates[0] = 3;
    const static_instruction wait = decoded("DEPBAR.LE");
    EXPECT_EQ(wait.special, special_op::depbar);
    EXPECT_EQ(wait.immediate, 3);
    EXPECT_EQ(decoded("LDSM.16.M88.4").special, special_op::ldsm);
    EXPECT_EQ(decoded("LDSM.16.M88.4").data_size, 16);
    EXPECT_EQ(decoded("WARPSYNC").special, special_op::warp_sync);
}

TEST_F(Decode, DecodesTheBarrierDetailsOfTheLine) {
    EXPECT_EQ(decoded("BAR.SYNC").barrier_id, -1) << "no immediates: not told";
    EXPECT_EQ(decoded("BAR.ARV").barrier, barrier_kind::arrive);
    EXPECT_EQ(decoded("BAR.RED.POPC").barrier, barrier_kind::reduction);
    text.n_immediates = 1;
    text.immediates[0] = 1;
    EXPECT_EQ(decoded("BAR.SYNC").barrier_id, 1);
    EXPECT_EQ(decoded("BAR.SYNC").barrier_threads, 0);
    text.immediates[0] = 128;
    EXPECT_EQ(decoded("BAR.SYNC").barrier_id, -1) << "a lone thread count";
    EXPECT_EQ(decoded("BAR.SYNC").barrier_threads, 128);
    text.n_immediates = 2;
    text.immediates[0] = 2;
    text.immediates[1] = 64;
    EXPECT_EQ(decoded("BAR.SYNC").barrier_id, 2);
    EXPECT_EQ(decoded("BAR.SYNC").barrier_threads, 64);
    text.n_src = 1;
    EXPECT_EQ(decoded("BAR.SYNC").barrier_id, -1) << "named by a register";
    options.quirks.single_barrier = true;
    EXPECT_EQ(decoded("BAR.ARV").barrier_id, 0);
    EXPECT_EQ(decoded("BAR.ARV").barrier, barrier_kind::sync);
    EXPECT_EQ(decoded("BAR.ARV").barrier_threads, 0);
}

TEST_F(Decode, KeepsRegistersInTheOrderOfTheTrace) {
    text.n_dst = 1;
    text.dst[0] = 4;
    text.n_src = 3;
    text.src[0] = 255;
    text.src[1] = 7;
    text.src[2] = 7;
    const static_instruction i = decoded("FFMA");
    ASSERT_EQ(i.n_dst, 1);
    ASSERT_EQ(i.n_src, 3);
    EXPECT_EQ(i.dst[0], 4);
    EXPECT_EQ(i.src[0], register_zero);
    EXPECT_EQ(i.src[1], 7);
    EXPECT_EQ(i.src[2], 7);
    options.quirks.rz_is_a_register = true;
    EXPECT_EQ(decoded("FFMA").src[0], 255);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/signature.h"
#include "tests/unit/ptx/ptx_text.h"

#include <set>

namespace simtlm::ptx {
namespace {

using testing::Test;

TEST(PtxInstruction, KeepsOpcodeTypesAndModifiers) {
    const module m = parse_kernel("fma.rn.ftz.sat.f32 %f1, %f2, %f3, 0f3F800000;");
    EXPECT_EQ(op(m, 0).op, opcode::fma);
    EXPECT_EQ(op(m, 0).round, rounding::rn);
    EXPECT_TRUE(op(m, 0).has(flag::ftz));
    EXPECT_TRUE(op(m, 0).has(flag::sat));
    EXPECT_EQ(op(m, 0).types[0], type::f32);
    EXPECT_EQ(op(m, 0).text, "fma.rn.ftz.sat.f32");
    EXPECT_EQ(arg(m, 0, 3).value, 0x3f800000);
    EXPECT_EQ(code(m, 0).operand_count, 4);
    EXPECT_EQ(code(m, 0).result_count, 1);
}

TEST(PtxInstruction, HasAFormForEachOpcode) {
    std::set<opcode> with_form;
    for (const signature& s : signatures()) with_form.insert(s.row->op);
    for (std::uint16_t n = 0; n < static_cast<std::uint16_t>(opcode::later); ++n)
        EXPECT_EQ(with_form.count(static_cast<opcode>(n)), 1U) << name_of(static_cast<opcode>(n));
}

TEST(PtxInstruction, AcceptsModifiersInAnyOrderAndTypesInFixedOrder) {
    const module m = parse_kernel(
        "ld.volatile.global.v2.u32 {%r1, %r2}, [%rd1+8];\n"
        "ld.v2.u32.global.volatile {%r1, %r2}, [%rd1+8];\n"
        "cvt.f32.rn.s32 %f1, %r1;");
    for (std::size_t n : {0U, 1U}) {
        EXPECT_EQ(op(m, n).space, state_space::global);
        EXPECT_EQ(op(m, n).order, semantics::volatile_);
        EXPECT_EQ(op(m, n).vector, 2);
        EXPECT_EQ(arg(m, n, 1).kind, operand_kind::address_register);
        EXPECT_EQ(arg(m, n, 1).value, 8);
    }
    EXPECT_EQ(op(m, 2).types[0], type::f32);
    EXPECT_EQ(op(m, 2).types[1], type::s32);
}

TEST(PtxInstruction, SharesOneOperationAmongEqualOpcodes) {
    const module m =
        parse_kernel("add.u32 %r1, %r2, 1;\nadd.u32 %r3, %r1, 2;\nsub.u32 %r3, %r1, 2;");
    EXPECT_EQ(code(m, 0).operation, code(m, 1).operation);
    EXPECT_NE(code(m, 0).operation, code(m, 2).operation);
}

TEST(PtxInstruction, AssignsOptionalOperandsFixedPositions) {
    const module m = parse_kernel(
        "setp.lt.s32 %p1, %r1, %r2;\nsetp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;\n"
        "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;\nshfl.sync.down.b32 %r1, %r2, 1, 31, -1;");
    EXPECT_EQ(arg(m, 0, 1).kind, operand_kind::none);
    EXPECT_EQ(arg(m, 0, 4).kind, operand_kind::none);
    EXPECT_EQ(arg(m, 1, 1).kind, operand_kind::reg);
    EXPECT_TRUE(arg(m, 1, 4).negated);
    EXPECT_EQ(arg(m, 2, 1).type, type::pred);
    EXPECT_EQ(arg(m, 3, 1).kind, operand_kind::none);
    EXPECT_EQ(arg(m, 2, 5).value, arg(m, 3, 5).value);
    EXPECT_EQ(code(m, 3).result_count, 2);
}

TEST(PtxInstruction, FindsTheOptionalThreadCountBeforeThePredicateOfABarrier) {
    const module m = parse_kernel(
        "bar.red.popc.u32 %r1, 0, !%p1;\nbar.red.popc.u32 %r1, 0, 64, %p1;\nbarrier.cta.sync 1;\n"
        "bar.sync 0;");
    EXPECT_EQ(arg(m, 0, 2).kind, operand_kind::none);
    EXPECT_TRUE(arg(m, 0, 3).negated);
    EXPECT_EQ(arg(m, 1, 2).value, 64);
    EXPECT_EQ(op(m, 2).op, opcode::bar_sync);
    EXPECT_FALSE(op(m, 2).has(flag::aligned));
    EXPECT_TRUE(op(m, 3).has(flag::aligned));
}

TEST(PtxInstruction, ConvertsConstantsToTheTypeOfTheirOperand) {
    const module m = parse_kernel(
        "mov.u16 %h1, 65537;\nmov.s32 %r1, 0xFFFFFFFF;\nmov.u32 %r1, -1;\nmov.f64 %fd1, 1.5;\n"
        "mov.f32 %f1, 1.5;\nmov.f64 %fd1, 0f3FC00000;\nmov.u32 %r1, (1 + 2) * WARP_SZ;\n"
        "mov.s64 %rd1, 0b101 << 3;\nmov.u32 %r1, 017;\nmov.u32 %r1, 5 > 3 ? 7 : 9;\n"
        "mov.u64 %rd1, 0xFFFFFFFFFFFFFFFFU;\nmov.b32 %r1, 0f40000000;");
    EXPECT_EQ(arg(m, 0, 1).value, 1);
    EXPECT_EQ(arg(m, 1, 1).value, -1);
    EXPECT_EQ(arg(m, 2, 1).value, 0xffffffff);
    EXPECT_EQ(arg(m, 3, 1).value, 0x3ff8000000000000);
    EXPECT_EQ(arg(m, 4, 1).value, 0x3fc00000);
    EXPECT_EQ(arg(m, 5, 1).value, 0x3ff8000000000000);
    EXPECT_EQ(arg(m, 6, 1).value, 96);
    EXPECT_EQ(arg(m, 7, 1).value, 40);
    EXPECT_EQ(arg(m, 8, 1).value, 15);
    EXPECT_EQ(arg(m, 9, 1).value, 7);
    EXPECT_EQ(arg(m, 10, 1).value, -1);
    EXPECT_EQ(arg(m, 11, 1).value, 0x40000000);
}

TEST(PtxInstruction, PacksAndUnpacksVectorsWithMov) {
    const module m = parse_kernel(
        "mov.b64 %rd1, {%r1, %r2};\nmov.b64 {%r3, _}, %rd1;\nmov.b32 %f1, {%h1, %h2};\n"
        "mov.v4.f32 v, {%f1, %f2, %f3, 0f00000000};\nmov.f32 %f1, v.y;");
    const function& f = *m.find_function("k");
    EXPECT_EQ(arg(m, 0, 1).count, 2U);
    EXPECT_EQ(f.element_of(arg(m, 1, 0), 1).kind, operand_kind::sink);
    EXPECT_EQ(arg(m, 3, 0).count, 4U);
    EXPECT_EQ(arg(m, 4, 1).index, f.element_of(arg(m, 3, 0), 1).index);
}

TEST(PtxInstruction, ReadsAddressesOfEveryKind) {
    const module m = parse_kernel(
        "ld.shared.u32 %r1, [s+4];\nld.shared.u32 %r1, s[3];\nld.local.u32 %r1, [16];\n"
        "ld.global.u32 %r1, [%rd1+-4];\nmov.u32 %r1, s;\nmov.u64 %rd1, g+8;\nld.param.u64 %rd1, "
        "[p];");
    EXPECT_EQ(arg(m, 0, 1).kind, operand_kind::address_variable);
    EXPECT_EQ(arg(m, 0, 1).value, 4);
    EXPECT_EQ(arg(m, 1, 1).value, 12);
    EXPECT_EQ(arg(m, 2, 1).kind, operand_kind::address_absolute);
    EXPECT_EQ(arg(m, 3, 1).value, -4);
    EXPECT_EQ(arg(m, 4, 1).kind, operand_kind::variable);
    EXPECT_EQ(m.variables[arg(m, 5, 1).index].name, "g");
    EXPECT_EQ(arg(m, 5, 1).value, 8);
    EXPECT_TRUE(m.variables[arg(m, 6, 1).index].parameter);
}

TEST(PtxInstruction, ReadsSpecialRegisters) {
    const module m =
        parse_kernel("mov.u32 %r1, %tid.y;\nmov.u64 %rd1, %clock64;\nmov.b32 %r1, %envreg31;");
    EXPECT_EQ(arg(m, 0, 1).index, static_cast<std::uint32_t>(special_register::tid));
    EXPECT_EQ(arg(m, 0, 1).count, 1U);
    EXPECT_EQ(arg(m, 1, 1).index, static_cast<std::uint32_t>(special_register::clock64));
    EXPECT_EQ(arg(m, 2, 1).count, 31U);
}

TEST(PtxInstruction, AddsAConstantToARegisterBeforeItsUse) {
    const module m = parse_kernel("@%p1 st.shared.u32 [%r1], %r2+8;");
    EXPECT_EQ(op(m, 0).op, opcode::add);
    EXPECT_EQ(arg(m, 0, 2).value, 8);
    EXPECT_EQ(code(m, 0).guard, code(m, 1).guard);
    EXPECT_EQ(arg(m, 1, 1).index, arg(m, 0, 0).index);
}

TEST(PtxInstruction, DistinguishesTextureSamplerAndCoordinates) {
    const module m = parse_kernel(
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f5, %f6}];\n"
        "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f5, %f6}], %f7;\n"
        "suld.b.1d.b32.clamp %r1, [sf, {%r2}];");
    EXPECT_EQ(arg(m, 0, 2).kind, operand_kind::address_variable);
    EXPECT_EQ(arg(m, 0, 3).kind, operand_kind::none);
    EXPECT_EQ(arg(m, 0, 4).count, 2U);
    EXPECT_EQ(arg(m, 1, 3).kind, operand_kind::address_register);
    EXPECT_EQ(arg(m, 1, 5).kind, operand_kind::reg);
    EXPECT_EQ(op(m, 2).surface_bounds, bounds::clamp);
    EXPECT_EQ(arg(m, 2, 2).count, 1U);
}

TEST(PtxInstruction, ChecksTheNumberOfRegistersOfAFragment) {
    EXPECT_EQ(refusal_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "
                         "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};"),
              "");
    EXPECT_THAT(refusal_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "
                           "{%r1,%r2}, {%r5,%r6}, {%f1,%f2,%f3,%f4};"),
                testing::HasSubstr("a vector of 4"));
    EXPECT_THAT(refusal_of("wmma.load.a.sync.aligned.row.m8n8k4.f16 {%r1}, [%rd1];"),
                testing::HasSubstr("is no matrix operation"));
}

TEST(PtxInstruction, RequiresTheOperandsOfCombinedModifiers) {
    EXPECT_EQ(
        refusal_of("setp.lt.and.s32 %p1, %r1, %r2, %p2;\nvadd.s32.s32.s32.add %r1, %r2, %r3, %r4;"),
        "");
    EXPECT_THAT(refusal_of("setp.lt.and.s32 %p1, %r1, %r2;"),
                testing::HasSubstr("lacks an operand"));
    EXPECT_THAT(refusal_of("setp.lt.s32 %p1, %r1, %r2, %p2;"),
                testing::HasSubstr("too many operands"));
    EXPECT_THAT(refusal_of("vadd.s32.s32.s32.add %r1, %r2, %r3;"),
                testing::HasSubstr("lacks an operand"));
    EXPECT_THAT(refusal_of("shfl.sync.up.b32 %r1, %r2, 1, 0;"),
                testing::HasSubstr("lacks an operand"));
    EXPECT_THAT(refusal_of("ld.acquire.global.u32 %r1, [%rd1];"),
                testing::HasSubstr("lacks a scope"));
    EXPECT_THAT(refusal_of("ld.gpu.global.u32 %r1, [%rd1];"),
                testing::HasSubstr("has a scope without"));
    EXPECT_THAT(refusal_of("min.xorsign.f32 %f1, %f2, %f3;"),
                testing::HasSubstr("one of .xorsign and .abs"));
    EXPECT_THAT(refusal_of("min.abs.f32 %f1, %f2, %f3;"), testing::HasSubstr("lacks an operand"));
    EXPECT_THAT(refusal_of("div.f32 %f1, %f2, %f3;"),
                testing::HasSubstr("lacks its rounding or .approx"));
}

TEST(PtxInstruction, ReadsTheOperandOfACacheHint) {
    const module m = parse_kernel(
        "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;\n"
        "cp.async.ca.shared.global.L2::cache_hint [%r1], [%rd1], 8, %rd2;\n"
        "cp.async.ca.shared.global [%r1], [%rd1], 8, %r2;");
    EXPECT_EQ(arg(m, 0, 2).kind, operand_kind::reg);
    EXPECT_EQ(arg(m, 1, 3).kind, operand_kind::none);
    EXPECT_EQ(arg(m, 1, 4).type, type::b64);
    EXPECT_EQ(arg(m, 2, 3).type, type::b32);
    EXPECT_EQ(op(m, 2).source_space, state_space::global);
}

TEST(PtxInstruction, RejectsLaterIsaWhenItExecutes) {
    const module m = parse_kernel(
        "multimem.st.global.f32 [%rd1], %f1;\n"
        "multimem.ld_reduce.global.add.f32 %f1, [%rd1];");
    for (std::size_t n = 0; n < 2; ++n) EXPECT_EQ(op(m, n).op, opcode::later) << n;
    EXPECT_EQ(op(m, 0).text, "multimem.st.global.f32");
}

TEST(PtxInstruction, ReadsAtomicsOfVectorsAndReductionsInOtherCtas) {
    const module m = parse_kernel(
        "atom.global.v2.f32.add {%f1, %f2}, [%rd1], {%f3, %f4};\n"
        "red.relaxed.gpu.global.add.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};\n"
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r1], "
        "%r2, "
        "[%r3];");
    EXPECT_EQ(op(m, 0).op, opcode::atom);
    EXPECT_EQ(op(m, 0).vector, 2);
    EXPECT_EQ(op(m, 1).op, opcode::red);
    EXPECT_EQ(op(m, 1).vector, 4);
    EXPECT_EQ(op(m, 2).op, opcode::red_async);
    EXPECT_EQ(op(m, 2).reduce, reduction::max);
}

TEST(PtxInstruction, HidesAsManyRegistersInAScopeAsItDeclares) {
    const module m = parse_kernel(
        "mov.u32 %r5, 1;\n{ .reg .u32 %r<3>;\nmov.u32 %r2, %r5;\n}\nmov.u32 %r2, %r5;");
    EXPECT_EQ(arg(m, 1, 1).index, arg(m, 0, 0).index) << "the outer %r5";
    EXPECT_NE(arg(m, 1, 0).index, arg(m, 2, 0).index) << "the %r2 of the scope";
}

TEST(PtxInstruction, ReadsBulkCopiesAndTheirSpaces) {
    const module m = parse_kernel(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        ".L2::cache_hint [%r1], [%rd1], 128, [%r2], 3, %rd2;\n"
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], %r3, "
        "[%r4];\n"
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], 64;\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%r1], [%rd1, {%r2, %r3}], [%r4];\n"
        "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%rd1, {%r2, %r3, %r4}], [%r1];");
    EXPECT_EQ(op(m, 0).op, opcode::cp_async_bulk);
    EXPECT_EQ(op(m, 0).space, state_space::shared);
    EXPECT_EQ(op(m, 0).source_space, state_space::global);
    EXPECT_TRUE(op(m, 0).has(flag::multicast));
    EXPECT_EQ(arg(m, 0, 4).type, type::b16);
    EXPECT_EQ(arg(m, 0, 5).type, type::b64);
    EXPECT_EQ(op(m, 1).source_space, state_space::shared);
    EXPECT_EQ(op(m, 2).reduce, reduction::add);
    EXPECT_EQ(op(m, 3).op, opcode::cp_async_bulk_tensor);
    EXPECT_EQ(op(m, 3).count, 2);
    EXPECT_EQ(op(m, 4).space, state_space::global);
    EXPECT_EQ(op(m, 4).count, 3);
}

TEST(PtxInstruction, ReadsWarpgroupProductsWithAInSharedMemoryOrRegisters) {
    const module m = parse_kernel(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, "
        "1, -1, 0, 1;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, "
        "{%r1, %r2, %r3, %r4}, %rd2, %p1, 1, 1, 1;\n"
        "wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.u8 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, "
        "%r8}, %rd1, %rd2, %p1;");
    for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(op(m, n).op, opcode::wgmma_mma_async) << n;
    EXPECT_EQ(op(m, 2).shape.n, 16);
    EXPECT_EQ(arg(m, 0, 7).value, 1);
    EXPECT_EQ(arg(m, 1, 1).count, 4u);
    EXPECT_NE(refusal_of("wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f1, %f2, %f3, %f4}, "
                         "%rd1, %rd2, %p1, 1, 1, 0, 0;")
                  .find("is no matrix operation that exists"),
              std::string::npos);
}

TEST(PtxInstruction, ReportsTheErrorAndTheExpectedSyntax) {
    EXPECT_EQ(refusal_of("adf.u32 %r1, %r2, %r3;"),
              "k.ptx:21:1: unknown instruction 'adf'; the nearest name is 'add'");
    EXPECT_EQ(
        refusal_of("add.u32 %r1, %r2, 1.5;"),
        "k.ptx:21:19: 'add.u32' does not take a floating-point constant here (expected a constant "
        "of type .u32)");
    EXPECT_EQ(
        refusal_of("add.u32 %r1, %f2, 1;"),
        "k.ptx:21:14: 'add.u32' does not take '%f2' of type .f32 here (expected a register of type "
        ".u32)");
    EXPECT_EQ(refusal_of("add.u32 %r1, %r2;"), "k.ptx:21:1: 'add.u32' lacks an operand (it has 2)");
    EXPECT_EQ(refusal_of("add.u32 %r1, %r2, 1, 2;"),
              "k.ptx:21:22: 'add.u32' has too many operands (expected 3)");
    EXPECT_EQ(refusal_of("mov.u64 %rd1, calle;"),
              "k.ptx:21:15: 'calle' is not declared (the nearest name is 'callee')");
    EXPECT_THAT(refusal_of("add.wide.u32 %r1, %r2, 1;"),
                testing::HasSubstr("'.wide' does not belong here"));
    EXPECT_THAT(refusal_of("bra nowhere;"), testing::HasSubstr("there is no label 'nowhere' here"));
}

class PtxRefusal : public testing::TestWithParam<const char*> {};
TEST_P(PtxRefusal, HasALocation) {
    EXPECT_EQ(refusal_of(GetParam()).substr(0, 7), "k.ptx:2") << GetParam();
}
INSTANTIATE_TEST_SUITE_P(
    AsByNvidiasAssembler, PtxRefusal,
    testing::Values("add.u64 %rd1, %r1, %rd2;", "add.u32 %r1, %tid.x, 1;", "and.u32 %r1, %r1, %r2;",
                    "mov.f32 %f1, 0x3f800000;", "mov.b32 %r1, 1.0;", "setp.lt.b32 %p1, %r1, %r2;",
                    "setp.lo.s32 %p1, %r1, %r2;", "setp.num.s32 %p1, %r1, %r2;",
                    "mul.s32 %r1, %r2, %r3;", "mul.wide.s32 %r1, %r2, %r3;", "popc.b32 %rd1, %r1;",
                    "neg.u32 %r1, %r2;", "shl.b32 %r1, %r2, %rd1;", "fma.f32 %f1, %f2, %f3, %f3;",
                    "cvt.rn.s32.s32 %r1, %r1;", "cvt.u32.f32 %r1, %f1;", "cvt.f32.s32 %f1, %r1;",
                    "cvt.rn.f64.f32 %fd1, %f1;", "ld.global.u8 %f2, [%rd1];",
                    "ld.global.v4.u32 {%r1, %r2, %r3}, [%rd1];", "st.shared.u32 [%r1], s;",
                    "ld.global.u32 %r1, [s];", "ld.shared.u32 %r1, [%f2];",
                    "ld.global.u32 %r1, [%rd1+%rd2];", "atom.global.and.u32 %r1, [%rd1], %r2;",
                    "atom.global.add.s64 %rd1, [%rd1], %rd2;", "lop3.b32 %r1, %r2, %r3, %r4, %r5;",
                    "bar.sync;", "mov.b16 %h1, {%r1, %r2};", "mov.u32 %r1, {%h1, %h2};",
                    "add.sat.u32 %r1, %r1, %r2;", "call callee, (%r1);", "call (%r1), k, (%r2);",
                    "@%r1 ret;", ".reg .b32 %r1<3>, %r<4>;", "ret", "add.u32 %r1 %r2, 1;",
                    "mov.u32 %r1, 1/0;", "mov.u32 %r1, 99999999999999999999;", "bra;", "{", "}"));

TEST(PtxInstruction, OfALaterArchitectureIsAcceptedUntilItIsExecuted) {
    const std::string body =
        "\n.address_size 64\n.visible .entry k() {\n.reg .f32 %f<4>; .reg .pred %p;\n"
        "@%p clusterlaunchcontrol.x %f1, %f2, 0xffffffff;\nfrobnicate.x2 {%f1, %f2}, [%f3], "
        "later;\n"
        "mov.f32 %f1, %f2;\nret;\n}\n";
    const module m = parse(".version 8.6\n.target sm_100a" + body, "k.ptx");
    EXPECT_EQ(op(m, 0).op, opcode::later);
    EXPECT_EQ(op(m, 0).text, "clusterlaunchcontrol.x");
    EXPECT_NE(code(m, 0).guard, no_index);
    EXPECT_EQ(op(m, 1).text, "frobnicate.x2");
    EXPECT_EQ(op(m, 2).op, opcode::mov);
    EXPECT_EQ(code(m, 2).operand_count, 2);
    EXPECT_NE(refusal(".version 8.6\n.target sm_90a" + body), "");
}

TEST(PtxInstruction, CallThroughARegisterFitsTheSignatureOfItsTable) {
    const auto refused = [](const std::string& table, const std::string& call) {
        return refusal(std::string(header) +
                       ".func (.reg .u32 r) f (.reg .u32 a) { mov.u32 r, a; ret; }\n"
                       ".func g (.reg .u32 a) { ret; }\n.global .u64 t[1] = {f};\n"
                       ".global .u64 n[1];\n.visible .entry k() {\n"
                       ".reg .b64 %rd<4>; .reg .b32 %r<4>;\nmov.u64 %rd1, f;\n" +
                       table + "\n" + call + "\nret;\n}");
    };
    using ::testing::HasSubstr;
    EXPECT_EQ(refused("X: .calltargets f;", "call (%r1), %rd1, (%r2), X;"), "");
    EXPECT_EQ(refused("", "call (%r1), %rd1, (%r2), t;"), "");
    EXPECT_THAT(refused("X: .calltargets f, g;", "call (%r1), %rd1, (%r2), X;"),
                HasSubstr("1 results"));
    EXPECT_THAT(refused("X: .calltargets f;", "call (%rd2), %rd1, (%r2), X;"),
                HasSubstr("another size"));
    EXPECT_THAT(
        refused("X: .callprototype (.reg .u32 _) _ (.reg .u64 _);", "call (%r1), %rd1, (%r2), X;"),
        HasSubstr("another size"));
    EXPECT_THAT(refused("", "call (%r1), %rd1, (%r2), n;"), HasSubstr("possible functions"));
    EXPECT_THAT(refused("", "call (%r1), %rd1, (%r2);"), HasSubstr("possible functions"));
}

}  // namespace
}  // namespace simtlm::ptx

// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ptx/ptx_text.h"

namespace simtlm::ptx {
namespace {

TEST(PtxModule, ReadsItsHeader) {
    const module m = parse(
        "// comment\n.version 7.8 /* more */\n.target sm_86, texmode_independent\n"
        ".address_size 32\n.file 1 \"a.cu\", 12, 34\n.file 2 \"b.h\"\n.file 7 \"/tmp\" \"a.cl\"\n",
        "m.ptx");
    EXPECT_EQ(m.file_name(7), "/tmp/a.cl");
    EXPECT_EQ(m.version_major, 7U);
    EXPECT_EQ(m.version_minor, 8U);
    EXPECT_EQ(m.architecture, 86U);
    EXPECT_EQ(m.target_options, std::vector<std::string>{"texmode_independent"});
    EXPECT_EQ(m.address_size, 32U);
    EXPECT_EQ(m.file_name(2), "b.h");
    EXPECT_EQ(m.file_name(3), "");
}

TEST(PtxModule, SkipsDebugSectionsAndPaddingAfterTheText) {
    const std::string text = std::string(header) +
                             ".section .debug_str\n{\n$L_str: .b8 95, 0 // {\n.b64 $L_str\n}\n"
                             "@@DWARF .section .debug_info\n" +
                             std::string(7, '\0');
    EXPECT_EQ(refusal(text), "");
}

TEST(PtxModule, FollowsLocationsThroughInlinedFunctions) {
    const module m = parse_kernel(
        ".loc 1 10 3\nadd.u32 %r1, %r1, 1;\n"
        ".loc 2 20 5, function_name $L__info_string0, inlined_at 1 10 3\nadd.u32 %r1, %r1, 1;");
    const source_location& inner = m.locations[code(m, 1).location];
    EXPECT_EQ(inner.line, 20U);
    EXPECT_EQ(inner.function, "$L__info_string0");
    EXPECT_EQ(inner.inlined_at, code(m, 0).location);
    EXPECT_EQ(m.locations[inner.inlined_at].line, 10U);
    EXPECT_EQ(m.where(code(m, 1).where), "k.ptx:24:1");
}

TEST(PtxModule, ResolvesLabelsWithinTheirBlocks) {
    const module m = parse_kernel(
        "{\nL: add.u32 %r1, %r1, 1;\nbra L;\n}\n{\nbra OUT;\nL: sub.u32 %r1, %r1, 1;\n@%p1 bra "
        "L;\n}\nOUT:");
    EXPECT_EQ(arg(m, 1, 0).index, 0U);
    EXPECT_EQ(arg(m, 2, 0).index, 5U);
    EXPECT_EQ(arg(m, 4, 0).index, 3U);
}

TEST(PtxModule, ReadsBranchTablesAndIndirectCalls) {
    const module m = parse_kernel(
        "ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA: ret;\nB:\n"
        "{ .param .b32 x; .param .b64 y; .param .b32 z;\n"
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n"
        "call (z), %rd1, (x, y), proto;\n"
        "cts: .calltargets callee;\ncall (z), %rd1, (x, y), cts;\n}");
    const function& k = *m.find_function("k");
    EXPECT_EQ(k.branch_targets[arg(m, 0, 1).index].targets, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(arg(m, 2, 3).kind, operand_kind::prototype);
    EXPECT_EQ(k.prototypes[0].parameters[1].size, 8U);
    EXPECT_EQ(arg(m, 3, 3).kind, operand_kind::call_targets);
    EXPECT_EQ(m.functions[k.call_targets[0].functions[0]].name, "callee");
}

TEST(PtxModule, EndsEveryBodyWithAReturnOrExit) {
    const module m = parse(std::string(header) +
                               ".entry a() { }\n.entry b() { bra L; L: }\n.entry c() { ret; }\n"
                               ".entry d() { .reg .pred p; @p ret; }",
                           "m.ptx");
    EXPECT_EQ(m.find_function("a")->code.size(), 1U);
    EXPECT_EQ(m.find_function("b")->code.size(), 2U);
    EXPECT_EQ(m.find_function("c")->code.size(), 1U);
    EXPECT_EQ(m.find_function("d")->code.size(), 2U);
}

TEST(PtxModule, ReadsPtxOfTheFirstVersions) {
    const module m = parse(
        "\t.version 1.3\n\t.target sm_10, map_f64_to_f32\n\t.const[0] .u32 tab[2] = {1, 2};\n"
        "\t.tex .u32 t;\n\t.entry _Z1kPf (\n\t\t.param .u32 __cudaparm_p)\n\t{\n\t.reg .u16 "
        "%rh<4>;\n"
        "\t.reg .u32 %r<9>;\n\t.reg .f32 %f<9>;\n\t.reg .pred %p<3>;\n$LBB1__Z1kPf:\n"
        "\t.loc\t4\t3\t0\n\tmov.u16 \t%rh1, %ctaid.x;\n\tcvt.u32.u16 \t%r1, %tid.x;\n"
        "\tmul.wide.u16 \t%r2, %rh1, %rh1;\n\tld.const[0].u32 %r3, [tab+4];\n\tsin.f32 %f1, %f2;\n"
        "\ttex.1d.v4.f32.s32 {%f3,%f4,%f5,%f6},[t,{%r1,%r2,%r3,%r4}];\n\tmad.f32 %f1, %f2, %f3, "
        "%f4;\n"
        "\tsetp.le.s32 \t%p1, %r1, %r2;\n\t@%p1 bra \t$Lt_0_1;\n\tbar.sync "
        "\t0;\n$Lt_0_1:\n\texit;\n"
        "$LDWend__Z1kPf:\n\t} // _Z1kPf\n",
        "old.ptx");
    EXPECT_EQ(m.find_function("_Z1kPf")->parameters.size(), 1U);
    EXPECT_EQ(m.find_variable("t")->space, state_space::tex);
}

TEST(PtxModule, AliasesShareABody) {
    const module m =
        parse(std::string(header) + ".func g() { ret; }\n.func f();\n.alias f, g;\n", "m.ptx");
    EXPECT_EQ(&m.functions[m.find_function("f")->alias_of], m.find_function("g"));
}

TEST(PtxModule, WritesInstructionsAsText) {
    const module m = parse_kernel(
        "@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+8];\nvadd.s32.u32.u32.sat %r1.b1, %r2.h1, %r3, "
        "%r4;");
    EXPECT_EQ(text(m, 0), "@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+8];");
    EXPECT_EQ(text(m, 1), "vadd.s32.u32.u32.sat %r1.b1, %r2.h1, %r3, %r4;");
}

TEST(PtxModule, RejectsAZeroByteWithinTheText) {
    using namespace std::string_literals;
    const std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n";
    EXPECT_EQ(parse(text + "\0\0"s, "padded.ptx").functions.size(), 0u);
    try {
        parse(text + "\0.visible .entry k() { ret; }"s, "cut.ptx");
        ADD_FAILURE() << "taken";
    } catch (const support::user_error& e) {
        EXPECT_EQ(e.where(), "cut.ptx:4");
    }
}

}  // namespace
}  // namespace simtlm::ptx

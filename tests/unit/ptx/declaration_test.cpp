// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ptx/ptx_text.h"

namespace simtlm::ptx {
namespace {

std::vector<std::uint8_t> bytes(std::initializer_list<int> values) {
    return {values.begin(), values.end()};
}

module parse_text(const std::string& text) {
    return parse(header + text, "m.ptx");
}

TEST(PtxDeclaration, LaysOutInitialValues) {
    const module m = parse_text(
        ".global .u16 a[4] = {1, 0x203, -1};\n.const .align 8 .f32 b = 1.0;\n"
        ".global .u8 c[2][2] = {{1}, {2, 3}};\n.global .v2 .u16 d = {1, 2};\n.global .u32 e[] = "
        "{1, 2, 3};");
    EXPECT_EQ(m.find_variable("a")->data.bytes, bytes({1, 0, 3, 2, 0xff, 0xff}));
    EXPECT_EQ(m.find_variable("a")->size, 8U);
    EXPECT_EQ(m.find_variable("b")->alignment, 8U);
    EXPECT_EQ(m.find_variable("b")->data.bytes, bytes({0, 0, 0x80, 0x3f}));
    EXPECT_EQ(m.find_variable("c")->data.bytes, bytes({1, 0, 2, 3}));
    EXPECT_EQ(m.find_variable("d")->data.bytes, bytes({1, 0, 2, 0}));
    EXPECT_EQ(m.find_variable("e")->size, 12U);
    EXPECT_FALSE(m.find_variable("e")->unsized);
}

TEST(PtxDeclaration, KeepsAddressesInInitialValues) {
    const module m = parse_text(
        ".global .u8 t[8];\n.func f();\n.global .u64 a[3] = {t+4, generic(t), f};\n"
        ".global .u8 b[2] = {0xFF(t), 0xFF00(generic(t)+2)};\n.global .u64 c = later;\n.global .u8 "
        "later;");
    const auto& a = m.find_variable("a")->data.relocations;
    ASSERT_EQ(a.size(), 3U);
    EXPECT_EQ(a[0].addend, 4);
    EXPECT_FALSE(a[0].generic);
    EXPECT_TRUE(a[1].generic);
    EXPECT_EQ(a[1].offset, 8U);
    EXPECT_TRUE(a[2].function);
    const auto& b = m.find_variable("b")->data.relocations;
    ASSERT_EQ(b.size(), 2U);
    EXPECT_EQ(b[1].shift, 8);
    EXPECT_EQ(b[1].size, 1);
    EXPECT_EQ(b[1].addend, 2);
    EXPECT_EQ(&m.variables[m.find_variable("c")->data.relocations[0].symbol],
              m.find_variable("later"));
}

TEST(PtxDeclaration, KeepsPropertiesOfReferences) {
    const module m = parse_text(
        ".global .samplerref s = { addr_mode_0 = clamp_to_border, filter_mode = linear, "
        "force_unnormalized_coords = 1 };");
    const variable& v = *m.find_variable("s");
    EXPECT_EQ(v.type, type::samplerref);
    ASSERT_EQ(v.properties.size(), 3U);
    EXPECT_EQ(v.properties[1].name, "filter_mode");
    EXPECT_EQ(v.properties[1].word, "linear");
    EXPECT_EQ(v.properties[2].value, 1U);
}

TEST(PtxDeclaration, ReadsParametersOfEveryKind) {
    const module m = parse_text(
        ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 b[24], "
        ".param .texref t)\n.maxntid 128, 2, 1 .minnctapersm 3 .maxnreg 40 .reqntid 64\n{ ret; }\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 x, .param .b64 y);\n"
        ".func v(.param .b32 n, .param .align 8 .b8 rest[]) .noreturn;");
    const function& k = *m.find_function("k");
    ASSERT_EQ(k.parameters.size(), 3U);
    EXPECT_TRUE(k.entry);
    EXPECT_EQ(k.link, linkage::visible);
    EXPECT_EQ(m.variables[k.parameters[0].index].pointer.alignment, 16U);
    EXPECT_EQ(m.variables[k.parameters[1].index].size, 24U);
    EXPECT_EQ(k.directives.maxntid, (std::array<std::uint32_t, 3>{128, 2, 1}));
    EXPECT_EQ(k.directives.reqntid, (std::array<std::uint32_t, 3>{64, 1, 1}));
    EXPECT_EQ(k.directives.minnctapersm, 3U);
    EXPECT_EQ(k.directives.maxnreg, 40U);
    EXPECT_FALSE(m.find_function("vprintf")->defined);
    EXPECT_TRUE(m.find_function("v")->variadic);
    EXPECT_TRUE(m.find_function("v")->noreturn);
}

TEST(PtxDeclaration, ADefinitionReplacesTheDeclarationBeforeIt) {
    const module m = parse_text(
        ".extern .global .u32 x;\n.global .u32 x = 7;\n.func (.param .b32 r) f(.param .b32 a);\n"
        ".entry k() { .param .b32 i; .param .b32 o; call (o), f, (i); ret; }\n"
        ".func (.param .b32 r) f(.param .b32 a) { ret; }\n");
    EXPECT_EQ(m.find_variable("x")->data.bytes, bytes({7, 0, 0, 0}));
    EXPECT_EQ(m.functions.size(), 2U);
    EXPECT_TRUE(m.find_function("f")->defined);
    const function& k = *m.find_function("k");
    EXPECT_EQ(&m.functions[k.operand_of(k.code[0], 1).index], m.find_function("f"));
}

TEST(PtxDeclaration, RegistersOfNestedBlocksHideOuterOnes) {
    const module m =
        parse_kernel("mov.u32 %r1, 1;\n{ .reg .b32 %r1; mov.u32 %r1, 2; }\nmov.u32 %r1, 3;");
    EXPECT_EQ(arg(m, 0, 0).index, arg(m, 2, 0).index);
    EXPECT_NE(arg(m, 0, 0).index, arg(m, 1, 0).index);
    EXPECT_EQ(m.find_function("k")->register_name(arg(m, 0, 0).index), "%r1");
}

TEST(PtxDeclaration, RejectsInvalidDeclarations) {
    const auto refused = [](const std::string& text) { return refusal(header + text); };
    EXPECT_EQ(refused(".global .u32 a, a;"), "k.ptx:4:17: 'a' is declared twice");
    EXPECT_THAT(refused(".global .u8 a[2] = {1, 2, 3};"),
                testing::HasSubstr("too many initial values"));
    EXPECT_THAT(refused(".global .f32 a = 1;"),
                testing::HasSubstr("an initial value of another type"));
    EXPECT_THAT(refused(".shared .u32 a = 1;"), testing::HasSubstr("only .global and .const"));
    EXPECT_THAT(refused(".shared .u32 a[];"), testing::HasSubstr("has no size"));
    EXPECT_THAT(refused(".global .align 3 .u32 a;"), testing::HasSubstr("power of two"));
    EXPECT_THAT(refused(".global .u64 a = b;"), testing::HasSubstr("'b' is not declared"));
    EXPECT_THAT(refused(".global .u64 a[99999999999][99999999999];"),
                testing::HasSubstr("too large"));
    EXPECT_THAT(refused(".func f() { ret; } .func f() { ret; }"),
                testing::HasSubstr("defined twice"));
    EXPECT_EQ(refused(".func f() { ret;"),
              "k.ptx:4:17: found the end of the text (expected '}' at the end of 'f')");
    EXPECT_EQ(refusal(".target sm_70"), "k.ptx:1:1: '.target' comes first (expected '.version')");
    EXPECT_EQ(
        refusal(""),
        "k.ptx:1:1: found the end of the text (expected '.version' at the beginning of a module)");
}

TEST(PtxDeclaration, OfAFunctionMayOmitItsSemicolon) {
    const module m = parse(
        ".version 2.1\n.target sm_20\n"
        ".visible .func (.param .s32 r) f (.param .s32 a)\n\n"
        ".extern .func g (.param .s32 a) .noreturn\n"
        ".file 1 \"x.cu\"\n"
        ".visible .func (.param .s32 r) f (.param .s32 a)\n{ ret; }\n"
        ".func h (.reg .u32 a)\n",
        "m.ptx");
    EXPECT_TRUE(m.find_function("f")->defined);
    EXPECT_FALSE(m.find_function("g")->defined);
    EXPECT_TRUE(m.find_function("g")->noreturn);
    EXPECT_FALSE(m.find_function("h")->defined);
    EXPECT_NE(refusal(std::string(header) + ".entry k (.param .u64 a)\n.visible .entry l () {}"),
              "");
}

TEST(PtxDeclaration, OfRegistersAndLocalVariablesAtModuleScopeEndsWithPtx3) {
    for (const std::string what : {".reg .u32 x;\n", ".local .u32 x;\n"}) {
        const std::string rest = ".target sm_20\n" + what + ".entry k () { ret; }";
        EXPECT_EQ(refusal(".version 2.3\n" + rest), "");
        EXPECT_THAT(refusal(".version 3.0\n" + rest),
                    ::testing::HasSubstr("belong into functions"));
    }
    EXPECT_THAT(refusal(".version 2.3\n.target sm_20\n.func f () { ret; }\n.reg .u32 x;\n"),
                ::testing::HasSubstr("declare them before all functions"));
}

}  // namespace
}  // namespace simtlm::ptx

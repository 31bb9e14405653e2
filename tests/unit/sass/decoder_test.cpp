// SPDX-License-Identifier: Apache-2.0
#include "modules/sass/decoder.h"

#include "modules/sass/encoding_table.h"
#include "modules/support/error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace simtlm::sass {
namespace {

instruction_word word_of(const std::string& hex) {
    return {std::strtoull(hex.substr(16, 16).c_str(), nullptr, 16),
            std::strtoull(hex.substr(0, 16).c_str(), nullptr, 16)};
}

std::string squeezed(const std::string& text) {
    std::string out;
    for (const char c : text)
        if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

class Conformance : public testing::TestWithParam<unsigned> {};

TEST_P(Conformance, EveryStoredInstructionIsPrintedAsTheDisassemblerPrintsIt) {
    const unsigned architecture = GetParam();
    std::ifstream list(std::string(SIMTLM_SASS_DATA "/conformance/sm_") +
                       std::to_string(architecture) + ".txt");
    std::string line;
    unsigned n = 0;
    while (std::getline(list, line)) {
        if (line.empty() || line.front() == '#') continue;
        instruction i;
        ASSERT_TRUE(decode(word_of(line), architecture, instruction_bytes * n, i)) << line;
        EXPECT_EQ(squeezed(to_string(i)), line.substr(33)) << line;
        ++n;
    }
    EXPECT_GT(n, 500u);
}

TEST_P(Conformance, InstructionsWithAChangedBitArePrintedOrRejectedAsByTheDisassembler) {
    const unsigned architecture = GetParam();
    std::ifstream list(std::string(SIMTLM_SASS_DATA "/conformance/changed_sm_") +
                       std::to_string(architecture) + ".txt");
    std::string line;
    unsigned n = 0, invalid = 0;
    while (std::getline(list, line)) {
        if (line.empty() || line.front() == '#') continue;
        instruction i;
        const bool known = decode(word_of(line), architecture, instruction_bytes * n, i);
        EXPECT_EQ(known ? squeezed(to_string(i)) : "-", line.substr(33)) << line;
        ++n;
        if (!known) ++invalid;
    }
    EXPECT_GT(n, 2000u);
    EXPECT_GT(invalid, 100u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Conformance, testing::Values(70, 75, 80, 86, 89, 90),
                         [](const auto& p) { return "sm_" + std::to_string(p.param); });

instruction decoded(const std::string& hex, unsigned architecture, std::uint64_t address = 0);

// A form is listed for Blackwell if compiled code contains it: forms of older GPUs whose bits may
// have another meaning are not taken over.
TEST(BlackwellCode, HasAStoredInstructionOfEveryForm) {
    std::set<const encoding_form*> stored;
    for (const unsigned architecture : {100u, 103u, 110u, 120u}) {
        std::ifstream list(std::string(SIMTLM_SASS_DATA "/conformance/sm_") +
                           std::to_string(architecture) + ".txt");
        std::string line;
        for (unsigned n = 0; std::getline(list, line);) {
            if (line.empty() || line.front() == '#') continue;
            instruction i;
            ASSERT_TRUE(decode(word_of(line), architecture, instruction_bytes * n++, i)) << line;
            EXPECT_EQ(squeezed(to_string(i)), line.substr(33)) << line;
            stored.insert(i.form);
        }
    }
    const encoding_table& table = encoding_table::builtin();
    for (const auto& form : table.forms()) {
        if (form->last_architecture < blackwell) continue;
        EXPECT_EQ(stored.count(form.get()), 1u)
            << isa::name_of(form->opcode) << fmt::format(" {:x}", table.keys_of(*form).front());
    }
}

TEST(BlackwellCode, IsInvalidIfABitIsSetThatItsFormDoesNotDescribe) {
    // ISETP.NE.AND P1, PT, R8, RZ, PT; with bit 80 the operands are pairs on sm_120 only.
    const std::string word = "000fe20003f35270000000ff0800720c";
    EXPECT_EQ(to_string(decoded(word, 120)), "ISETP.NE.S64.AND P1, PT, R8, RZ, PT");
    instruction i;
    EXPECT_FALSE(decode(word_of(word), 100, 0, i));
    // IADD of sm_120 has the opcode of an HFMA2 of sm_90.
    EXPECT_EQ(to_string(decoded("000fe200078e02000000000407047835", 120)), "IADD.64 R4, R7, 0x4");
    EXPECT_FALSE(decode(word_of("000fe200078e02000000000407047835"), 100, 0, i));
}

TEST(BlackwellCode, HasOffsetsOfThirtyTwoBitsInTensorMemory) {
    EXPECT_EQ(to_string(decoded("001e62000804ff00ffffff04000579ee", 100)),
              "LDTM.x1 R5, tmem[UR4+-0x1]");
    EXPECT_EQ(to_string(decoded("001fe2000804ff04ffffc000000079ed", 100)),
              "STTM.x1 tmem[UR4+-0x40], R0");
    EXPECT_EQ(to_string(decoded("0035d8000800010000000006040079e7", 100)),
              "UTCCP.T.S.128dp256bit tmem[UR4+0x1000000], gdesc[UR6]");
}

TEST(BlackwellCode, HasEightyUniformRegisters) {
    // LDCU UR64, c[0x0][0x358]; UR80 does not exist, and the zero register is UR255.
    EXPECT_EQ(to_string(decoded("000e220008000800"
                                "00006b00ff4077ac",
                                120)),
              "LDCU UR64, c[0x0][0x358]");
    instruction i;
    EXPECT_FALSE(decode(word_of("000e220008000800"
                                "00006b00ff5077ac"),
                        120, 0, i));
}

instruction decoded(const std::string& hex, unsigned architecture, std::uint64_t address) {
    instruction i;
    EXPECT_TRUE(decode(word_of(hex), architecture, address, i)) << hex;
    return i;
}

TEST(Decoder, GivesOperandsAndModifiersOfAMultiplyAdd) {
    const instruction i = decoded("000fca00078e0209000000000d007a24", 80);
    EXPECT_EQ(i.opcode, isa::opcode::IMAD);
    EXPECT_EQ(i.operands[0].kind, operand_kind::reg);
    EXPECT_EQ(i.operands[2].kind, operand_kind::constant);
    EXPECT_EQ(i.operands[2].bank, 0);
    EXPECT_EQ(i.operands[2].value, 0u);
}

TEST(Decoder, CountsTheTargetOfABranchFromTheNextInstruction) {
    const instruction i = decoded("000fea0003800000000001e000007947", 75, 0x100);
    ASSERT_EQ(i.operand_count, 1);
    EXPECT_EQ(i.operands[0].kind, operand_kind::target);
    EXPECT_EQ(i.operands[0].value, 0x100u + 16 + 0x1e0);
}

TEST(Decoder, ReadsControlBits) {
    const control_bits c = control_bits::of(word_of("001fca00078e0209000000000d007a24"));
    EXPECT_EQ(c.stall, 5);
    EXPECT_EQ(c.wait_mask, 1);
    EXPECT_EQ(c.write_barrier, 7);
    EXPECT_EQ(to_string(c), "B0-----:R-:W-:Y:S05");
}

TEST(Decoder, RejectsUnknownOpcodes) {
    instruction i;
    EXPECT_FALSE(decode({~std::uint64_t{0}, ~std::uint64_t{0}}, 80, 0, i));
    EXPECT_EQ(to_string(i), "(unknown)");
}

TEST(Decoder, HasNoUniformDatapathOnVolta) {
    // ULDC, which exists on Turing but not on Volta.
    instruction i;
    const instruction_word w = word_of("000fe200000008000000000000057ab9");
    EXPECT_TRUE(decode(w, 75, 0, i));
    EXPECT_FALSE(decode(w, 70, 0, i));
}

TEST(Decoder, DecodesAndPrintsAnyWordWithoutFault) {
    std::mt19937_64 random(1);
    std::size_t known = 0;
    for (unsigned architecture : {70u, 75u, 80u, 87u, 90u})
        for (unsigned n = 0; n < 40000; ++n) {
            instruction i;
            if (!decode({random(), random()}, architecture, 16 * n, i)) continue;
            ++known;
            EXPECT_FALSE(to_string(i).empty());
        }
    EXPECT_GT(known, 1000u);
}

TEST(EncodingTable, NamesTheMalformedLine) {
    try {
        const encoding_table t("FADD 221 70- | 80=FTZ | Rd\nFMUL 220 70- | 80 | Rd\n", "table");
        FAIL();
    } catch (const support::user_error& e) {
        EXPECT_NE(std::string(e.what()).find("table:2"), std::string::npos) << e.what();
    }
}

TEST(EncodingTable, NamesTheOpcodeThatHasNoRecord) {
    try {
        const encoding_table t("FADDX 221 70- | | Rd\n", "table");
        FAIL();
    } catch (const support::user_error& e) {
        EXPECT_NE(std::string(e.what()).find("table:1: FADDX"), std::string::npos) << e.what();
    }
}

TEST(EncodingTable, ContainsEveryModifierThatHasAnEnumerator) {
    // IMAD.MOV, IMAD.IADD and IMAD.SHL are not encoded, but follow from the operands.
    std::set<modifier> found = {modifier::MOV, modifier::IADD, modifier::SHL};
    for (const auto& form : encoding_table::builtin().forms())
        for (const encoding_field& field : form->fields)
            for (const auto& names : field.names)
                for (const named_modifier& name : names) found.insert(name.id);
    for (std::size_t n = 2; n < modifier_count; ++n)
        EXPECT_EQ(found.count(static_cast<modifier>(n)), 1u) << name_of(static_cast<modifier>(n));
}

TEST(EncodingTable, HasNoTwoFormsForOneKeyOfAnArchitectureWithoutACondition) {
    const encoding_table& t = encoding_table::builtin();
    std::map<unsigned, std::vector<const encoding_form*>> by_key;
    for (const auto& form : t.forms())
        if (form->conditions.empty())
            for (const unsigned key : t.keys_of(*form)) by_key[key].push_back(form.get());
    for (const auto& entry : by_key)
        for (const encoding_form* a : entry.second)
            for (const encoding_form* b : entry.second)
                EXPECT_TRUE(a == b || a->last_architecture < b->first_architecture ||
                            b->last_architecture < a->first_architecture)
                    << isa::name_of(a->opcode) << " and " << isa::name_of(b->opcode);
}

}  // namespace
}  // namespace simtlm::sass

// SPDX-License-Identifier: Apache-2.0
#include "modules/isa/opcode_tables.h"

#include "modules/isa/opcode.h"
#include "modules/support/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

using simtlm::isa::name_of;
using simtlm::isa::opcode;
using simtlm::isa::opcode_count;
using simtlm::isa::opcode_named;
using simtlm::isa::opcode_tables;
using simtlm::program::memory_space;
using simtlm::program::op_class;
using simtlm::program::special_op;
using simtlm::support::user_error;
using ::testing::HasSubstr;

op_class class_of(const opcode_tables& t, unsigned version, const char* opcode) {
    const auto* entry = t.find(version, opcode);
    EXPECT_NE(entry, nullptr) << opcode << " on " << version;
    return entry == nullptr ? op_class::alu : entry->cls;
}

std::string message_of(const std::string& text) {
    opcode_tables t = opcode_tables::builtin();
    try {
        t.load_text(text, "mine");
    } catch (const user_error& e) {
        return e.what();
    }
    return "no error";
}

TEST(OpcodeTables, KnowTheBinaryVersionsFromKeplerToHopper) {
    const opcode_tables t = opcode_tables::builtin();
    for (unsigned v : {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}) {
        EXPECT_TRUE(t.knows_version(v)) << v;
    }
    EXPECT_FALSE(t.knows_version(0));
    EXPECT_FALSE(t.knows_version(77));
    EXPECT_EQ(t.architecture_of(86), "ampere");
    EXPECT_EQ(t.architecture_of(90), "hopper");
    EXPECT_EQ(t.find(77, "FADD"), nullptr);
}

TEST(OpcodeTables, RunBranchesInUnitOneFromVoltaOnAndAsBranchesBefore) {
    const opcode_tables t = opcode_tables::builtin();
    EXPECT_EQ(class_of(t, 35, "BRA"), op_class::branch);
    EXPECT_EQ(class_of(t, 61, "BRA"), op_class::branch);
    EXPECT_EQ(class_of(t, 61, "CAL"), op_class::call);
    EXPECT_EQ(class_of(t, 70, "BRA"), op_class::spec1);
    EXPECT_EQ(class_of(t, 90, "CALL"), op_class::spec1);
    EXPECT_EQ(class_of(t, 70, "KILL"), op_class::spec1);
    EXPECT_EQ(class_of(t, 75, "KILL"), op_class::spec3);
}

TEST(OpcodeTables, MoveIntegerMatrixFromTheIntegerUnitToUnitThreeInTuring) {
    const opcode_tables t = opcode_tables::builtin();
    EXPECT_EQ(class_of(t, 70, "IMMA"), op_class::integer);
    EXPECT_EQ(class_of(t, 75, "IMMA"), op_class::spec3);
    EXPECT_EQ(class_of(t, 70, "HMMA"), op_class::spec3);
    EXPECT_EQ(class_of(t, 90, "HGMMA"), op_class::spec3);
    EXPECT_EQ(class_of(t, 80, "DMMA"), op_class::spec3);
}

TEST(OpcodeTables, AddOpcodesFromTheirFirstArchitectureOn) {
    const opcode_tables t = opcode_tables::builtin();
    EXPECT_EQ(t.find(70, "ULDC"), nullptr);
    EXPECT_EQ(class_of(t, 75, "ULDC"), op_class::spec4);
    EXPECT_EQ(t.find(75, "LDGSTS"), nullptr);
    EXPECT_EQ(t.find(80, "LDGSTS")->special, special_op::ldgsts);
    EXPECT_EQ(t.find(89, "VIADD"), nullptr);
    for (const char* name : {"UTMALDG", "ELECT", "SYNCS", "R2UR", "UBLKCP", "ACQBULK",
                             "ENDCOLLECTIVE", "STSM", "VIMNMX"}) {
        EXPECT_NE(t.find(90, name), nullptr) << name;
    }
    EXPECT_EQ(t.find(70, "XMAD"), nullptr);
    EXPECT_EQ(class_of(t, 52, "XMAD"), op_class::integer);
}

TEST(OpcodeTables, ResolveGenericStoresOfKeplerAsGlobal) {
    const opcode_tables t = opcode_tables::builtin();
    EXPECT_EQ(t.find(35, "ST")->space, memory_space::global);
    EXPECT_EQ(t.find(61, "ST")->space, memory_space::generic);
}

TEST(OpcodeTables, AcceptAUserFileThatAddsReplacesAndInherits) {
    const std::string file = ::testing::TempDir() + "opcodes.txt";
    std::ofstream(file) << "# mine\n[ampere]\nsp: FADD2\nint: FADD  # replaced\n\n"
                           "[blackwell : hopper] 100 120\nload shared: LDT\n";
    opcode_tables t = opcode_tables::builtin();
    t.load(file);
    EXPECT_EQ(class_of(t, 86, "FADD2"), op_class::sp);
    EXPECT_EQ(class_of(t, 86, "FADD"), op_class::integer);
    EXPECT_EQ(class_of(t, 75, "FADD"), op_class::sp);
    EXPECT_EQ(class_of(t, 120, "HGMMA"), op_class::spec3);
    EXPECT_EQ(t.find(100, "LDT")->space, memory_space::shared);
    EXPECT_THAT(t.architecture_names(), ::testing::Contains("blackwell"));
    std::remove(file.c_str());
}

TEST(OpcodeTables, NameFileAndLineOfAMistake) {
    EXPECT_THAT(message_of("\n[ampere]\nfloat: FADD\n"),
                HasSubstr("mine:3: unknown class 'float'"));
    EXPECT_THAT(message_of("[x : nobody] 99\n"), HasSubstr("mine:1: unknown parent"));
    EXPECT_THAT(message_of("sp: FADD\n"), HasSubstr("before the first [architecture]"));
    EXPECT_THAT(message_of("[ampere]\nsp FADD\n"), HasSubstr("unknown attribute 'FADD'"));
    EXPECT_THAT(message_of("[ampere]\nsp\n"), HasSubstr("no ':'"));
    EXPECT_THAT(message_of("[ampere]\nload: LDX\n"), HasSubstr("without a memory space"));
    EXPECT_THAT(message_of("[ampere]\nsp global: FX\n"), HasSubstr("neither loads nor stores"));
    EXPECT_THAT(message_of("[ampere]\nsp:\n"), HasSubstr("without opcodes"));
    EXPECT_THAT(message_of("[ampere] 8x\n"), HasSubstr("no binary version"));
    EXPECT_THAT(message_of("[ampere\n"), HasSubstr("expected ']'"));
    EXPECT_THAT(message_of("[ampere]\nsp: F.ADD\n"), HasSubstr("no base opcode"));
    opcode_tables t = opcode_tables::builtin();
    EXPECT_THROW(t.load("/nonexistent/opcodes"), user_error);
}

TEST(Opcodes, AreFoundByTheirNames) {
    for (std::size_t n = 1; n < opcode_count; ++n) {
        const auto o = static_cast<opcode>(n);
        EXPECT_EQ(opcode_named(name_of(o)), o) << name_of(o);
    }
    EXPECT_EQ(opcode_named("FROBNICATE"), opcode::unknown);
    EXPECT_EQ(name_of(opcode::unknown), "UNKNOWN");
}

TEST(Opcodes, BelongToAnArchitectureWithATable) {
    const opcode_tables tables = opcode_tables::builtin();
    for (std::size_t n = 1; n < opcode_count; ++n) {
        const std::string name(name_of(static_cast<opcode>(n)));
        const auto has = [&](unsigned version) { return tables.find(version, name) != nullptr; };
        EXPECT_TRUE(has(35) || has(60) || has(90) || has(120)) << name;
    }
}

}  // namespace

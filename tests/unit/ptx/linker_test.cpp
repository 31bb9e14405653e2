// SPDX-License-Identifier: Apache-2.0
#include "modules/ptx/linker.h"

#include "modules/ptx/parser.h"
#include "modules/support/error.h"

#include <gtest/gtest.h>

namespace simtlm::ptx {
namespace {

const std::string head = ".version 6.3\n.target sm_70\n.address_size 64\n";

std::size_t count(const std::string& in, const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++n;
    return n;
}

TEST(Linker, KeepsASingleModuleUnchanged) {
    EXPECT_EQ(link({{"a", "anything at all"}}), "anything at all");
}

TEST(Linker, ResolvesADeclarationInAnotherModule) {
    const std::string user = head +
                             ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                             ".extern .global .u32 shared_by_all;\n"
                             ".visible .entry k(.param .u64 p) { ret; }\n";
    const std::string library = head +
                                ".visible .global .u32 shared_by_all = 7;\n"
                                ".visible .func (.param .b32 r) twice(.param .b32 x) { ret; }\n";
    for (const auto& inputs : {std::vector<link_input>{{"user", user}, {"library", library}},
                               std::vector<link_input>{{"library", library}, {"user", user}}}) {
        const module m = parse(link(inputs), "linked");
        const function* const f = m.find_function("twice");
        ASSERT_NE(f, nullptr);
        EXPECT_TRUE(f->defined);
        EXPECT_EQ(count(link(inputs), ".version"), 1u);
    }
}

TEST(Linker, KeepsPrivateNamesOfModules) {
    const auto with = [](const std::string& kernel, int value) {
        return head + ".global .u32 mine = " + std::to_string(value) + ";\n.visible .entry " +
               kernel + "() { .reg .u32 %r<2>; ld.global.u32 %r1, [mine]; ret; }\n";
    };
    const std::string text = link({{"a", with("first", 1)}, {"b", with("second", 2)}});
    const module m = parse(text, "linked");
    EXPECT_EQ(m.variables.size(), 2u);
    EXPECT_NE(text.find("[mine$1]"), std::string::npos);
    EXPECT_NE(text.find("[mine]"), std::string::npos);
}

TEST(Linker, LinksWeakFunctionsOnceAndRejectsTwoStrongOnes) {
    const std::string weak = head + ".weak .func f() { ret; }\n";
    EXPECT_EQ(count(link({{"a", weak}, {"b", weak}}), ".func f"), 1u);
    const std::string strong = head + ".visible .func f() { ret; }\n";
    EXPECT_EQ(count(link({{"a", weak}, {"b", strong}}), ".func f"), 1u);
    EXPECT_THROW(link({{"a", strong}, {"b", strong}}), support::user_error);
}

TEST(Linker, WritesForTheNewestVersionAndTarget) {
    const std::string text =
        link({{"a", ".version 7.8\n.target sm_70\n.address_size 64\n"},
              {"b", "// a comment\n.version 7.10\n.target sm_100\n.address_size 64\n"}});
    EXPECT_NE(text.find(".version 7.10\n.target sm_100\n"), std::string::npos);
    EXPECT_EQ(count(text, ".target"), 1u);
}

}  // namespace
}  // namespace simtlm::ptx

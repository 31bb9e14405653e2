// SPDX-License-Identifier: Apache-2.0
// The linker of cubins. The resources of kernels are those that nvlink 13.0 computes for the same
// files.
#include "modules/sass/linker.h"

#include "modules/sass/link_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace simtlm::sass {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string stored_file(const std::string& name) {
    std::ifstream file(SIMTLM_MACHINE_CODE "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
link_object object(const std::string& name, bool on_demand = false) {
    return {std::make_shared<const cubin>(stored_file(name), name), on_demand};
}
std::string reasons_of(const std::vector<link_object>& objects) {
    try {
        link(objects, "linked");
    } catch (const link_error& e) {
        return e.reasons();
    }
    return {};
}

struct resources {
    unsigned architecture;
    std::uint32_t registers, shared;
    std::uint32_t dynamic_registers, dynamic_shared;
};
void PrintTo(const resources& r, std::ostream* to) {
    *to << "sm_" << r.architecture;
}
class LinkedResources : public testing::TestWithParam<resources> {};

TEST_P(LinkedResources, AreTheMaximumOverTheCallees) {
    const resources& want = GetParam();
    const std::string suffix = ".sm_" + std::to_string(want.architecture) + ".cubin";
    const cubin linked(
        link({object("parts_kernels" + suffix), object("parts_functions" + suffix)}, "linked"),
        "linked");
    EXPECT_FALSE(linked.is_relocatable());
    EXPECT_EQ(linked.architecture(), want.architecture);
    const cubin_function* const kernel = linked.find_function("parts");
    const cubin_function* const dynamic = linked.find_function("dynamic_parts");
    ASSERT_TRUE(kernel != nullptr && dynamic != nullptr);
    EXPECT_EQ(kernel->registers, want.registers);
    EXPECT_EQ(kernel->static_shared, want.shared);
    EXPECT_EQ(kernel->barriers, 1u);
    EXPECT_EQ(kernel->frame_bytes, 48u);
    EXPECT_EQ(kernel->stack_bytes, 64u);
    EXPECT_EQ(kernel->parameters.size(), 3u);
    EXPECT_EQ(dynamic->registers, want.dynamic_registers);
    EXPECT_EQ(dynamic->static_shared, want.dynamic_shared);
    EXPECT_EQ(dynamic->stack_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, LinkedResources,
                         testing::Values(resources{75, 60, 1024, 24, 144},
                                         resources{80, 44, 1024, 24, 144},
                                         resources{90, 44, 2048, 24, 1168}),
                         [](const auto& p) {
                             return "sm_" + std::to_string(p.param.architecture);
                         });

TEST(Linker, ReportsEverySymbolThatIsMissing) {
    const std::string reasons = reasons_of({object("parts_kernels.sm_80.cubin")});
    EXPECT_THAT(reasons,
                HasSubstr("Undefined reference to 'numbers' in 'parts_kernels.sm_80.cubin'"));
    EXPECT_THAT(reasons, HasSubstr("Undefined reference to 'factors'"));
    EXPECT_THAT(reasons, HasSubstr("Undefined reference to '_Z5powerd'"));
    EXPECT_THAT(reasons, Not(HasSubstr("dynamic_words"))) << "dynamic shared memory";
}

TEST(Linker, AcceptsWeakDefinitionsInSeveralFilesButNoStrongOnes) {
    const std::string reasons =
        reasons_of({object("parts_functions.sm_80.cubin"), object("parts_functions.sm_80.cubin")});
    EXPECT_THAT(reasons, HasSubstr("Multiple definition of 'counter' in "
                                   "'parts_functions.sm_80.cubin', first defined in "
                                   "'parts_functions.sm_80.cubin'"));
    EXPECT_THAT(reasons, Not(HasSubstr("weak_sum_of")));
}

TEST(Linker, RejectsFilesOfOtherGenerations) {
    EXPECT_THAT(
        reasons_of({object("parts_kernels.sm_80.cubin"), object("parts_functions.sm_75.cubin")}),
        HasSubstr("Input file 'parts_functions.sm_75.cubin' arch does not match target 'sm_80'"));
    EXPECT_THAT(reasons_of({object("kernels.sm_80.cubin")}), HasSubstr("no relocatable"));
}

TEST(Linker, IncludesMembersOfLibrariesOnlyIfTheyAreNeeded) {
    const cubin linked(
        link({object("parts_kernels.sm_80.cubin"), object("parts_functions.sm_80.cubin", true),
              object("parts_functions.sm_80.cubin", true),
              object("parts_kernels.sm_80.cubin", true)},
             "linked"),
        "linked");
    EXPECT_NE(linked.find_function("parts"), nullptr);
    EXPECT_NE(linked.find_function("_Z5powerd"), nullptr);
}

TEST(Linker, RenamesLocalFunctionsOfTheSameName) {
    const cubin linked(
        link({object("parts_kernels.sm_80.cubin"), object("parts_functions.sm_80.cubin")}, "x"),
        "x");
    std::set<std::string_view> names;
    for (const cubin_function& f : linked.functions()) EXPECT_TRUE(names.insert(f.name).second);
}

TEST(Linker, ExecutesTheCompletePartOfARelocatableFile) {
    const auto file = executable(object("parts_kernels.sm_80.cubin").file);
    EXPECT_FALSE(file->is_relocatable());
    EXPECT_NE(file->find_function("parts"), nullptr);
    const auto whole = object("kernels.sm_80.cubin").file;
    EXPECT_EQ(executable(whole), whole);
}

TEST(Linker, RejectsOrLinksDamagedFiles) {
    const std::string whole = stored_file("parts_functions.sm_80.cubin");
    const link_object kernels = object("parts_kernels.sm_80.cubin");
    std::uint32_t random = 1;
    unsigned linked = 0;
    for (unsigned n = 0; n < 2000; ++n) {
        std::string bytes = whole;
        for (unsigned k = 0; k <= n % 3; ++k) {
            random = random * 1664525 + 1013904223;
            bytes[random % bytes.size()] = static_cast<char>(random >> 24);
        }
        try {
            const auto file = std::make_shared<const cubin>(bytes, "damaged");
            const std::string result = link({kernels, {file, false}}, "linked");
            linked += cubin(result, "linked").functions().empty() ? 0 : 1;
        } catch (const support::user_error&) {
        }
    }
    EXPECT_GT(linked, 100u);
}

TEST(LinkMembers, AreReadFromLibraries) {
    const std::string member = stored_file("parts_functions.sm_80.cubin");
    std::string library = "!<arch>\n";
    const auto add = [&](std::string name, const std::string& bytes) {
        name.resize(48, ' ');
        library += name + std::to_string(bytes.size());
        library.resize(library.size() + 10 - std::to_string(bytes.size()).size(), ' ');
        library += "`\n" + bytes;
        if (library.size() % 2 != 0) library += '\n';
    };
    add("/", "a table of symbols");
    add("//", "a_name_of_more_than_15_letters.o/\n");
    add("short.o/", member);
    add("/0", member);
    add("text/", "no code at all");
    const auto members = link_members_of(library, "l.a");
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[0].name, "l.a:short.o");
    EXPECT_EQ(members[1].name, "l.a:a_name_of_more_than_15_letters.o");
    EXPECT_TRUE(members[0].on_demand);
    std::vector<std::string> without;
    EXPECT_EQ(objects_for(members, 86, &without).size(), 2u);
    EXPECT_EQ(objects_for(members, 75, &without).size(), 0u);
    EXPECT_EQ(without.size(), 2u);
    EXPECT_THROW(link_members_of(library.substr(0, library.size() - 5), "l.a"),
                 support::user_error);
}

}  // namespace
}  // namespace simtlm::sass

// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/machine/lowering_table.h"

#include "modules/sass/encoding_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace simtlm::execution {
namespace {

std::set<std::string> encoded_opcodes(bool executed) {
    std::set<std::string> names;
    for (const auto& form : sass::encoding_table::builtin().forms())
        if ((lowering_of(form->opcode) != lower_refused) == executed)
            names.emplace(isa::name_of(form->opcode));
    return names;
}

TEST(LoweringTable, LacksOnlyTheListedEncodedOpcodes) {
    EXPECT_THAT(encoded_opcodes(false), testing::ElementsAre("JMP", "JMX", "JMXU", "LDGMC"));
}

TEST(LoweringTable, ExecutesNoOpcodesThatHaveNoEncoding) {
    const std::set<std::string> encoded = encoded_opcodes(true);
    for (std::size_t n = 1; n < isa::opcode_count; ++n) {
        const auto o = static_cast<isa::opcode>(n);
        EXPECT_TRUE(lowering_of(o) == lower_refused ||
                    encoded.count(std::string(isa::name_of(o))) == 1)
            << isa::name_of(o);
    }
}

}  // namespace
}  // namespace simtlm::execution

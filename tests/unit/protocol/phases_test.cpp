// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/phases.h"

#include <gtest/gtest.h>

#include <cstring>

namespace simtlm::protocol {
namespace {

TEST(PhaseTable, HasARowForEveryPhase) {
    const auto table = phase_table();
    ASSERT_EQ(table.size(), static_cast<std::size_t>(phase_count));
    const auto is = [&](phase_id p, clock_domain d, const char* name) {
        EXPECT_EQ(table[p].domain, d) << name;
        EXPECT_STREQ(table[p].name, name);
    };
    is(core_receive, core_clock, "receive");
    is(reply_inject, icnt_clock, "reply_inject");
    is(dram_return, dram_clock, "dram_return");
    is(dram_channel, dram_clock, "dram_channel");
    is(dram_arbitrate, dram_clock, "arbitrate");
    is(l2_bank, l2_clock, "l2_bank");
    is(network_transfer, icnt_clock, "transfer");
    is(core_write_back, core_clock, "write_back");
    is(core_units, core_clock, "units");
    is(core_access, core_clock, "access");
    is(core_issue, core_clock, "issue");
    is(core_issue_rest, core_clock, "issue_rest");
    is(core_front_end, core_clock, "front_end");
    is(core_place, core_clock, "place");
    is(core_dispatch_ctas, core_clock, "dispatch_ctas");
}

TEST(PhaseTable, ServesTheStagesOfAnSmFromTheLastToTheFirst) {
    // A stage may use in a cycle what the stage behind it has freed in the same cycle.
    EXPECT_LT(core_write_back, core_units);
    EXPECT_LT(core_units, core_instruction_cache);
    EXPECT_LT(core_instruction_cache, core_texture_cache);
    EXPECT_LT(core_texture_cache, core_constant_cache);
    EXPECT_LT(core_constant_cache, core_caches);
    EXPECT_LT(core_caches, core_access);
    EXPECT_LT(core_access, core_dispatch);
    EXPECT_LT(core_dispatch, core_operands);
    EXPECT_LT(core_operands, core_issue);
    EXPECT_LT(core_issue_rest, core_front_end);
    EXPECT_LT(core_front_end, core_place);
    EXPECT_LT(core_place, core_inject);
    EXPECT_LT(core_inject, core_dispatch_ctas);
}

}  // namespace
}  // namespace simtlm::protocol

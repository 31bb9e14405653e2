// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/phases.h"

#include <gtest/gtest.h>

#include <iterator>
#include <vector>

namespace simtlm::protocol {
namespace {

TEST(PhaseTable, HasARowForEveryPhaseAtThePlaceOfItsEnumerator) {
    const auto table = phase_table();
    ASSERT_EQ(table.size(), std::size(phases));
    for (unsigned i = 0; i < table.size(); ++i) {
        EXPECT_EQ(static_cast<unsigned>(phases[i].id), i);
        EXPECT_EQ(table[i].domain, phases[i].domain);
        EXPECT_STREQ(table[i].name, phases[i].name);
    }
}

TEST(PhaseTable, GivesEachPhaseItsClock) {
    const auto domain = [](phase p) { return phases[static_cast<unsigned>(p)].domain; };
    EXPECT_EQ(domain(phase::core_receive), core_clock);
    EXPECT_EQ(domain(phase::reply_inject), icnt_clock);
    EXPECT_EQ(domain(phase::dram_arbitrate), dram_clock);
    EXPECT_EQ(domain(phase::l2_slice), l2_clock);
    EXPECT_EQ(domain(phase::network_transfer), icnt_clock);
    EXPECT_EQ(domain(phase::core_issue), core_clock);
    EXPECT_STREQ(phases[static_cast<unsigned>(phase::core_issue)].name, "core_issue");
}

TEST(PhaseTable, ServesTheStagesOfAnSmFromTheLastToTheFirst) {
    // A stage can use in a cycle what the stage after it has freed in the same cycle.
    EXPECT_LT(phase::core_write_back, phase::core_units);
    EXPECT_LT(phase::core_units, phase::core_instruction_cache);
    EXPECT_LT(phase::core_instruction_cache, phase::core_texture_cache);
    EXPECT_LT(phase::core_texture_cache, phase::core_constant_cache);
    EXPECT_LT(phase::core_constant_cache, phase::core_caches);
    EXPECT_LT(phase::core_caches, phase::core_access);
    EXPECT_LT(phase::core_access, phase::core_dispatch);
    EXPECT_LT(phase::core_dispatch, phase::core_operands);
    EXPECT_LT(phase::core_operands, phase::core_issue);
    EXPECT_LT(phase::core_issue, phase::core_front_end);
    EXPECT_LT(phase::core_front_end, phase::core_place);
    EXPECT_LT(phase::core_place, phase::core_inject);
    EXPECT_LT(phase::core_inject, phase::core_dispatch_ctas);
}

TEST(PhaseTable, SynchronizesHostThreadsBetweenTheSlicesAndTheirAcknowledgedWrites) {
    const std::vector<simulation::phase> table = phase_table();
    for (std::size_t p = 0; p < table.size(); ++p)
        EXPECT_EQ(table[p].barrier_before, p == static_cast<std::size_t>(phase::core_acknowledge))
            << p;
}

}  // namespace
}  // namespace simtlm::protocol

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/write_back.h"

#include "modules/protocol/phases.h"
#include "tests/unit/core/sm_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::core::simt_pipeline {
namespace {

using program::op_class;
using test::instruction;
using test::small_sm;
using ::testing::ElementsAre;

TEST(WriteBack, CompletesArrivedInstructionsInIssueOrderInTheNextCycle) {
    struct rig_type : sc_core::sc_module {
        const sm_config config = small_sm();
        core_statistics statistics;
        test::warps warps{4};
        scoreboard scores{warps.table};
        warp_instruction_pool pool;
        simulation::phase_sequencer sequencer{"sequencer", protocol::clock_domains,
                                              protocol::phase_table()};
        operand_collector collector{"collector", sequencer, config, statistics};
        write_back stage{"stage", sequencer, 2, warps.table, scores, collector, pool, statistics};
        sc_core::sc_vector<instruction_initiator<rig_type>> unit{"unit", 2};
        instruction_initiator<rig_type> issue{"issue"};
        sc_core::sc_clock clock{"clock", 1, sc_core::SC_NS};
        program::static_instruction a = instruction(op_class::sp, {1}, {});
        program::static_instruction b = instruction(op_class::sfu, {9}, {});  // same bank
        std::uint64_t released_at = 0;
        simulation::clocked_process units;
        simulation::clocked_process watch;

        explicit rig_type(const sc_core::sc_module_name& name)
            : sc_module(name),
              units("units", sequencer, protocol::phase::core_units,
                    simulation::on_edge<&rig_type::complete>(this), true),
              watch("watch", sequencer, protocol::phase::core_issue,
                    simulation::on_edge<&rig_type::sample>(this), true) {
            for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock);
            issue.bind(collector.issue[0]);
            for (unsigned u = 0; u < 2; ++u) unit[u].bind(stage.results);
            collector.set_consumer(watch);
        }
        void complete() {
            if (units.now() != 5) return;
            for (unsigned n = 0; n < 2; ++n) {
                warp_instruction& i = pool.acquire();
                i.info = n == 0 ? &b : &a;
                i.uid = n == 0 ? 8 : 7;  // the younger one completes first
                i.warp = static_cast<std::uint16_t>(n == 0 ? 3 : 2);
                i.active_mask = n == 0 ? 0xffu : ~0u;
                warps.table.warp[i.warp].in_pipeline = 1;
                scores.reserve(i.warp, *i.info, program::memory_space::none);
                warps.table.scoreboard_blocked |= warp_bit(i.warp);
                send(unit[n], i);
            }
            EXPECT_FALSE(stage.idle());
        }
        void sample() {
            if (released_at == 0 && !warps.issue_notified.empty()) released_at = watch.now();
        }
    } rig("rig");
    sc_core::sc_start(20, sc_core::SC_NS);
    EXPECT_EQ(rig.released_at, 6u);
    EXPECT_THAT(rig.warps.issue_notified, ElementsAre(2, 3));
    EXPECT_EQ(rig.pool.in_flight(), 0u);
    EXPECT_TRUE(rig.stage.idle());
    EXPECT_EQ(rig.statistics.warp_instructions, 2u);
    EXPECT_EQ(rig.statistics.thread_instructions, 40u);
    EXPECT_EQ(rig.statistics.warp_instructions_by_class[static_cast<unsigned>(op_class::sfu)], 1u);
    EXPECT_EQ(rig.warps.table.warp[2].in_pipeline + rig.warps.table.warp[3].in_pipeline, 0u);
    EXPECT_FALSE(rig.scores.writes_pending(2) || rig.scores.writes_pending(3));
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

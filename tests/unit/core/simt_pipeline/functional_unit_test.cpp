// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/functional_unit.h"

#include "modules/protocol/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace simtlm::core::simt_pipeline {
namespace {

using ::testing::ElementsAre;

/// Dispatches instructions in phase core_dispatch as soon as the unit accepts them.
struct unit_rig : sc_core::sc_module {
    simulation::phase_sequencer sequencer;
    functional_units units;
    const functional_unit& unit = units.all()[0];
    protocol::tagged_initiator_socket<unit_rig, 32, instruction_protocol> dispatch{"dispatch"};
    std::vector<std::uint64_t> dispatched, done;
    std::deque<std::pair<std::uint64_t, program::static_instruction>> plan;

    explicit unit_rig(const sc_core::sc_module_name& name)
        : sc_module(name),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table()),
          units("unit", sequencer, 1),
          process_("process", sequencer, protocol::phase::core_dispatch,
                   simulation::on_edge<&unit_rig::cycle>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        dispatch.bind(units.dispatch);
        dispatch.register_nb_transport_bw(this, &unit_rig::completed, 0);
    }
    void add(std::uint64_t at, unsigned latency, unsigned interval) {
        program::static_instruction i;
        i.latency = static_cast<std::uint16_t>(latency);
        i.initiation_interval = static_cast<std::uint16_t>(interval);
        plan.emplace_back(at, i);
    }
    void run(unsigned cycles = 300) {
        sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS);
    }

private:
    tlm::tlm_sync_enum completed(int, warp_instruction& inst, tlm::tlm_phase&, sc_core::sc_time&) {
        done.resize(std::max<std::size_t>(done.size(), inst.uid + 1));
        done[inst.uid] = process_.now();
        return tlm::TLM_ACCEPTED;
    }
    void cycle() {
        if (next_ == plan.size() || plan[next_].first > process_.now()) return;
        if (!unit.can_accept(plan[next_].second, process_.now())) return;
        instructions_.emplace_back();
        instructions_.back().info = &plan[next_].second;
        instructions_.back().uid = next_++;
        dispatched.push_back(process_.now());
        send(dispatch, instructions_.back());
    }
    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    std::size_t next_ = 0;
    std::deque<warp_instruction> instructions_;
    simulation::clocked_process process_;
};

TEST(FunctionalUnit, PassesAnInstructionToWriteBackAfterItsLatencyAndOneCycle) {
    unit_rig rig("rig");
    rig.add(5, 1, 1);
    rig.add(20, 4, 1);
    rig.add(40, 64, 1);
    rig.run();
    EXPECT_THAT(rig.dispatched, ElementsAre(5, 20, 40));
    EXPECT_THAT(rig.done, ElementsAre(7, 25, 105));
    EXPECT_EQ(rig.unit.counted().instructions, 3u);
    EXPECT_EQ(rig.unit.in_flight(), 0u);
}

TEST(FunctionalUnit, AcceptsOneInstructionPerInitiationInterval) {
    unit_rig full("full"), half("half"), quarter("quarter");
    for (int n = 0; n < 4; ++n) {
        full.add(1, 6, 1);
        half.add(1, 6, 2);
        quarter.add(1, 20, 8);
    }
    full.run();
    EXPECT_THAT(full.dispatched, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(full.done, ElementsAre(8, 9, 10, 11));
    EXPECT_THAT(half.dispatched, ElementsAre(1, 3, 5, 7));
    EXPECT_THAT(quarter.dispatched, ElementsAre(1, 9, 17, 25));
    EXPECT_THAT(quarter.done, ElementsAre(22, 30, 38, 46));
}

TEST(FunctionalUnit, RejectsAnInstructionThatWouldLeaveInAReservedCycle) {
    unit_rig rig("rig");
    rig.add(1, 10, 1);  // leaves in cycle 12
    rig.add(5, 6, 1);   // would leave in cycle 12 as well
    rig.add(7, 2, 1);   // overtakes
    rig.run();
    EXPECT_THAT(rig.dispatched, ElementsAre(1, 6, 7));
    EXPECT_THAT(rig.done, ElementsAre(12, 13, 10));
}

TEST(FunctionalUnit, HoldsAnInstructionAtLeastItsInitiationInterval) {
    unit_rig rig("rig");
    rig.add(1, 2, 16);  // the initiation interval exceeds the latency
    rig.run();
    EXPECT_THAT(rig.done, ElementsAre(18));
}

TEST(FunctionalUnit, KeepsInstructionsInFlightWhenALongerLatencyArrives) {
    unit_rig rig("rig");
    rig.add(1, 14, 1);
    rig.add(2, 200, 1);
    rig.add(3, 14, 1);
    rig.run();
    EXPECT_THAT(rig.dispatched, ElementsAre(1, 2, 3));
    EXPECT_THAT(rig.done, ElementsAre(16, 203, 18));
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

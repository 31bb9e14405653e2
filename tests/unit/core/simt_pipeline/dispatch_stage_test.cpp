// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/dispatch_stage.h"

#include "modules/core/simt_pipeline/ldst_unit.h"
#include "modules/protocol/phases.h"
#include "tests/unit/core/sm_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::core::simt_pipeline {
namespace {

using program::op_class;
using test::instruction;
using test::small_sm;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A dispatch stage between an operand collector and its units; completions are recorded. The
/// caches of the load/store unit accept nothing.
struct dispatch_rig : sc_core::sc_module {
    void completed(warp_instruction& inst) { done[inst.uid] = issuer_.now(); }

    const sm_config config;
    core_statistics statistics;
    test::warps warps{32};
    scoreboard scores{warps.table};
    warp_instruction_pool pool;
    protocol::transaction_pool transactions;
    simulation::phase_sequencer sequencer{"sequencer", protocol::clock_domains,
                                          protocol::phase_table()};
    operand_collector collector{"collector", sequencer, config, statistics};
    shared_memory shared{"shared", config};
    memory_port port{"port", 4};
    const requester_identity identity{{}};
    ldst_unit ldst{
        "ldst", sequencer,
        config, load_store_blocks{identity, warps.table, port, pool, transactions, statistics},
        scores, collector,
        shared};
    std::vector<std::unique_ptr<functional_units>> units;
    std::unique_ptr<dispatch_stage> stage;
    sc_core::sc_vector<instruction_initiator<dispatch_rig>> issue;
    instruction_fan_in<dispatch_rig, &dispatch_rig::completed> results;
    /// Cycle in which an instruction left its unit, by instruction number.
    std::vector<std::uint64_t> done = std::vector<std::uint64_t>(16, 0);

    dispatch_rig(const sc_core::sc_module_name& name, const sm_config& c)
        : sc_module(name),
          config(c),
          issue("issue", c.schedulers),
          results("results", *this),
          issuer_("issuer", sequencer, protocol::phase::core_issue,
                  simulation::on_edge<&dispatch_rig::start>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        std::vector<dispatch_stage::served> order;
        for (unsigned p = 0; p < config.pipelines.size(); ++p) {
            if (config.pipelines[p].units == 0) continue;
            units.push_back(std::make_unique<functional_units>(
                config.pipelines[p].name.c_str(), sequencer, config.pipelines[p].units));
            order.push_back({units.back().get(), p});
        }
        stage =
            std::make_unique<dispatch_stage>("stage", sequencer, config, collector, order, ldst);
        stage->to_ldst.bind(ldst.dispatch);
        for (auto& u : units) stage->to_units.bind(u->dispatch);
        stage->result_bus.bind(results);
        for (unsigned s = 0; s < c.schedulers; ++s) issue[s].bind(collector.issue[s]);
        ldst.to_shared.bind(shared.load);
        ldst.l1d.bind(nothing_[0]);
        ldst.l1c.bind(nothing_[1]);
        ldst.l1t.bind(nothing_[2]);
        ldst.uncached.bind(port.from[static_cast<unsigned>(memory_source::ldst)]);
        for (unsigned k = 0; k < unused_.size(); ++k) unused_[k].bind(port.from[k]);
        port.memory.bind(memory_.socket);
    }
    /// Plans an instruction without operands for a cycle.
    void plan(std::uint64_t cycle, op_class cls, unsigned latency, unsigned scheduler = 0) {
        code_.push_back(instruction(cls, {}, {}));
        code_.back().latency = static_cast<std::uint16_t>(latency);
        instructions_.emplace_back();
        warp_instruction& i = instructions_.back();
        i.info = &code_.back();
        i.uid = instructions_.size() - 1;
        i.scheduler = static_cast<std::uint8_t>(scheduler);
        plan_.emplace_back(cycle, &i);
    }
    void run() { sc_core::sc_start(400, sc_core::SC_NS); }
    std::vector<std::uint64_t> results_of(std::size_t count) const {
        return {done.begin(), done.begin() + static_cast<std::ptrdiff_t>(count)};
    }

private:
    void start() {
        while (!plan_.empty() && plan_.front().first <= issuer_.now()) {
            warp_instruction& i = *plan_.front().second;
            if (!collector.can_accept(collector.pipe_of(i.info->cls), i.scheduler)) return;
            send(issue[i.scheduler], i);
            plan_.pop_front();
        }
    }
    struct no_cache : protocol::cache_port_target<no_cache> {
        explicit no_cache(const char* n) : protocol::cache_port_target<no_cache>(n) {
            register_nb_transport_fw(this, &no_cache::refuse, 0);
        }
        tlm::tlm_sync_enum refuse(int, tlm::tlm_generic_payload&, tlm::tlm_phase& now,
                                  sc_core::sc_time&) {
            now = protocol::refused;
            return tlm::TLM_UPDATED;
        }
    };
    sc_core::sc_vector<no_cache> nothing_{"nothing", 3};
    /// Placeholders for the caches, which precede the load/store unit at the port.
    sc_core::sc_vector<protocol::initiator_socket<dispatch_rig>> unused_{
        "unused", static_cast<std::size_t>(memory_source::ldst)};
    test::fixed_memory memory_{"memory", sequencer, 10};
    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    std::deque<program::static_instruction> code_;
    std::deque<warp_instruction> instructions_;
    std::deque<std::pair<std::uint64_t, warp_instruction*>> plan_;
    simulation::clocked_process issuer_;
};

/// Registers and ports for several instructions per cycle.
sm_config wide() {
    sm_config c = small_sm();
    c.collector.general = {8, 4, 4};
    test::widen(c, 2);
    return c;
}

TEST(DispatchStage, FillsUnitsOfSeveralKindsInOneCycle) {
    dispatch_rig rig("rig", wide());
    rig.plan(1, op_class::sp, 4);
    rig.plan(1, op_class::integer, 4);
    rig.plan(1, op_class::sfu, 4);
    rig.run();
    EXPECT_EQ(rig.done[0], rig.done[1]);
    EXPECT_EQ(rig.done[0], rig.done[2]);
    EXPECT_EQ(rig.stage->counted().result_bus_conflicts, 0u);
}

TEST(DispatchStage, UsesAllUnitsOfAKind) {
    dispatch_rig rig("rig", wide());
    rig.plan(1, op_class::sp, 4);
    rig.plan(1, op_class::sp, 4);
    rig.run();
    EXPECT_EQ(rig.done[0], rig.done[1]);
}

TEST(DispatchStage, StallsAnInstructionWhoseResultBusSlotIsReserved) {
    sm_config c = wide();
    c.write_back.width = 1;
    dispatch_rig rig("rig", c);
    rig.plan(1, op_class::sp, 4);
    rig.plan(1, op_class::integer, 4);
    rig.plan(1, op_class::sfu, 4);
    rig.run();
    // In the order in which the units are visited: SP, INT, SFU.
    EXPECT_EQ(rig.done[1], rig.done[0] + 1);
    EXPECT_EQ(rig.done[2], rig.done[0] + 2);
    EXPECT_EQ(rig.stage->counted().result_bus_conflicts, 6u) << "3, at both units of a kind";
}

TEST(DispatchStage, KeepsReservationsWhenALongerLatencyIsAdded) {
    sm_config c = wide();
    c.write_back.width = 1;
    dispatch_rig rig("rig", c);
    rig.plan(1, op_class::sp, 60);
    rig.plan(2, op_class::integer, 300);  // beyond all previous reservations
    rig.plan(11, op_class::sfu, 50);      // would collide with the first
    rig.run();
    EXPECT_EQ(rig.done[1], rig.done[0] + 241);
    EXPECT_EQ(rig.done[2], rig.done[0] + 1);
    EXPECT_EQ(rig.stage->counted().result_bus_conflicts, 2u) << "1, at both units";
}

TEST(DispatchStage, DispatchesToTheUnitOfTheSchedulersSubCore) {
    sm_config c = wide();
    c.schedulers = 2;
    c.sub_core_model = true;
    c.collector.general = {8, 8, 8};
    dispatch_rig rig("rig", c);
    rig.plan(1, op_class::sp, 4, 1);
    rig.plan(2, op_class::sp, 4, 1);
    rig.plan(2, op_class::sp, 4, 0);
    rig.run();
    EXPECT_EQ(rig.units[0]->all()[0].counted().instructions, 1u);
    EXPECT_EQ(rig.units[0]->all()[1].counted().instructions, 2u);
}

TEST(DispatchStage, DispatchesOneMemoryInstructionAtATime) {
    dispatch_rig rig("rig", wide());
    rig.plan(1, op_class::memory_barrier, 1);
    rig.plan(1, op_class::memory_barrier, 1);
    rig.run();
    EXPECT_EQ(rig.statistics.ldst_instructions, 2u);
    EXPECT_TRUE(rig.ldst.can_accept());
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

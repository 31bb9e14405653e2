// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/operand_collector.h"

#include "modules/protocol/phases.h"
#include "tests/unit/core/sm_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace simtlm::core::simt_pipeline {
namespace {

using program::op_class;
using test::instruction;
using test::small_sm;
using ::testing::ElementsAre;
using ::testing::Pair;

/// Issues instructions in phase core_issue, writes registers in core_write_back and empties the
/// OC_EX registers in core_dispatch, like the blocks around the collector.
struct collector_rig : sc_core::sc_module {
    const sm_config config;
    core_statistics statistics;
    simulation::phase_sequencer sequencer;
    operand_collector collector;
    sc_core::sc_vector<instruction_initiator<collector_rig>> issue;
    /// Cycle in which the dispatch stage saw an instruction, and its number.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
    bool unit_busy = false;
    std::map<std::uint64_t, program::static_instruction> writes;  ///< by cycle

    collector_rig(const sc_core::sc_module_name& name, const sm_config& c)
        : sc_module(name),
          config(c),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table()),
          collector("collector", sequencer, config, statistics),
          issue("issue", c.schedulers),
          writer_("writer", sequencer, protocol::phase::core_write_back,
                  simulation::on_edge<&collector_rig::write>(this), true),
          consumer_("consumer", sequencer, protocol::phase::core_dispatch,
                    simulation::on_edge<&collector_rig::consume>(this), true),
          issuer_("issuer", sequencer, protocol::phase::core_issue,
                  simulation::on_edge<&collector_rig::start>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        for (unsigned s = 0; s < c.schedulers; ++s) issue[s].bind(collector.issue[s]);
        collector.set_consumer(consumer_);
    }
    /// Plans an instruction for a cycle, or the first possible cycle after it.
    void plan(std::uint64_t cycle, const program::static_instruction& info, unsigned scheduler = 0,
              unsigned warp = 0) {
        code_.push_back(info);
        instructions_.emplace_back();
        warp_instruction& i = instructions_.back();
        i.info = &code_.back();
        i.uid = instructions_.size() - 1;
        i.scheduler = static_cast<std::uint8_t>(scheduler);
        i.warp = static_cast<std::uint16_t>(warp);
        plan_.push_back({cycle, &i});
    }
    void run(unsigned cycles = 60) {
        sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS);
    }
    std::vector<std::uint64_t> cycles() const {
        std::vector<std::uint64_t> result;
        for (const auto& o : out) result.push_back(o.first);
        return result;
    }
    std::vector<std::uint64_t> numbers() const {
        std::vector<std::uint64_t> result;
        for (const auto& o : out) result.push_back(o.second);
        return result;
    }

private:
    void write() {
        const auto w = writes.find(writer_.now());
        if (w == writes.end()) return;
        warp_instruction inst;
        inst.info = &w->second;
        unsigned first = 0;
        EXPECT_TRUE(collector.write_back(inst, first, writer_.now()));
    }
    void consume() {
        if (unit_busy) return;
        for (unsigned p = 0; p < collector.pipes(); ++p)
            while (!collector.ready(p).empty()) {
                const warp_instruction& i = collector.take(p, collector.ready(p).oldest());
                out.emplace_back(consumer_.now(), i.uid);
            }
    }
    void start() {
        while (!plan_.empty() && plan_.front().first <= issuer_.now()) {
            warp_instruction& i = *plan_.front().second;
            if (!collector.can_accept(collector.pipe_of(i.info->cls), i.scheduler)) return;
            send(issue[i.scheduler], i);
            plan_.pop_front();
        }
    }
    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    std::deque<program::static_instruction> code_;
    std::deque<warp_instruction> instructions_;
    std::deque<std::pair<std::uint64_t, warp_instruction*>> plan_;
    simulation::clocked_process writer_, consumer_, issuer_;
};

program::static_instruction add(std::initializer_list<unsigned> sources) {
    return instruction(op_class::integer, {}, sources);
}

TEST(OperandCollector, TakesOneCycleEachToAllocateReadAndDispatch) {
    collector_rig rig("rig", small_sm());
    rig.plan(1, add({1, 2, 3}));
    rig.plan(20, add({}));  // no operands to read
    rig.run();
    EXPECT_THAT(rig.cycles(), ElementsAre(5, 23));
    EXPECT_EQ(rig.statistics.register_reads, 3u);
    EXPECT_TRUE(rig.collector.idle());
}

TEST(OperandCollector, ReadsOneRegisterOfABankPerPass) {
    collector_rig rig("rig", small_sm());  // 8 banks
    rig.plan(1, add({1, 9}));
    rig.plan(20, add({1, 9, 17}));
    rig.run();
    EXPECT_THAT(rig.cycles(), ElementsAre(6, 26));
    EXPECT_EQ(rig.statistics.register_bank_conflicts, 1u + 2u + 1u);
}

TEST(OperandCollector, ReadsARegisterThatIsNamedTwiceOnce) {
    collector_rig rig("rig", small_sm());
    rig.plan(1, add({7, 7, 7}));
    rig.run();
    EXPECT_THAT(rig.cycles(), ElementsAre(5));
    EXPECT_EQ(rig.statistics.register_reads, 1u);
}

TEST(OperandCollector, DoesNotReadRegisterZero) {
    collector_rig rig("rig", small_sm());
    rig.plan(1, add({program::register_zero}));
    rig.plan(20, add({255}));  // RZ, if it counts as a register
    rig.run();
    EXPECT_THAT(rig.cycles(), ElementsAre(4, 24));
    EXPECT_EQ(rig.statistics.register_reads, 1u);
}

TEST(OperandCollector, PrioritizesWrites) {
    collector_rig rig("rig", small_sm());
    rig.plan(1, add({1}));
    // Writes the bank that is read in cycle 3.
    rig.writes[3] = instruction(op_class::integer, {9}, {});
    rig.plan(20, add({1}));
    rig.writes[22] = instruction(op_class::integer, {10}, {});  // writes a different bank
    rig.run();
    EXPECT_THAT(rig.cycles(), ElementsAre(6, 24));
    EXPECT_EQ(rig.statistics.register_writes, 2u);
}

TEST(OperandCollector, RunsOnePassPerRegisterFilePortAndCycle) {
    sm_config c = small_sm();
    c.collector.port_throughput = 2;
    collector_rig rig("rig", c);
    rig.plan(1, add({1, 2}));
    rig.plan(20, add({1, 9}));
    rig.plan(40, add({1}));
    rig.writes[41] = instruction(op_class::integer, {9}, {});  // blocks only the first pass
    rig.run();
    // Allocated and read in one cycle; the second register of a bank in the next pass.
    EXPECT_THAT(rig.cycles(), ElementsAre(4, 23, 43));
}

TEST(OperandCollector, SpreadsWarpsOverTheBanksByWarpIdIfConfigured) {
    sm_config with = small_sm(), without = small_sm();
    with.collector.bank_uses_warp_id = true;
    for (sm_config* c : {&with, &without}) {
        c->collector.general = {8, 2, 2};
        c->pipelines[pipe_int].id_oc = c->pipelines[pipe_int].oc_ex = 2;
    }
    collector_rig apart("apart", with), together("together", without);
    for (collector_rig* r : {&apart, &together}) {
        r->plan(1, add({1}), 0, 0);
        r->plan(1, add({1}), 0, 1);
    }
    apart.run();
    EXPECT_THAT(apart.cycles(), ElementsAre(5, 5));
    EXPECT_THAT(together.cycles(), ElementsAre(5, 6));
}

TEST(OperandCollector, AssignsEverySchedulerItsOwnBanksInTheSubCoreModel) {
    sm_config c = small_sm();
    c.schedulers = 2;
    c.sub_core_model = true;
    c.collector.general = {8, 2, 2};
    c.pipelines[pipe_int].id_oc = c.pipelines[pipe_int].oc_ex = 2;
    collector_rig rig("rig", c);  // 4 banks each
    rig.plan(1, add({1}), 0, 0);
    rig.plan(1, add({1}), 1, 1);
    rig.plan(20, add({1, 5}), 1, 1);  // both in one bank of four
    rig.run();
    EXPECT_THAT(rig.cycles(), ElementsAre(5, 5, 25));
}

TEST(OperandCollector, SeparatesTheRegistersOfSchedulersInTheSubCoreModel) {
    sm_config c = small_sm();
    c.schedulers = 2;
    c.sub_core_model = true;
    c.collector.general = {2, 1, 1};
    c.pipelines[pipe_int].id_oc = c.pipelines[pipe_int].oc_ex = 2;
    collector_rig rig("rig", c);
    EXPECT_TRUE(rig.collector.can_accept(pipe_int, 0));
    EXPECT_TRUE(rig.collector.can_accept(pipe_int, 1));
    EXPECT_FALSE(rig.collector.can_accept(pipe_int, 2)) << "as many registers as schedulers";
    rig.unit_busy = true;
    for (unsigned n = 0; n < 4; ++n) rig.plan(1, add({1}), 0, 0);
    rig.run(30);
    EXPECT_FALSE(rig.collector.can_accept(pipe_int, 0));
    EXPECT_TRUE(rig.collector.can_accept(pipe_int, 1));
    EXPECT_EQ(rig.collector.ready(pipe_int).taken(), 1u) << "the register of scheduler 0";
}

TEST(OperandCollector, HoldsInstructionsWhileTheUnitsAreBusy) {
    sm_config c = small_sm();
    c.collector.general = {3, 1, 1};
    collector_rig rig("rig", c);
    rig.unit_busy = true;
    for (unsigned n = 0; n < 8; ++n) rig.plan(1, add({n}));
    rig.run(40);
    // One in OC_EX, one in each collector, one in ID_OC; the others have not been issued.
    EXPECT_EQ(rig.collector.ready(pipe_int).count(), 1u);
    EXPECT_EQ(rig.collector.units_in_use(), 3u);
    EXPECT_FALSE(rig.collector.can_accept(pipe_int, 0));
    rig.unit_busy = false;
    rig.run(60);
    EXPECT_EQ(rig.out.size(), 8u);
    EXPECT_TRUE(rig.collector.idle());
}

TEST(OperandCollector, DispatchesRoundRobinPerPort) {
    sm_config c = small_sm();
    c.collector.general = {4, 4, 1};
    c.pipelines[pipe_int].id_oc = 4;
    c.pipelines[pipe_int].oc_ex = 4;
    collector_rig rig("rig", c);
    for (unsigned n = 0; n < 4; ++n) rig.plan(1, add({n}));
    rig.run();
    // Collectors 0 to 3 complete at the same time; the port starts after the one served last (0).
    EXPECT_THAT(rig.out, ElementsAre(Pair(5, 1), Pair(6, 2), Pair(7, 3), Pair(8, 0)));
}

TEST(OperandCollector, ServesEachUnitByDedicatedCollectors) {
    sm_config c = small_sm();
    c.collector.specialized = true;
    c.collector.general = {0, 0, 0};
    c.pipelines[pipe_sp].collectors = c.pipelines[pipe_sfu].collectors =
        c.pipelines[pipe_mem].collectors = c.pipelines[pipe_int].collectors = {1, 1, 1};
    collector_rig rig("rig", c);
    // Three additions for one collector; a special function bypasses them.
    rig.plan(1, add({0}));
    rig.plan(2, add({1}));
    rig.plan(3, instruction(op_class::sfu, {}, {5}));
    rig.plan(3, add({2}));
    rig.run();
    ASSERT_EQ(rig.out.size(), 4u);
    EXPECT_THAT(rig.out, ElementsAre(Pair(5, 0), Pair(7, 1), Pair(7, 2), Pair(9, 3)));
}

TEST(OperandCollector, UsesAGeneralCollectorWhenTheDedicatedOnesAreBusy) {
    sm_config c = small_sm();
    c.collector.specialized = true;
    c.collector.general = {1, 0, 1};
    c.pipelines[pipe_int].collectors = {1, 2, 1};
    c.pipelines[pipe_int].id_oc = c.pipelines[pipe_int].oc_ex = 2;
    collector_rig rig("rig", c);
    for (unsigned n = 0; n < 2; ++n) rig.plan(1, add({n}));
    rig.run();
    EXPECT_THAT(rig.cycles(), ElementsAre(5, 5));
}

TEST(OperandCollector, HasAPipelineForEveryClass) {
    sm_config c = small_sm();
    collector_rig all("all", c);
    c.pipelines[pipe_dp].units = 0;
    c.pipelines[pipe_int].units = 0;
    pipeline_config& third = c.pipelines[pipe_spec + 2];
    third.present = true;
    third.units = third.id_oc = third.oc_ex = 1;
    collector_rig few("few", c);
    EXPECT_EQ(all.collector.pipe_of(op_class::sp), unsigned{pipe_sp});
    EXPECT_EQ(all.collector.pipe_of(op_class::dp), unsigned{pipe_dp});
    for (const op_class k : {op_class::integer, op_class::alu, op_class::branch, op_class::barrier,
                             op_class::exit, op_class::call, op_class::ret}) {
        EXPECT_EQ(all.collector.pipe_of(k), unsigned{pipe_int});
        EXPECT_EQ(few.collector.pipe_of(k), unsigned{pipe_sp}) << "without integer units";
    }
    EXPECT_EQ(few.collector.pipe_of(op_class::dp), unsigned{pipe_sfu}) << "without DP units";
    for (const op_class k : {op_class::load, op_class::store, op_class::memory_barrier})
        EXPECT_EQ(all.collector.pipe_of(k), unsigned{pipe_mem});
    EXPECT_EQ(all.collector.pipe_of(op_class::spec3), unsigned{built_in_pipes});
    EXPECT_EQ(few.collector.pipe_of(op_class::spec3), unsigned{pipe_spec} + 2);
    EXPECT_EQ(all.collector.pipe_of(op_class::tensor), unsigned{built_in_pipes});
}

TEST(OperandCollector, ServesAPipelineAddedToTheTable) {
    sm_config c = small_sm();
    pipeline_config ray;
    ray.name = ray.label = "ray";
    ray.classes = {op_class::spec8};
    ray.units = 2;
    c.pipelines.push_back(ray);
    collector_rig rig("rig", c);
    EXPECT_EQ(rig.collector.pipe_of(op_class::spec8), unsigned{built_in_pipes});
    rig.plan(1, instruction(op_class::spec8, {}, {1}));
    rig.run();
    EXPECT_THAT(rig.cycles(), ElementsAre(5));
}

TEST(OperandCollector, WritesOneRegisterOfABankPerCycle) {
    collector_rig rig("rig", small_sm());
    rig.run(1);
    warp_instruction inst;
    const auto info = instruction(op_class::load, {4, 5, 12, 6}, {});  // 4 and 12: same bank
    inst.info = &info;
    unsigned first = 0;
    EXPECT_FALSE(rig.collector.write_back(inst, first, 100));
    EXPECT_EQ(first, 2u);
    EXPECT_FALSE(rig.collector.write_back(inst, first, 100));
    EXPECT_TRUE(rig.collector.write_back(inst, first, 101));
    EXPECT_EQ(first, 4u);
    EXPECT_EQ(rig.statistics.register_writes, 4u);
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

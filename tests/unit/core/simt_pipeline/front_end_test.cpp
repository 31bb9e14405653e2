// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/front_end.h"

#include "modules/protocol/phases.h"
#include "tests/unit/core/warps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

namespace simtlm::core::simt_pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A front end, an instruction cache with configurable responses, and warps of straight-line code.
struct front_rig : sc_core::sc_module, front_end::listener {
    struct fetch {
        std::uint64_t cycle;
        unsigned warp;
        std::uint64_t address;
        unsigned bytes;
    };
    const sm_config config;
    core_statistics statistics;
    test::warps warps{8};
    scoreboard scores{warps.table};
    protocol::transaction_pool transactions;
    simulation::phase_sequencer sequencer{"sequencer", protocol::clock_domains,
                                          protocol::phase_table()};
    const requester_identity identity{{3, 1, 4}};
    front_end fetcher{
        "fetcher", sequencer, config,
        front_end::blocks{*this, identity, warps.table, scores, transactions, statistics}};
    protocol::cache_port_target<front_rig> cache{"cache"};
    std::vector<fetch> fetches;
    std::map<unsigned, unsigned> misses;  ///< by warp: cycles until the data arrive
    unsigned back_pressure = 0;           ///< number of fetches to refuse first
    std::vector<std::pair<std::uint64_t, unsigned>> exits;  ///< cycle, warp

    front_rig(const sc_core::sc_module_name& name, const sm_config& c)
        : sc_module(name),
          config(c),
          memory_("memory", sequencer, protocol::phase::core_instruction_cache,
                  simulation::on_edge<&front_rig::respond>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        fetcher.icache.bind(cache);
        cache.register_nb_transport_fw(this, &front_rig::access, 0);
    }
    /// Adds a warp with a number of instructions, starting at a program counter.
    void add_warp(unsigned w, unsigned instructions, std::uint64_t pc = 0) {
        const std::size_t first = code_.size();
        for (unsigned i = 0; i < instructions; ++i) {
            info_.push_back(test::instruction(program::op_class::integer, {}, {}));
            info_.back().pc = pc + 16 * i;
        }
        std::vector<program::dynamic_instruction>& path = code_.emplace_back(instructions);
        for (unsigned i = 0; i < instructions; ++i)
            path[i].info = &info_[info_.size() - instructions + i];
        warps.table.warp[w].code = {code_[first].data(), code_[first].data() + instructions};
        warps.table.resident |= warp_bit(w);
        fetcher.wake();
    }
    void run(unsigned cycles = 20) {
        sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS);
    }
    std::vector<unsigned> fetched() const {
        std::vector<unsigned> order;
        for (const fetch& f : fetches) order.push_back(f.warp);
        return order;
    }
    unsigned buffered(unsigned w) const { return warps.table.warp[w].ibuffer.count(); }
    void warp_exits(unsigned w) override {
        exits.emplace_back(memory_.now(), w);
        warps.table.resident &= ~warp_bit(w);
        warps.table.done &= ~warp_bit(w);
    }

private:
    tlm::tlm_sync_enum access(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                              sc_core::sc_time&) {
        if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
        if (back_pressure != 0) {
            --back_pressure;
            phase = protocol::refused;
            return tlm::TLM_UPDATED;
        }
        const protocol::memory_extension& e = protocol::extension(p);
        EXPECT_EQ(e.sm, 3u);
        EXPECT_EQ(e.cluster, 1u);
        fetches.push_back({memory_.now(), e.warp, p.get_address(), p.get_data_length()});
        const auto miss = misses.find(e.warp);
        if (miss == misses.end()) return tlm::TLM_COMPLETED;
        pending_.emplace_back(memory_.now() + miss->second, &p);
        return tlm::TLM_ACCEPTED;
    }
    void respond() {
        if (pending_.empty() || pending_.front().first > memory_.now()) return;
        protocol::begin_response(cache, *pending_.front().second);
        pending_.pop_front();
    }
    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    std::deque<program::static_instruction> info_;
    std::deque<std::vector<program::dynamic_instruction>> code_;
    std::deque<std::pair<std::uint64_t, tlm::tlm_generic_payload*>> pending_;
    simulation::clocked_process memory_;
};

sm_config config_of(unsigned throughput = 1) {
    sm_config c;
    c.front_end.fetch_throughput = throughput;
    c.l1.instruction.line_bytes = 128;
    return c;
}

TEST(FrontEnd, FetchesOneWarpPerCycleRoundRobinAndDecodesTwoInstructionsInTheNext) {
    front_rig rig("rig", config_of());
    for (const unsigned w : {1u, 4u, 6u}) rig.add_warp(w, 5);
    rig.run(3);
    EXPECT_THAT(rig.fetched(), ElementsAre(1, 4, 6));
    EXPECT_EQ(rig.fetches[2].cycle, rig.fetches[0].cycle + 2);
    EXPECT_EQ(rig.buffered(1), 2u);
    EXPECT_EQ(rig.buffered(4), 2u);
    EXPECT_EQ(rig.buffered(6), 0u) << "decoded in the next cycle";
    EXPECT_EQ(rig.warps.table.warp[4].in_pipeline, 2u);
}

TEST(FrontEnd, FetchesTheConfiguredNumberOfTimesPerCycle) {
    front_rig rig("rig", config_of(2));
    for (const unsigned w : {0u, 1u, 2u, 3u}) rig.add_warp(w, 5);
    rig.run(2);
    EXPECT_THAT(rig.fetched(), ElementsAre(1, 2, 3, 0)) << "round robin from the warp after 0";
}

TEST(FrontEnd, DoesNotFetchForAWarpWithBufferedInstructions) {
    front_rig rig("rig", config_of());
    rig.add_warp(2, 5);
    rig.run();
    EXPECT_THAT(rig.fetched(), ElementsAre(2));
    EXPECT_EQ(rig.statistics.decoded, 2u);
}

TEST(FrontEnd, DecodesARemainingSingleInstruction) {
    front_rig rig("rig", config_of());
    rig.add_warp(0, 1);
    rig.run();
    EXPECT_EQ(rig.buffered(0), 1u);
    EXPECT_TRUE(rig.warps.table.warp[0].code.empty());
}

TEST(FrontEnd, FetchesForOtherWarpsDuringAMiss) {
    front_rig rig("rig", config_of());
    rig.misses[1] = 10;
    rig.add_warp(0, 4);
    rig.add_warp(1, 4);
    rig.run(5);
    EXPECT_THAT(rig.fetched(), ElementsAre(1, 0));
    EXPECT_EQ(rig.buffered(1), 0u);
    EXPECT_EQ(rig.buffered(0), 2u);
    rig.run(20);
    EXPECT_THAT(rig.fetched(), ElementsAre(1, 0)) << "the miss is not fetched again";
    EXPECT_EQ(rig.buffered(1), 2u);
    EXPECT_EQ(rig.fetcher.probe().misses, 1u);
}

TEST(FrontEnd, RetriesAfterAReservationFailure) {
    front_rig rig("rig", config_of());
    rig.back_pressure = 3;
    rig.add_warp(5, 4);
    rig.run(10);
    EXPECT_EQ(rig.fetcher.probe().reservation_failures, 3u);
    EXPECT_THAT(rig.fetched(), ElementsAre(5));
}

TEST(FrontEnd, DoesNotFetchAcrossACacheLine) {
    front_rig rig("rig", config_of());
    rig.add_warp(0, 4, 120);
    rig.run(3);
    ASSERT_EQ(rig.fetches.size(), 1u);
    EXPECT_EQ(rig.fetches[0].address % 128, 120u);
    EXPECT_EQ(rig.fetches[0].bytes, 8u);
}

TEST(FrontEnd, ReleasesAWarpWhenItHasNoInstructionInFlight) {
    front_rig rig("rig", config_of());
    rig.add_warp(3, 2);
    rig.run(4);
    warp_state& warp = rig.warps.table.warp[3];
    warp.ibuffer.flush();
    warp.in_pipeline = 0;
    warp.stores = 1;
    rig.warps.table.buffered = 0;
    rig.warps.table.ends(3);
    rig.fetcher.wake();
    rig.run(4);
    EXPECT_THAT(rig.exits, IsEmpty()) << "a store is not acknowledged";
    rig.warps.table.store_acknowledged(3);
    rig.fetcher.wake();
    rig.run(4);
    ASSERT_EQ(rig.exits.size(), 1u);
    EXPECT_EQ(rig.exits[0].second, 3u);
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/cta_cluster_barrier.h"

#include "modules/protocol/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace simtlm::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr unsigned one_way = 20;

/// SMs with one CTA of a cluster each, which act in given cycles.
class barrier_rig : public sc_core::sc_module {
public:
    struct endpoint : cta_cluster_endpoint {
        barrier_rig* owner = nullptr;
        unsigned number = 0;
        unsigned sm() const override { return number; }
        void send(protocol::sm_to_sm_message) override {}
        void shared_memory_changed(std::uint64_t) override {}
        void barrier_completed(unsigned slot, const cta_cluster&) override {
            owner->released.emplace_back(owner->process_.now(), number * 10 + slot);
        }
    };
    simulation::phase_sequencer sequencer;
    cta_cluster_barrier barrier;
    std::shared_ptr<cta_cluster> cluster = std::make_shared<cta_cluster>();
    std::vector<endpoint> sms;
    std::vector<std::pair<std::uint64_t, unsigned>> released;

    barrier_rig(const sc_core::sc_module_name& name, unsigned ctas, warp_mask warps)
        : sc_module(name),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table()),
          barrier("barrier", sequencer, one_way, ctas),
          sms(ctas),
          process_("process", sequencer, protocol::phase::core_issue,
                   simulation::on_edge<&barrier_rig::cycle>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        cluster->members.resize(ctas);
        for (unsigned i = 0; i < ctas; ++i) {
            sms[i].owner = this;
            sms[i].number = i;
            cluster->members[i] = {&sms[i], 1, warps, 0};
        }
    }
    void at(std::uint64_t cycle, std::function<void()> act) { todo_[cycle].push_back(act); }
    void arrive(std::uint64_t cycle, unsigned rank, unsigned warp) {
        at(cycle, [=] { barrier.arrives(rank, cluster, rank, warp); });
    }
    void end(std::uint64_t cycle, unsigned rank, unsigned warp) {
        at(cycle, [=] { barrier.ends(rank, cluster, rank, warp); });
    }
    static void run(unsigned cycles) {
        sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS);
    }

private:
    void cycle() {
        for (const auto& act : todo_[process_.now()]) act();
    }
    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    std::map<std::uint64_t, std::vector<std::function<void()>>> todo_;
    simulation::clocked_process process_;
};

TEST(CtaClusterBarrier, NotifiesEverySmTwoLatenciesAfterTheLastArrival) {
    barrier_rig r("barrier_rig", 2, 0b11);
    r.arrive(10, 0, 0);
    r.arrive(11, 1, 1);
    r.arrive(11, 0, 1);
    r.arrive(50, 1, 0);
    barrier_rig::run(200);
    EXPECT_THAT(r.released, ElementsAre(std::pair(50 + 2 * std::uint64_t{one_way}, 1u),
                                        std::pair(50 + 2 * std::uint64_t{one_way}, 11u)));
    EXPECT_EQ(r.barrier.statistics().arrivals, 4u);
    EXPECT_EQ(r.barrier.statistics().barriers, 1u);
    EXPECT_EQ(r.barrier.statistics().cycles, 40u);
}

TEST(CtaClusterBarrier, DoesNotWaitForExitedWarps) {
    barrier_rig r("barrier_rig", 2, 0b11);
    r.arrive(10, 0, 0);
    r.arrive(10, 1, 0);
    r.arrive(10, 1, 1);
    r.end(70, 0, 1);
    barrier_rig::run(200);
    ASSERT_EQ(r.released.size(), 2u);
    EXPECT_EQ(r.released[0].first, 70 + 2 * one_way);
}

TEST(CtaClusterBarrier, IsNotCompleteWhenAllWarpsHaveExited) {
    barrier_rig r("barrier_rig", 2, 0b1);
    r.end(10, 0, 0);
    r.end(12, 1, 0);
    barrier_rig::run(100);
    EXPECT_THAT(r.released, IsEmpty());
}

TEST(CtaClusterBarrier, IsReusableAfterCompletion) {
    barrier_rig r("barrier_rig", 2, 0b1);
    for (const unsigned begin : {10u, 100u, 200u}) {
        r.arrive(begin, 0, 0);
        r.arrive(begin + 5, 1, 0);
    }
    barrier_rig::run(400);
    EXPECT_EQ(r.released.size(), 6u);
    EXPECT_EQ(r.barrier.statistics().barriers, 3u);
    EXPECT_EQ(r.barrier.statistics().cycles, 15u);
}

TEST(CtaClusterBarrier, ReportsArrivedAndMissingWarps) {
    barrier_rig r("barrier_rig", 2, 0b11);
    EXPECT_EQ(describe_barrier(*r.cluster), "");
    r.arrive(10, 0, 0);
    barrier_rig::run(100);
    EXPECT_THAT(describe_barrier(*r.cluster),
                HasSubstr("rank 0 on SM 0 (CTA slot 1): 1 of 2 warps have arrived; rank 1 on SM 1 "
                          "(CTA slot 1): 0 of 2 warps have arrived"));
}

}  // namespace
}  // namespace simtlm::core

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_cluster.h"

#include "tests/unit/core/sm_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace simtlm::core {
namespace {

using program::memory_space;
using test::block_builder;
using test::listing;
using test::small_sm;
using ::testing::ElementsAre;

/// A cluster and a network driven by the test: it accepts requests (if open) and offers responses
/// in list order, one at a time.
struct cluster_rig : sc_core::sc_module, private cta_listener {
    struct request {
        std::uint64_t cycle;
        unsigned sm;
        tlm::tlm_generic_payload* payload;
    };
    const simt_cluster_config config;
    bool offers_at_once = false;  // offer the next response as soon as one is taken
    simulation::phase_sequencer sequencer;
    protocol::transaction_pool pool;
    simt_cluster cluster;
    protocol::target_socket<cluster_rig> network{"network"};
    kernel_context kernel;
    std::vector<request> requests;
    std::deque<tlm::tlm_generic_payload*> responses;  ///< responses to offer
    std::vector<std::uint64_t> taken;                 ///< cycles of END_RESP
    std::vector<unsigned> completed;                  ///< SMs whose CTA ended
    bool open = true;

    cluster_rig(const sc_core::sc_module_name& name, const simt_cluster_config& c)
        : sc_module(name),
          config(c),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table()),
          cluster("cluster", sequencer, config, 0, pool),
          process_("process", sequencer, protocol::phase::network_transfer,
                   simulation::on_edge<&cluster_rig::cycle>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        cluster.network.bind(network);
        network.register_nb_transport_fw(this, &cluster_rig::transport, 0);
        for (unsigned i = 0; i < cluster.sms(); ++i) cluster.core(i).set_listener(*this);
        kernel.ctas_per_sm = 4;
    }
    /// Call between cycles.
    void launch(unsigned sm, const block_builder& b) {
        kernel.needs.threads = 32 * b.warps();
        cluster.core(sm).launch(kernel, b.build());
    }
    void run(unsigned cycles) { sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS); }
    std::uint64_t now() const { return process_.now(); }

private:
    tlm::tlm_sync_enum transport(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                 sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            EXPECT_EQ(&p, offered_);
            offered_ = nullptr;
            taken.push_back(process_.now());
            if (offers_at_once) offer();
            return tlm::TLM_COMPLETED;
        }
        EXPECT_EQ(owed_, nullptr) << "a request before the one before it was taken";
        requests.push_back({process_.now(), protocol::extension(p).sm, &p});
        if (!open) {
            owed_ = &p;
            return tlm::TLM_ACCEPTED;
        }
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void cycle() {
        sc_core::sc_time delay;
        if (open && owed_ != nullptr) {
            tlm::tlm_phase phase = tlm::END_REQ;
            tlm::tlm_generic_payload& p = *owed_;
            owed_ = nullptr;
            network->nb_transport_bw(p, phase, delay);
        }
        offer();
    }
    void offer() {
        sc_core::sc_time delay;
        if (offered_ == nullptr && !responses.empty()) {
            offered_ = responses.front();
            responses.pop_front();
            offered_->set_response_status(tlm::TLM_OK_RESPONSE);
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            network->nb_transport_bw(*offered_, phase, delay);
        }
    }
    void cta_completed(unsigned sm, kernel_context&, std::unique_ptr<program::cta>) override {
        completed.push_back(sm);
    }
    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    tlm::tlm_generic_payload* offered_ = nullptr;
    tlm::tlm_generic_payload* owed_ = nullptr;
    simulation::clocked_process process_;
};

simt_cluster_config config_of(unsigned sms) {
    simt_cluster_config c;
    c.clusters = 1;
    c.sms_per_cluster = sms;
    c.ejection_buffer_size = 4;
    c.sm = small_sm();
    return c;
}

/// One warp that loads one sector (per k), bypassing the L1, and exits.
struct loads {
    listing p;
    block_builder block;
    explicit loads(unsigned count, bool store = false) {
        block.warp();
        for (unsigned k = 0; k < count; ++k) {
            program::static_instruction i = p.memory(memory_space::global, store, 8 + k);
            i.cache_op = program::cache_operator::cache_global;
            block.access(p.add(i), [=](unsigned) { return 0x1000 + 32 * k; });
        }
        block.run(p.exit());
    }
};

TEST(SimtCluster, ForwardsTheRequestsOfASingleSmDirectly) {
    cluster_rig rig("rig", config_of(1));
    const loads l(1);
    rig.run(1);
    rig.launch(0, l.block);
    rig.run(50);
    ASSERT_EQ(rig.requests.size(), 1u);
    // Launched after cycle 0 (or 1); the request enters the network in the cycle in which the SM
    // starts the load.
    EXPECT_EQ(rig.cluster.traffic().read_requests, 1u);
    rig.responses.push_back(rig.requests[0].payload);
    rig.run(50);
    EXPECT_THAT(rig.completed, ElementsAre(0));
    EXPECT_FALSE(rig.cluster.busy());
}

TEST(SimtCluster, CountsItsPacketsByTypeAndSize) {
    cluster_rig rig("rig", config_of(1));
    loads l(3);
    program::static_instruction store = l.p.memory(memory_space::global, true, 8);
    store.cache_op = program::cache_operator::cache_global;
    block_builder b = l.block;
    b.warp();
    b.access(l.p.add(store), [](unsigned lane) { return 0x8000 + 4 * (lane % 8); });
    b.access(
        l.p.atomic(9), [](unsigned) { return 0x9000; }, 1u);
    rig.run(1);
    rig.launch(0, b);
    rig.run(100);
    ASSERT_EQ(rig.requests.size(), 5u);
    for (const auto& r : rig.requests) rig.responses.push_back(r.payload);
    rig.run(100);
    using sizes = std::vector<packet_breakdown::size_count>;
    const auto of = [](const packet_breakdown& d, protocol::access_type t) {
        return d.sizes[static_cast<unsigned>(t)];
    };
    const traffic_statistics& t = rig.cluster.traffic();
    using protocol::access_type;
    EXPECT_EQ(of(t.sent, access_type::global_read), (sizes{{8, 3}})) << "a header each";
    EXPECT_EQ(of(t.received, access_type::global_read), (sizes{{40, 3}})) << "and a sector";
    EXPECT_EQ(of(t.sent, access_type::global_write), (sizes{{40, 1}}));
    EXPECT_EQ(of(t.received, access_type::global_write), (sizes{{8, 1}}));
    EXPECT_EQ(t.sent.sizes[packet_breakdown::atomic], (sizes{{40, 1}})) << "data both ways";
    EXPECT_EQ(t.received.sizes[packet_breakdown::atomic], (sizes{{40, 1}}));
}

TEST(SimtCluster, SharesThePortAmongItsSms) {
    cluster_rig rig("rig", config_of(3));
    const loads l(4);
    rig.run(1);
    for (unsigned s = 0; s < 3; ++s) rig.launch(s, l.block);
    rig.run(100);
    ASSERT_EQ(rig.requests.size(), 12u);
    std::array<unsigned, 3> count{};
    for (const auto& r : rig.requests) ++count[r.sm];
    EXPECT_THAT(count, ElementsAre(4, 4, 4));
    // All three send in the same cycles, with rotating priority.
    const unsigned first = rig.requests[0].sm;
    EXPECT_EQ(rig.requests[1].sm, (first + 1) % 3);
    EXPECT_EQ(rig.requests[2].sm, (first + 2) % 3);
    EXPECT_NE(rig.requests[3].sm, first);
    for (const auto& r : rig.requests) rig.responses.push_back(r.payload);
    rig.run(200);
    EXPECT_EQ(rig.completed.size(), 3u);
    EXPECT_LE(rig.pool.outstanding(), 3u) << "those that the front ends keep";
}

TEST(SimtCluster, StallsItsSmsWhileTheNetworkIsFull) {
    cluster_rig rig("rig", config_of(2));
    const loads l(6);
    rig.run(1);
    rig.open = false;
    for (unsigned s = 0; s < 2; ++s) rig.launch(s, l.block);
    rig.run(100);
    EXPECT_EQ(rig.requests.size(), 1u);
    EXPECT_TRUE(rig.cluster.busy());
    rig.open = true;
    rig.run(100);
    EXPECT_EQ(rig.requests.size(), 12u);
}

TEST(SimtCluster, SendsAStalledRequestInTheCycleAfterTheBlockingRequest) {
    cluster_rig rig("rig", config_of(2));
    listing p;
    block_builder block;
    // Two uncached loads and one through the L1: the SM's port holds back the other source.
    block.warp();
    for (const unsigned k : {0u, 1u}) {
        program::static_instruction i = p.memory(memory_space::global, false, 8 + k);
        i.cache_op = program::cache_operator::cache_global;
        block.access(p.add(i), [=](unsigned) { return 0x1000 + 32 * k; });
    }
    block.access(p.memory(memory_space::global, false, 10), [](unsigned) { return 0x2000; });
    block.run(p.exit());
    rig.run(1);
    rig.open = false;
    rig.launch(0, block);
    rig.run(100);
    ASSERT_EQ(rig.requests.size(), 1u);
    rig.open = true;
    rig.run(10);
    ASSERT_EQ(rig.requests.size(), 3u);
    EXPECT_EQ(rig.requests[2].cycle, rig.requests[1].cycle + 1);
}

TEST(SimtCluster, ShowsOrderedSmsTheCapacityLeftByEarlierSms) {
    simt_cluster_config c = config_of(3);
    c.sm.quirks.sms_in_order = true;
    cluster_rig rig("rig", c);
    const loads l(4);
    rig.run(1);
    rig.cluster.set_ctas_left(true, rig.now());
    for (unsigned s = 0; s < 3; ++s) rig.launch(s, l.block);
    rig.run(100);
    ASSERT_EQ(rig.requests.size(), 12u);
    for (unsigned k = 0; k < 12; ++k) {
        EXPECT_EQ(rig.requests[k].cycle, rig.requests[k / 3 * 3].cycle);
        if (k >= 3) {
            const auto& before = rig.requests[k - 3];
            EXPECT_EQ(rig.requests[k].sm, (before.sm + rig.requests[k].cycle - before.cycle) % 3)
                << "another one first in every cycle";
        }
    }
    rig.open = false;  // there is room for one more request
    for (unsigned s = 0; s < 3; ++s) rig.launch(s, l.block);
    rig.run(100);
    EXPECT_EQ(rig.requests.size(), 13u);
    EXPECT_EQ(rig.cluster.requests_queued(), 0u) << "the other SMs have kept theirs";
    rig.open = true;
    rig.run(100);
    EXPECT_EQ(rig.requests.size(), 24u);
}

TEST(SimtCluster, HoldsMissesInTheCacheUntilTheNetworkHasCapacity) {
    simt_cluster_config c = config_of(1);
    c.sm.quirks.sms_in_order = true;
    cluster_rig rig("rig", c);
    listing p;
    block_builder block;
    block.warp();
    program::static_instruction past = p.memory(memory_space::global, false, 8);
    past.cache_op = program::cache_operator::cache_global;
    block.access(p.add(past), [](unsigned) { return 0x1000; });
    for (unsigned k = 0; k < 3; ++k)
        block.access(p.memory(memory_space::global, false, 9 + k),
                     [=](unsigned) { return 0x2000 + 0x80 * k; });
    block.run(p.exit());
    rig.run(1);
    rig.open = false;
    rig.launch(0, block);
    rig.run(100);
    ASSERT_EQ(rig.requests.size(), 1u);
    rig.open = true;
    rig.run(20);
    ASSERT_EQ(rig.requests.size(), 4u);
    for (unsigned k = 2; k < 4; ++k)
        EXPECT_EQ(rig.requests[k].cycle, rig.requests[k - 1].cycle + 1) << k;
}

TEST(SimtCluster, AcceptsOneResponsePerCycleFromTheNetwork) {
    cluster_rig rig("rig", config_of(2));
    const loads l(3);
    rig.run(1);
    for (unsigned s = 0; s < 2; ++s) rig.launch(s, l.block);
    rig.run(100);
    for (const auto& r : rig.requests) rig.responses.push_back(r.payload);
    rig.run(100);
    ASSERT_EQ(rig.taken.size(), 6u);
    for (std::size_t k = 1; k < 6; ++k) EXPECT_EQ(rig.taken[k], rig.taken[k - 1] + 1);
    EXPECT_EQ(rig.completed.size(), 2u);
}

TEST(SimtCluster, ForwardsSeveralResponsesPerCycleThroughAWidePort) {
    simt_cluster_config c = config_of(1);
    c.responses_per_cycle = 2;
    cluster_rig rig("rig", c);
    rig.offers_at_once = true;
    const loads l(6);
    rig.run(1);
    rig.launch(0, l.block);
    rig.run(100);
    for (const auto& r : rig.requests) rig.responses.push_back(r.payload);
    rig.run(100);
    ASSERT_EQ(rig.taken.size(), 6u);
    for (std::size_t k = 0; k < 6; k += 2) {
        EXPECT_EQ(rig.taken[k], rig.taken[0] + k / 2);
        EXPECT_EQ(rig.taken[k + 1], rig.taken[k]);
    }
    EXPECT_EQ(rig.completed.size(), 1u);
}

TEST(SimtCluster, BlocksResponsesAfterOneWhoseSmIsFull) {
    // Uncached loads leave the FIFO of their SM every other cycle at best: a FIFO of one entry
    // fills up, and the response of the other SM is blocked.
    simt_cluster_config c = config_of(2);
    c.sm.ldst.response_buffer_size = 1;
    cluster_rig rig("rig", c);
    const loads many(8), one(1);
    rig.run(1);
    rig.launch(0, many.block);
    rig.launch(1, one.block);
    rig.run(100);
    ASSERT_EQ(rig.requests.size(), 9u);
    for (const auto& r : rig.requests)
        if (r.sm == 0) rig.responses.push_back(r.payload);
    for (const auto& r : rig.requests)
        if (r.sm == 1) rig.responses.push_back(r.payload);
    const std::uint64_t from = rig.now();
    rig.run(200);
    ASSERT_EQ(rig.taken.size(), 9u);
    EXPECT_GT(rig.taken.back(), from + 9) << "the network had to wait as well";
    ASSERT_EQ(rig.completed.size(), 2u);
    EXPECT_FALSE(rig.cluster.busy());
}

TEST(SimtCluster, NotifiesItsObserverOfDataRepliesOnly) {
    struct watcher : reply_observer {
        std::vector<std::uint64_t> addresses;
        void reply_received(const tlm::tlm_generic_payload& p, std::uint64_t) override {
            addresses.push_back(p.get_address());
        }
    } watch;
    simt_cluster_config c = config_of(1);
    c.sm.l1.perfect_instruction_and_constant = false;
    cluster_rig rig("rig", c);
    rig.cluster.set_reply_observer(watch);
    const loads l(1);
    rig.run(1);
    rig.launch(0, l.block);
    for (int n = 0; n < 20; ++n) {
        rig.run(20);
        for (const auto& r : rig.requests) rig.responses.push_back(r.payload);
        rig.requests.clear();
    }
    EXPECT_THAT(watch.addresses, ElementsAre(0x1000u));
    EXPECT_EQ(rig.completed.size(), 1u);
}

/// Clusters with a perfect memory, which run concurrently because a process simulates once.
class perfect_clusters {
public:
    void add(unsigned sms, unsigned loads_each, unsigned entries) {
        simt_cluster_config c = config_of(sms);
        c.sm.ldst.perfect_memory = true;
        c.ejection_buffer_size = entries;
        const std::string name = "rig" + std::to_string(rigs_.size());
        rigs_.push_back(std::make_unique<cluster_rig>(name.c_str(), c));
        loads_.push_back(std::make_unique<loads>(loads_each));
        sms_.push_back(sms);
        cycles_.push_back(0);
    }
    /// Core cycles that each cluster needs for the loads of its SMs.
    const std::vector<std::uint64_t>& run() {
        rigs_.front()->run(1);
        for (std::size_t i = 0; i < rigs_.size(); ++i)
            for (unsigned s = 0; s < sms_[i]; ++s) rigs_[i]->launch(s, loads_[i]->block);
        for (std::uint64_t cycle = 1; cycle < 2000; ++cycle) {
            rigs_.front()->run(1);
            for (std::size_t i = 0; i < rigs_.size(); ++i)
                if (cycles_[i] == 0 && rigs_[i]->completed.size() == sms_[i]) cycles_[i] = cycle;
        }
        for (std::size_t i = 0; i < rigs_.size(); ++i) {
            EXPECT_NE(cycles_[i], 0u) << i;
            EXPECT_TRUE(rigs_[i]->requests.empty()) << "nothing reaches the network";
            EXPECT_FALSE(rigs_[i]->cluster.busy());
        }
        return cycles_;
    }

private:
    std::vector<std::unique_ptr<cluster_rig>> rigs_;
    std::vector<std::unique_ptr<loads>> loads_;
    std::vector<unsigned> sms_;
    std::vector<std::uint64_t> cycles_;
};

TEST(SimtCluster, APerfectMemoryAnswersOneRequestPerCycleForAllItsSms) {
    perfect_clusters clusters;
    clusters.add(1, 6, 4);
    clusters.add(4, 6, 4);
    clusters.add(4, 12, 4);
    const std::vector<std::uint64_t> cycles = clusters.run();
    EXPECT_GE(cycles[1], cycles[0] + 6) << "24 responses share the port";
    EXPECT_GE(cycles[2], cycles[1] + 20) << "one per cycle";
}

TEST(SimtCluster, APerfectMemoryStallsRequestsWhileItsFifoIsFull) {
    perfect_clusters clusters;
    for (const unsigned sms : {1U, 2U, 4U}) {
        clusters.add(sms, 6, 8);
        clusters.add(sms, 6, 1);
    }
    const std::vector<std::uint64_t> cycles = clusters.run();
    for (std::size_t i = 0; i < cycles.size(); i += 2) EXPECT_LE(cycles[i], cycles[i + 1]);
}

}  // namespace
}  // namespace simtlm::core

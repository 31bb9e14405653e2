// SPDX-License-Identifier: Apache-2.0
#include "modules/core/gpc_cache.h"

#include "modules/protocol/phases.h"
#include "modules/protocol/port_buffer.h"
#include "modules/simulation/clocked_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr unsigned clusters = 2;
constexpr unsigned first_cluster = 6;
constexpr unsigned latency = 10;

/// The cache of the GPC of clusters 6 and 7, which the test drives on all sides: it sends the
/// requests of the clusters, accepts their responses, and answers the requests to the L2.
struct gpc_rig : sc_core::sc_module, private protocol::port_buffer::client {
    struct event {
        std::uint64_t cycle;
        std::uint64_t address;
        bool operator==(const event& o) const { return cycle == o.cycle && address == o.address; }
    };
    friend std::ostream& operator<<(std::ostream& os, const event& e) {
        return os << '(' << e.cycle << ", " << e.address << ')';
    }

    const gpc_cache_config config;
    simulation::phase_sequencer sequencer;
    protocol::transaction_pool pool;
    gpc_cache cache;
    protocol::target_socket<gpc_rig> network{"network"};
    protocol::port_buffer first{"first", *this}, second{"second", *this};
    std::vector<event> read;                             ///< from the L2
    std::array<std::vector<event>, clusters> responses;  ///< by cluster
    bool first_accepts = true;

    explicit gpc_rig(const sc_core::sc_module_name& name)
        : sc_module(name),
          config(parameters()),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table()),
          cache("cache", sequencer, config, first_cluster, clusters),
          process_("process", sequencer, protocol::phase::core_units,
                   simulation::on_edge<&gpc_rig::cycle>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        cache.clk(clock_);
        cache.network.bind(network);
        network.register_nb_transport_fw(this, &gpc_rig::transport, 0);
        first.bind(cache.from_cluster[0]);
        second.bind(cache.from_cluster[1]);
    }
    ~gpc_rig() override {
        for (tlm::tlm_generic_payload* p : made_) p->release();
    }

    /// Sends a read of 128 bytes of code at the next edge. @param cluster  0 or 1
    void request(unsigned cluster, std::uint64_t address) {
        tlm::tlm_generic_payload& p = pool.acquire(tlm::TLM_READ_COMMAND, address, 128,
                                                   protocol::access_type::instruction_read);
        protocol::extension(p).sm = static_cast<std::uint16_t>(first_cluster + cluster);
        made_.push_back(&p);
        to_send_.push_back({cluster, &p});
    }
    /// Answers the oldest request that the L2 has not answered, at the next edge.
    void answer() { ++answers_; }
    /// Reads a line, which the L2 supplies.
    void load(unsigned cluster, std::uint64_t address) {
        request(cluster, address);
        run(latency + 5);
        answer();
        run(5);
    }
    void run(unsigned cycles) { sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS); }
    std::uint64_t now() const { return process_.now(); }

private:
    static gpc_cache_config parameters() {
        gpc_cache_config c;
        c.cache.sets = 4;
        c.cache.ways = 2;
        c.cache.line_bytes = 128;
        c.cache.mshr_entries = 4;
        c.cache.mshr_max_merge = 4;
        c.cache.miss_queue_size = 4;
        c.latency = latency;
        c.requests_of_cluster = 8;
        c.clusters_of_gpc = {first_cluster, clusters};
        return c;
    }
    tlm::tlm_sync_enum transport(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                 sc_core::sc_time&) {
        if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
        read.push_back({process_.now(), p.get_address()});
        outstanding_.push_back(&p);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void cycle() {
        for (const auto& [cluster, p] : to_send_) (cluster == 0 ? first : second).try_send(*p);
        to_send_.clear();
        for (; answers_ != 0; --answers_) {
            tlm::tlm_generic_payload& p = *outstanding_.front();
            outstanding_.erase(outstanding_.begin());
            p.set_response_status(tlm::TLM_OK_RESPONSE);
            protocol::begin_response(network, p);
        }
        if (first_accepts) first.retry();
    }
    bool accept_response(tlm::tlm_generic_payload& p) override {
        const unsigned cluster = protocol::extension(p).sm - first_cluster;
        if (cluster == 0 && !first_accepts) return false;
        responses[cluster].push_back({process_.now(), p.get_address()});
        return true;
    }
    void request_ended(tlm::tlm_generic_payload&) override {}

    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
    std::vector<std::pair<unsigned, tlm::tlm_generic_payload*>> to_send_;
    std::vector<tlm::tlm_generic_payload*> made_, outstanding_;
    unsigned answers_ = 0;
    simulation::clocked_process process_;
};

TEST(GpcCache, SendsAMissToTheL2AfterItsLatency) {
    gpc_rig rig("rig");
    rig.run(5);
    rig.request(0, 0x1000);
    rig.run(1);
    const std::uint64_t sent = rig.now();
    rig.run(latency);
    EXPECT_THAT(rig.read, IsEmpty());
    rig.run(2);
    EXPECT_THAT(rig.read, ElementsAre(gpc_rig::event{sent + latency + 1, 0x1000}));
    EXPECT_TRUE(rig.cache.busy());
    EXPECT_THAT(rig.cache.describe(), HasSubstr("rig.cache"));
    rig.answer();
    rig.run(3);
    ASSERT_EQ(rig.responses[0].size(), 1u);
    EXPECT_EQ(rig.responses[0][0].address, 0x1000u);
    EXPECT_FALSE(rig.cache.busy());
    EXPECT_THAT(rig.cache.describe(), IsEmpty());
}

TEST(GpcCache, ReadsALineOnceForAllClustersAndAnswersOnePerCycle) {
    gpc_rig rig("rig");
    rig.request(0, 0x1000);
    rig.request(1, 0x1000);
    rig.run(latency + 5);
    ASSERT_EQ(rig.read.size(), 1u);
    rig.answer();
    rig.run(5);
    ASSERT_EQ(rig.responses[0].size(), 1u);
    ASSERT_EQ(rig.responses[1].size(), 1u);
    EXPECT_EQ(rig.responses[1][0].cycle, rig.responses[0][0].cycle + 1);
}

TEST(GpcCache, AnswersAHitAfterItsLatencyWithoutTheL2) {
    gpc_rig rig("rig");
    rig.load(0, 0x1000);
    rig.request(1, 0x1000);
    rig.run(1);
    const std::uint64_t sent = rig.now();
    rig.run(latency + 1);
    EXPECT_THAT(rig.responses[1], ElementsAre(gpc_rig::event{sent + latency, 0x1000}));
    EXPECT_EQ(rig.read.size(), 1u);
}

TEST(GpcCache, ReadsALineAgainAfterItHasBeenDiscarded) {
    gpc_rig rig("rig");
    rig.load(0, 0x1000);
    rig.cache.invalidate();
    rig.load(0, 0x1000);
    EXPECT_EQ(rig.read.size(), 2u);
}

TEST(GpcCache, DelaysOnlyTheClusterThatAcceptsNoResponse) {
    gpc_rig rig("rig");
    rig.first_accepts = false;
    for (const std::uint64_t address : {0x1000, 0x1080}) {
        rig.request(0, address);
        rig.run(1);
        rig.request(1, address);
        rig.run(latency + 5);
        rig.answer();
        rig.run(5);
    }
    EXPECT_THAT(rig.responses[0], IsEmpty());
    EXPECT_EQ(rig.responses[1].size(), 2u);
    EXPECT_TRUE(rig.cache.busy());
    rig.first_accepts = true;
    rig.run(4);
    EXPECT_EQ(rig.responses[0].size(), 2u);
    EXPECT_FALSE(rig.cache.busy());
}

TEST(GpcCache, MakesAnAccessWithoutFreeMshrWait) {
    gpc_rig rig("rig");
    for (unsigned line = 0; line < 5; ++line) rig.request(line % 2, 0x1000 + 0x80 * line);
    rig.run(latency + 10);
    EXPECT_EQ(rig.read.size(), 4u);
    rig.answer();
    rig.run(5);
    EXPECT_EQ(rig.read.size(), 5u);
    for (unsigned line = 0; line < 4; ++line) {
        rig.answer();
        rig.run(5);
    }
    EXPECT_EQ(rig.responses[0].size() + rig.responses[1].size(), 5u);
    EXPECT_FALSE(rig.cache.busy());
}

}  // namespace
}  // namespace simtlm::core

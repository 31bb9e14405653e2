// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/sm_to_sm_network.h"

#include "modules/protocol/phases.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::interconnect {
namespace {

using protocol::sm_to_sm_message;
using protocol::sm_to_sm_packet;

/// The network interface of an SM: sends given messages as fast as the network accepts them, in
/// core_write_back, and answers reads on arrival.
class sm_end : public sc_core::sc_module, public protocol::sm_to_sm_receiver {
public:
    struct delivery {
        std::uint64_t cycle;
        unsigned from;
        std::uint64_t tag;
        bool data;
    };
    protocol::sm_to_sm_initiator<sm_end> network;
    std::deque<sm_to_sm_message> to_send;
    std::vector<delivery> delivered;
    unsigned refusals = 0;

    sm_end(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
           unsigned number)
        : sc_module(name),
          network("network"),
          number_(number),
          process_("process", sequencer, protocol::phase::core_write_back,
                   simulation::on_edge<&sm_end::cycle>(this), true) {
        network.register_nb_transport_bw(this, &sm_end::from_network, 0);
    }
    void plan(unsigned to, sm_to_sm_packet what, unsigned bytes, unsigned count = 1) {
        for (unsigned i = 0; i < count; ++i) {
            sm_to_sm_message m;
            m.what = what;
            m.to = static_cast<std::uint16_t>(to);
            m.bytes = bytes;
            m.receiver = this;
            m.tag[0] = sent_++;
            to_send.push_back(m);
        }
        process_.wake();
    }

private:
    void cycle() {
        while (!blocked_ && !to_send.empty()) {
            sm_to_sm_message m = to_send.front();
            to_send.pop_front();
            send(m);
        }
        if (to_send.empty() || blocked_) process_.sleep();
    }
    void send(sm_to_sm_message m) {
        m.from = static_cast<std::uint16_t>(number_);
        if (protocol::begin_request(network, m) != tlm::TLM_ACCEPTED) return;
        blocked_ = true;
        ++refusals;
    }
    tlm::tlm_sync_enum from_network(int, sm_to_sm_message& m, tlm::tlm_phase& phase,
                                    sc_core::sc_time&) {
        if (phase == tlm::END_REQ) {
            blocked_ = false;
            process_.wake();
            return tlm::TLM_ACCEPTED;
        }
        delivered.push_back({m.at, m.from, m.tag[0], m.what != sm_to_sm_packet::read_request});
        if (m.what != sm_to_sm_packet::read_request) return tlm::TLM_COMPLETED;
        sm_to_sm_message answer = m;
        answer.what = sm_to_sm_packet::read_response;
        answer.to = m.from;
        answer.bytes = 128;
        send(answer);
        return tlm::TLM_COMPLETED;
    }
    void arrived(const sm_to_sm_message&) override {}

    unsigned number_;
    bool blocked_ = false;
    std::uint64_t sent_ = 0;
    simulation::clocked_process process_;
};

class cluster_rig : public sc_core::sc_module {
public:
    simulation::phase_sequencer sequencer;
    sm_to_sm_network network;
    std::vector<std::unique_ptr<sm_end>> sm;

    cluster_rig(const sc_core::sc_module_name& name, unsigned sms,
                const simulation::phase_sequencer::options& options = {})
        : sc_module(name),
          sequencer("sequencer", protocol::clock_domains, protocol::phase_table(), options),
          network("network", sequencer, {}, 0, sms) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock_);
        for (unsigned i = 0; i < sms; ++i) {
            sm.push_back(
                std::make_unique<sm_end>(("sm" + std::to_string(i)).c_str(), sequencer, i));
            sm.back()->network.bind(network.from_sm[i]);
        }
    }
    static void run(unsigned cycles) {
        sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS);
    }

private:
    sc_core::sc_clock clock_{"clock", 1, sc_core::SC_NS};
};

/// Data bytes per cycle, without the first and the last few messages.
double rate_of(const std::vector<sm_end::delivery>& d, unsigned bytes) {
    const std::size_t skipped = 10;
    const auto messages = static_cast<double>(d.size() - 2 * skipped);
    return messages * bytes /
           static_cast<double>(d[d.size() - skipped - 1].cycle - d[skipped - 1].cycle);
}

TEST(SmToSmNetwork, DeliversAMessageAfterItsLatencyAndTheTimeOfItsBytes) {
    cluster_rig r("cluster_rig", 8);
    const sm_to_sm_network_config c;
    r.sm[0]->plan(1, sm_to_sm_packet::write, 128);
    r.sm[2]->plan(7, sm_to_sm_packet::write, 128);
    cluster_rig::run(200);
    // 128 bytes and the header over four lanes of 32 bytes shared by six SMs.
    const unsigned bytes = (128 + c.overhead[2]) * 6, cycles = (bytes + 127) / 128;
    ASSERT_EQ(r.sm[1]->delivered.size(), 1u);
    ASSERT_EQ(r.sm[7]->delivered.size(), 1u);
    const std::uint64_t near = r.sm[1]->delivered[0].cycle, far = r.sm[7]->delivered[0].cycle;
    EXPECT_EQ(far - near, c.far_latency - c.near_latency);
    EXPECT_LE(near, c.near_latency + cycles + 1);
    EXPECT_GE(near, c.near_latency + cycles);
    EXPECT_EQ(r.network.statistics().messages[2], 2u);
    EXPECT_EQ(r.network.messages(), 0u);
}

TEST(SmToSmNetwork, LimitsAnSmToItsLanesEvenIfOthersAreIdle) {
    cluster_rig r("cluster_rig", 12), all("all", 12);
    r.sm[0]->plan(1, sm_to_sm_packet::bulk, 128, 200);
    for (unsigned i = 0; i < 12; ++i)
        all.sm[i]->plan((i + 1) % 12, sm_to_sm_packet::bulk, 128, 200);
    cluster_rig::run(3000);
    const double alone = rate_of(r.sm[1]->delivered, 128);
    EXPECT_NEAR(alone, 21.33, 0.1);
    for (unsigned i = 0; i < 12; ++i) EXPECT_NEAR(rate_of(all.sm[i]->delivered, 128), alone, 0.2);
}

TEST(SmToSmNetwork, CarriesTheMeasuredBytesOfLoadsAndStoresOneWayAndBothWays) {
    struct report_value {
        sm_to_sm_packet what;
        bool both;
        double measured;  ///< measured B/cycle and SM
    };
    const report_value report_values[] = {{sm_to_sm_packet::read_request, false, 19.87},
                                          {sm_to_sm_packet::read_request, true, 15.37},
                                          {sm_to_sm_packet::write, false, 18.87}};
    std::vector<std::unique_ptr<cluster_rig>> rigs;
    for (const report_value& f : report_values) {
        rigs.push_back(std::make_unique<cluster_rig>(
            ("cluster_rig" + std::to_string(rigs.size())).c_str(), 2));
        const unsigned bytes = f.what == sm_to_sm_packet::write ? 128 : 0;
        rigs.back()->sm[0]->plan(1, f.what, bytes, 300);
        if (f.both) rigs.back()->sm[1]->plan(0, f.what, bytes, 300);
    }
    cluster_rig::run(6000);
    for (std::size_t k = 0; k < rigs.size(); ++k) {
        const report_value& f = report_values[k];
        const sm_end& receiver = *rigs[k]->sm[f.what == sm_to_sm_packet::write ? 1 : 0];
        std::vector<sm_end::delivery> data;
        for (const sm_end::delivery& d : receiver.delivered)
            if (d.data) data.push_back(d);
        EXPECT_EQ(data.size(), 300u);
        EXPECT_NEAR(rate_of(data, 128), f.measured, 0.05 * f.measured) << k;
    }
}

TEST(SmToSmNetwork, DeliversAControlMessageAfterTheLatencyIndependentOfTheLanes) {
    cluster_rig r("rig", 8);
    const sm_to_sm_network_config c;
    r.sm[0]->plan(1, sm_to_sm_packet::write, 128, 7);
    r.sm[0]->plan(7, sm_to_sm_packet::bulk, 0);
    cluster_rig::run(200);
    ASSERT_EQ(r.sm[7]->delivered.size(), 1u);
    EXPECT_LE(r.sm[7]->delivered[0].cycle, c.far_latency + 2u);
}

TEST(SmToSmNetwork, KeepsTheOrderOfMessagesFromOneSmToAnother) {
    cluster_rig r("cluster_rig", 4);
    for (unsigned i = 0; i < 20; ++i) r.sm[0]->plan(3, sm_to_sm_packet::write, 4 + 31 * (i % 5));
    r.sm[1]->plan(3, sm_to_sm_packet::write, 128, 20);
    cluster_rig::run(1000);
    std::vector<std::uint64_t> tags;
    for (const sm_end::delivery& d : r.sm[3]->delivered)
        if (d.from == 0) tags.push_back(d.tag);
    ASSERT_EQ(tags.size(), 20u);
    for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(tags[i], i);
}

TEST(SmToSmNetwork, StallsSendersToABusyReceiverWithoutLoss) {
    cluster_rig r("cluster_rig", 12);
    for (unsigned i = 1; i < 12; ++i) r.sm[i]->plan(0, sm_to_sm_packet::bulk, 128, 40);
    cluster_rig::run(4000);
    ASSERT_EQ(r.sm[0]->delivered.size(), 440u);
    EXPECT_NEAR(rate_of(r.sm[0]->delivered, 128), 21.33, 0.2) << "its own lanes";
    EXPECT_GT(r.network.statistics().congested, 0u);
    unsigned refusals = 0;
    for (const auto& s : r.sm) refusals += s->refusals;
    EXPECT_GT(refusals, 0u);
}

TEST(SmToSmNetwork, IsIndependentOfProcessOrderAndSleep) {
    std::vector<std::unique_ptr<cluster_rig>> rigs;
    for (int k = 0; k < 4; ++k) {
        simulation::phase_sequencer::options options;
        options.shuffle_seed = static_cast<std::uint64_t>(k);
        options.sleeping = k != 3;
        rigs.push_back(
            std::make_unique<cluster_rig>(("cluster_rig" + std::to_string(k)).c_str(), 8, options));
        for (unsigned i = 0; i < 8; ++i)
            for (unsigned n = 0; n < 30; ++n)
                rigs.back()->sm[i]->plan(
                    (i * 3 + n * 5 + 1) % 8,
                    n % 3 == 0 ? sm_to_sm_packet::read_request : sm_to_sm_packet::write,
                    (n * 37) % 129);
    }
    cluster_rig::run(3000);
    const auto deliveries = [](const cluster_rig& r) {
        std::vector<std::uint64_t> all;
        for (const auto& s : r.sm)
            for (const sm_end::delivery& d : s->delivered)
                all.insert(all.end(), {d.cycle, d.from, d.tag});
        return all;
    };
    EXPECT_EQ(deliveries(*rigs[0]).size(), 3 * (240u + 80u));
    for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(deliveries(*rigs[0]), deliveries(*rigs[k])) << k;
}

}  // namespace
}  // namespace simtlm::interconnect

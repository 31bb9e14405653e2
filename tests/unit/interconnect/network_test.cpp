// SPDX-License-Identifier: Apache-2.0
// Requirements on every network, independent of its implementation.
#include "tests/unit/interconnect/network_harness.h"

#include <gtest/gtest.h>

namespace simtlm::interconnect::test {
namespace {

struct variant {
    const char* name;
    interconnect_config (*config)();
    bool keeps_order = true;  ///< several virtual channels may reorder packets
};
void PrintTo(const variant& v, std::ostream* os) {
    *os << v.name;
}
const variant variants[] = {
    {"IslipCrossbar", [] { return crossbar_of(7, 5); }},
    {"RoundRobinCrossbar",
     [] {
         auto c = crossbar_of(7, 5);
         c.crossbar.arbiter = crossbar_arbiter::round_robin;
         c.crossbar.in_buffer_limit = 1;
         c.crossbar.out_buffer_limit = 1;
         return c;
     }},
    {"CrossbarOfFlits",
     [] {
         auto c = crossbar_of(7, 5);
         c.crossbar.quirk_packet_is_one_flit = false;
         c.flit_bytes = 32;
         return c;
     }},
    {"Perfect", [] { return perfect_of(7, 5); }},
    {"Fly", [] { return routers_of(7, 5); }},
    {"TwoStageFly",
     [] {
         return routers_of(7, 5,
                           {{"k", "4"},
                            {"n", "2"},
                            {"vc_buf_size", "4"},
                            {"input_buffer_size", "8"},
                            {"boundary_buffer_size", "5"}});
     }},
    {"Mesh",
     [] {
         return routers_of(7, 5,
                           {{"topology", "mesh"},
                            {"k", "4"},
                            {"n", "2"},
                            {"routing_function", "dor"},
                            {"vc_buf_size", "2"},
                            {"routing_delay", "1"},
                            {"internal_speedup", "1"}});
     }},
    {"Torus",
     [] {
         return routers_of(7, 5,
                           {{"topology", "torus"},
                            {"k", "4"},
                            {"n", "2"},
                            {"num_vcs", "2"},
                            {"routing_function", "dim_order"},
                            {"vc_buf_size", "2"},
                            {"input_buffer_size", "6"},
                            {"boundary_buffer_size", "5"}});
     },
     false},
    {"MeshThatHoldsTheSwitch",
     [] {
         return routers_of(7, 5,
                           {{"topology", "mesh"},
                            {"k", "4"},
                            {"n", "2"},
                            {"routing_function", "dim_order"},
                            {"vc_buf_size", "2"},
                            {"hold_switch_for_packet", "1"},
                            {"credit_delay", "2"},
                            {"wait_for_tail_credit", "1"},
                            {"sw_alloc_delay", "2"},
                            {"vc_alloc_delay", "2"},
                            {"flit_size", "32"}});
     }},
};

class Network : public ::testing::TestWithParam<variant> {
protected:
    static bench::load heavy() {
        bench::load l;
        l.seed = 3;
        l.transactions = 150;
        l.send_permille = 800;
        l.cluster_takes_percent = 70;
        l.memory_takes_percent = 60;
        l.hot_spot = true;
        l.mixed_sizes = true;
        return l;
    }
};

TEST_P(Network, AnswersEveryRequestOnceUnderStallsAndContention) {
    bench b(GetParam().config());
    b.apply(heavy());
    ASSERT_TRUE(b.drain(20000)) << "something is left inside";
    expect_conserved(b, 7 * 150, GetParam().keeps_order);
    EXPECT_EQ(b.net->packets_injected(requests), 7u * 150);
    EXPECT_EQ(b.net->packets_injected(replies), 7u * 150);
}

TEST_P(Network, WorksBetweenUnrelatedClocks) {
    bench b(GetParam().config(), {}, {0.7, 1.1, 0.9});
    b.apply(heavy());
    ASSERT_TRUE(b.drain(20000));
    expect_conserved(b, 7 * 150, GetParam().keeps_order);
}

TEST_P(Network, IsIndependentOfProcessOrderAndSleep) {
    simulation::phase_sequencer::options awake;
    awake.sleeping = false;
    simulation::phase_sequencer::options shuffled;
    shuffled.shuffle_seed = 12345;
    bench a(GetParam().config());
    bench b(GetParam().config(), awake);
    bench c(GetParam().config(), shuffled);
    auto l = heavy();
    l.send_permille = 60;  // idle cycles in between
    for (bench* each : {&a, &b, &c}) each->apply(l);
    a.run(12000);
    ASSERT_EQ(a.pool.outstanding(), 0u);
    EXPECT_EQ(a.fingerprint(150), b.fingerprint(150));
    EXPECT_EQ(a.fingerprint(150), c.fingerprint(150));
    const auto fa = a.net->report_values();
    const auto fb = b.net->report_values();
    const auto fc = c.net->report_values();
    for (std::size_t i = 0; i < fa.size(); ++i) {
        EXPECT_EQ(fa[i].value, fb[i].value) << fa[i].name;
        EXPECT_EQ(fa[i].value, fc[i].value) << fa[i].name;
    }
    EXPECT_LT(a.sequencer.activations(protocol::phase::network_transfer),
              b.sequencer.activations(protocol::phase::network_transfer));
}

TEST_P(Network, SleepsWhenItIsEmpty) {
    bench b(GetParam().config());
    b.send(0, 0);
    ASSERT_TRUE(b.drain(200));
    b.run(20);
    const auto before = b.sequencer.activations(protocol::phase::network_transfer);
    b.run(500);
    EXPECT_EQ(b.sequencer.activations(protocol::phase::network_transfer), before);
}

TEST_P(Network, ReleasesPostedWritesImmediately) {
    bench b(GetParam().config());
    for (unsigned i = 0; i < 30; ++i)
        b.send(i % 7, i % 5, true, 32, protocol::access_type::l1_writeback);
    ASSERT_TRUE(b.drain(2000));
    std::uint64_t posted = 0;
    for (const auto& c : b.clusters) posted += c->posted_done;
    EXPECT_EQ(posted, 30u);
    EXPECT_EQ(b.net->packets_injected(requests), 30u);
    EXPECT_EQ(b.net->packets_injected(replies), 0u) << "no packet goes back";
}

TEST_P(Network, ServesMemoriesThatAcceptRequestsImmediately) {
    bench b(GetParam().config());
    for (auto& m : b.memories_at) m->manners = memory_model::style::takes_at_once;
    for (auto& c : b.clusters) c->takes_at_once = true;
    auto l = heavy();
    b.apply(l);
    ASSERT_TRUE(b.drain(20000));
    expect_conserved(b, 7 * 150, GetParam().keeps_order);
}

TEST_P(Network, ServesMemoriesThatCompleteWithinTheRequest) {
    bench b(GetParam().config());
    for (auto& m : b.memories_at) m->manners = memory_model::style::completes_early;
    b.apply(heavy());
    ASSERT_TRUE(b.drain(20000));
    expect_conserved(b, 7 * 150, GetParam().keeps_order);
}

TEST_P(Network, ServesMemoriesThatBeginTheResponseWithinTheRequest) {
    bench b(GetParam().config());
    for (auto& m : b.memories_at) m->manners = memory_model::style::responds_within_request;
    auto l = heavy();
    b.apply(l);
    ASSERT_TRUE(b.drain(40000));
    expect_conserved(b, 7 * 150, GetParam().keeps_order);
}

TEST_P(Network, ServesInitiatorsWithoutTheExtension) {
    struct manager : tlm::tlm_mm_interface {
        unsigned freed = 0;
        void free(payload* p) override {
            ++freed;
            p->reset();
        }
    } mm;
    bench b(GetParam().config());
    payload p(&mm);
    unsigned char data[64] = {};
    p.set_command(tlm::TLM_READ_COMMAND);
    p.set_address(((1u << 8 | 2) * 5 + 3) * 256);
    p.set_data_ptr(data);
    p.set_data_length(64);
    p.acquire();
    b.clusters[2]->to_send.push_back(&p);
    b.run(100);
    ASSERT_EQ(b.received.size(), 1u);
    EXPECT_EQ(b.served[0].port, 3u);
    EXPECT_EQ(b.received[0].port, 2u);
    EXPECT_EQ(mm.freed, 1u);
    EXPECT_EQ(p.get_extension<protocol::memory_extension>(), nullptr);
}

TEST_P(Network, RoutesBlockingAndDebugTransportsToTheRightMemory) {
    bench b(GetParam().config());
    b.run(1);
    payload p;
    unsigned char data[16] = {};
    p.set_command(tlm::TLM_READ_COMMAND);
    p.set_address(3 * 256);
    p.set_data_ptr(data);
    p.set_data_length(16);
    sc_core::sc_time delay;
    b.clusters[0]->socket->b_transport(p, delay);
    EXPECT_TRUE(p.is_response_ok());
    EXPECT_EQ(b.memories_at[3]->blocking_calls, 1u);
    EXPECT_EQ(b.clusters[6]->socket->transport_dbg(p), 16u);
    EXPECT_EQ(b.memories_at[3]->debug_calls, 1u);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(b.clusters[0]->socket->get_direct_mem_ptr(p, dmi));
}

TEST_P(Network, StampsWhenATransactionEnteredEachHalf) {
    bench b(GetParam().config());
    b.run(10);
    payload& p = b.send(1, 2);
    p.acquire();
    ASSERT_FALSE(b.drain(100)) << "the test holds the transaction";
    const auto& when = protocol::extension(p).when;
    EXPECT_EQ(when.injected, 9u + 1);
    EXPECT_GT(when.replied, when.injected);
    p.release();
}

INSTANTIATE_TEST_SUITE_P(Kinds, Network, ::testing::ValuesIn(variants),
                         [](const auto& made) { return std::string(made.param.name); });

TEST(PerfectNetwork, DeliversWithoutContentionInTheNextCycle) {
    bench b(perfect_of(6, 2));
    for (unsigned c = 0; c < 6; ++c) b.send(c, 0);
    b.memories_at[0]->latency = 0;
    ASSERT_TRUE(b.drain(100));
    for (unsigned i = 0; i < 6; ++i)
        EXPECT_EQ(b.served[i].cycle, 2u + i) << "the port still hands over one at a time";
}

}  // namespace
}  // namespace simtlm::interconnect::test

// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/crossbar.h"

#include "modules/support/error.h"
#include "tests/unit/interconnect/network_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::interconnect::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One crossbar without sockets: packets are numbers.
struct bare_switch {
    bare_switch(unsigned inputs, unsigned outputs, std::unique_ptr<switch_arbiter> arbiter,
                unsigned limit = 8, bool whole_packets = true, unsigned speedup = 1)
        : fabric(inputs, outputs, limit, limit, whole_packets, std::move(arbiter), speedup),
          arrived(outputs) {}

    void push(unsigned input, unsigned output, unsigned flits = 1, unsigned link_flits = 0) {
        payloads.push_back(std::make_unique<payload>());
        payloads.back()->set_address(input);
        packet p;
        p.payload = payloads.back().get();
        p.source = static_cast<std::uint16_t>(input);
        p.destination = static_cast<std::uint16_t>(output);
        p.flits = static_cast<std::uint16_t>(flits);
        p.link_flits = static_cast<std::uint8_t>(link_flits);
        fabric.push(input, p);
    }
    void advance() { fabric.advance(cycle++, arrived); }
    /// Inputs of the packets at an output, in order; removes the packets.
    std::vector<unsigned> take(unsigned output) {
        std::vector<unsigned> inputs;
        while (payload* p = fabric.head(output)) {
            inputs.push_back(static_cast<unsigned>(p->get_address()));
            fabric.has_left(output, fabric.remove_head(output));
        }
        return inputs;
    }

    crossbar_switch fabric;
    port_set arrived;
    std::uint64_t cycle = 0;
    std::vector<std::unique_ptr<payload>> payloads;
};

TEST(IslipArbiter, ServesAnOutputsRequestersRoundRobinFromItsPointer) {
    bare_switch s(4, 2, make_islip_arbiter(2, 1));
    for (unsigned i : {3u, 1u, 0u}) s.push(i, 0);
    s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(0));
    s.push(0, 0);
    s.advance();
    s.advance();
    s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(1, 3, 0));
}

TEST(CrossbarSwitch, MovesAsManyFlitsACycleAsItsSpeedup) {
    bare_switch s(2, 2, make_islip_arbiter(2, 1), 8, false, 2);
    for (unsigned i : {0u, 1u}) s.push(i, 0);  // two inputs to one output
    s.push(0, 1, 4);                           // followed by a packet of four flits
    s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(0, 1));
    s.advance();
    EXPECT_TRUE(s.take(1).empty()) << "its first flit moved in the second pass of the first cycle";
    s.advance();
    EXPECT_THAT(s.take(1), ElementsAre(0));
}

/// A switch whose inputs 0 and 1 share a link, and 2 and 3 another one, of two flits per cycle.
struct linked_switch : bare_switch {
    linked_switch() : bare_switch(4, 4, make_islip_arbiter(4, 1)) {
        fabric.connect(std::make_unique<input_links>(std::vector<unsigned>{0, 0, 1, 1}, 2000));
    }
    void push(unsigned input, unsigned output, unsigned link_flits) {
        bare_switch::push(input, output, 1, link_flits);
    }
};

TEST(InputLinks, TransferTheirFlitsPerCycleForTheInputsInTurn) {
    linked_switch s;
    for (int n = 0; n < 2; ++n)
        for (unsigned input : {0u, 1u, 2u}) s.push(input, input, 2);
    s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(0));
    EXPECT_TRUE(s.take(1).empty()) << "inputs 0 and 1 share the flits of a cycle";
    EXPECT_THAT(s.take(2), ElementsAre(2)) << "the other link has its own";
    s.advance();
    EXPECT_TRUE(s.take(0).empty());
    EXPECT_THAT(s.take(1), ElementsAre(1));
    EXPECT_THAT(s.take(2), ElementsAre(2));
    s.advance();
    s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(0));
    EXPECT_THAT(s.take(1), ElementsAre(1));
    EXPECT_EQ(s.fabric.counted().link_waits, 3u + 2 + 1) << "inputs that waited after each cycle";
    EXPECT_TRUE(s.fabric.idle());
}

TEST(InputLinks, MayTransferFractionsOfAFlitPerCycle) {
    input_links links({0}, 1500);
    unsigned sent = 0;
    for (std::uint64_t cycle = 0; cycle < 20; ++cycle) {
        links.push(0, 2);
        links.advance(cycle, [&](unsigned) { ++sent; });
    }
    EXPECT_EQ(sent, 15u) << "packets of two flits";
}

TEST(InputLinks, ALargerPacketDelaysTheFollowingOnes) {
    linked_switch s;
    s.push(0, 0, 5);  // 2.5 cycles
    s.push(1, 1, 1);
    s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(0));
    EXPECT_TRUE(s.take(1).empty());
    s.advance();
    EXPECT_TRUE(s.take(1).empty());
    s.advance();
    EXPECT_THAT(s.take(1), ElementsAre(1));
}

TEST(InputLinks, IdleCyclesDoNotAddUp) {
    linked_switch s;
    for (int n = 0; n < 10; ++n) s.advance();
    for (unsigned input : {0u, 1u}) s.push(input, input, 2);
    s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(0));
    EXPECT_TRUE(s.take(1).empty());
}

TEST(IslipArbiter, KeepsItsPointerForTheGrantCycles) {
    bare_switch s(3, 1, make_islip_arbiter(1, 3));
    for (int n = 0; n < 4; ++n)
        for (unsigned i : {0u, 1u}) s.push(i, 0);
    for (int n = 0; n < 8; ++n) s.advance();
    // The pointer moves only in the third, sixth, ... busy cycle.
    EXPECT_THAT(s.take(0), ElementsAre(0, 0, 0, 1, 1, 1, 0, 1));
}

TEST(IslipArbiter, GrantsAnInputSeveralAscendingOutputsInOneCycle) {
    bare_switch s(1, 4, make_islip_arbiter(4, 1));
    for (unsigned o : {0u, 1u, 3u, 2u}) s.push(0, o);
    s.advance();
    EXPECT_EQ(s.take(0).size() + s.take(1).size() + s.take(3).size(), 3u);
    EXPECT_TRUE(s.take(2).empty()) << "output 2 had been served before the packet was uncovered";
    s.advance();
    EXPECT_EQ(s.take(2).size(), 1u);
}

TEST(IslipArbiter, RotatesPriorityToInputsThatLost) {
    bare_switch s(5, 3, make_islip_arbiter(3, 1));
    for (unsigned i = 0; i < 5; ++i) s.push(i, i < 3 ? 0 : 1);
    s.advance();
    EXPECT_EQ(s.fabric.counted().conflicts, 3u) << "three want output 0, two want output 1";
    EXPECT_EQ(s.fabric.counted().granted, 2u);
    EXPECT_EQ(s.fabric.counted().busy_cycles, 1u);
}

TEST(RoundRobinArbiter, StartsOneNodeLaterInEveryCycle) {
    bare_switch s(3, 1, make_round_robin_arbiter(1, 0, 4));
    for (int n = 0; n < 4; ++n)
        for (unsigned i = 0; i < 3; ++i) s.push(i, 0);
    for (int n = 0; n < 6; ++n) s.advance();
    // Nodes 0..2 are inputs, node 3 is the output: its priority is given to input 0.
    EXPECT_THAT(s.take(0), ElementsAre(0, 1, 2, 0, 0, 1));
}

TEST(RoundRobinArbiter, RotatesOverAllNodesInTheReplyNetwork) {
    bare_switch s(2, 1, make_round_robin_arbiter(1, 3, 5));
    for (int n = 0; n < 5; ++n)
        for (unsigned i = 0; i < 2; ++i) s.push(i, 0);
    for (int n = 0; n < 5; ++n) s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(0, 0, 0, 0, 1)) << "input 1 is node 4";
}

TEST(RoundRobinArbiter, MovesOnePacketPerInputAndCycle) {
    bare_switch s(1, 2, make_round_robin_arbiter(2, 0, 3));
    s.push(0, 0);
    s.push(0, 1);
    s.advance();
    EXPECT_EQ(s.take(0).size(), 1u);
    EXPECT_TRUE(s.take(1).empty());
}

TEST(CrossbarSwitch, StopsAtAFullOutputAndCountsIt) {
    for (const bool islip : {true, false}) {
        bare_switch s(2, 1, islip ? make_islip_arbiter(1, 1) : make_round_robin_arbiter(1, 0, 3),
                      2);
        s.push(0, 0);
        s.push(0, 0);
        s.push(1, 0);
        for (int n = 0; n < 5; ++n) s.advance();
        EXPECT_EQ(s.take(0).size(), 2u);
        EXPECT_EQ(s.fabric.counted().out_full, islip ? 3u : 4u)
            << "round-robin also counts the loser of the cycle that filled the buffer";
        s.advance();
        EXPECT_EQ(s.take(0).size(), 1u);
    }
}

TEST(CrossbarSwitch, HoldsInputAndOutputForEveryFlitOfAPacket) {
    bare_switch s(2, 2, make_islip_arbiter(2, 1), 16, false);
    s.push(0, 0, 3);
    s.push(0, 1, 1);
    s.push(1, 0, 1);
    EXPECT_EQ(s.fabric.room(0), 12u);
    s.advance();
    s.advance();
    EXPECT_TRUE(s.take(0).empty());
    s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(0)) << "the third flit has passed";
    EXPECT_TRUE(s.take(1).empty()) << "its input was busy";
    s.advance();
    EXPECT_THAT(s.take(0), ElementsAre(1));
    EXPECT_THAT(s.take(1), ElementsAre(0));
}

TEST(Crossbar, DeliversAnUnloadedRequestInTheCycleAfterItsInjection) {
    bench b(crossbar_of(2, 2));
    b.send(0, 1);
    b.memories_at[1]->latency = 0;
    ASSERT_TRUE(b.drain(64));
    ASSERT_EQ(b.served.size(), 1u);
    // Injected after the transfer of cycle 0, moved in 1, taken in 2; the reply enters and moves in
    // cycle 3, taken in 4.
    EXPECT_EQ(b.served[0].cycle, 2u);
    EXPECT_EQ(b.received[0].cycle, 4u);
}

TEST(Crossbar, WithholdsEndReqWhileTheInputBufferIsFull) {
    interconnect_config c = crossbar_of(1, 1);
    c.crossbar.in_buffer_limit = 3;
    c.crossbar.out_buffer_limit = 2;
    bench b(c);
    b.memories_at[0]->takes = [](unsigned, std::uint64_t t) { return t >= 50; };
    for (int i = 0; i < 20; ++i) b.send(0, 0);
    b.run(40);
    EXPECT_EQ(b.clusters[0]->sent, 5u) << "3 in the input buffer, 2 in the output buffer";
    EXPECT_TRUE(b.clusters[0]->held());
    b.run(11);
    EXPECT_EQ(b.clusters[0]->sent, 6u) << "one place per packet taken";
    EXPECT_TRUE(b.drain(200));
}

TEST(Crossbar, SustainsOnePacketPerPortAndCycleUnderAPermutation) {
    const unsigned n = 16;
    bench b(crossbar_of(n, n));
    for (unsigned c = 0; c < n; ++c)
        for (unsigned i = 0; i < 400; ++i) b.send(c, (c + 5) % n);
    b.run(300);
    EXPECT_GE(b.served.size(), n * 296u);
    EXPECT_LE(b.served.size(), n * 300u);
    EXPECT_EQ(b.report_value("Req_Network_conflicts_per_cycle"), 0);
}

TEST(Crossbar, PassesMoreThanHeadOfLineBlockingAllowsWhereInputsSendSeveralPackets) {
    // With one packet per input, throughput would saturate at 2 - sqrt 2 = 0.586.
    const unsigned n = 16;
    interconnect_config c = crossbar_of(n, n);
    c.crossbar.in_buffer_limit = 64;
    c.crossbar.out_buffer_limit = 64;
    bench b(c);
    bench::load l;
    l.transactions = 1200;
    l.send_permille = 1000;
    b.apply(l);
    b.run(1000);
    EXPECT_GT(double(b.served.size()) / 1000 / n, 0.64);
}

TEST(Crossbar, SaturatesAtTheHeadOfLineBlockingLimitUnderRoundRobin) {
    const unsigned n = 32;
    interconnect_config c = crossbar_of(n, n);
    c.crossbar.arbiter = crossbar_arbiter::round_robin;
    c.crossbar.in_buffer_limit = 64;
    c.crossbar.out_buffer_limit = 64;
    bench b(c);
    bench::load l;
    l.transactions = 1200;
    l.send_permille = 1000;
    b.apply(l);
    b.run(1000);
    EXPECT_NEAR(double(b.served.size()) / 1000 / n, 0.586, 0.04);
}

/// Fingerprints and statistics of GPGPU-Sim's crossbar under the same load.
struct golden {
    unsigned in, out, arbiter, grant_cycles;
    std::uint64_t fingerprint;
    double conflicts, parallelism, in_full, in_util, out_full, out_util;  // for requests
};
void PrintTo(const golden& g, std::ostream* os) {
    *os << g.in << ',' << g.out << ',' << g.arbiter << ',' << g.grant_cycles;
}
class CrossbarReference : public ::testing::TestWithParam<golden> {};

TEST_P(CrossbarReference, DeliversEveryPacketInTheCycleOfAccelSim) {
    const golden& g = GetParam();
    interconnect_config c = crossbar_of(20, 12);
    c.crossbar.in_buffer_limit = g.in;
    c.crossbar.out_buffer_limit = g.out;
    c.crossbar.arbiter = static_cast<crossbar_arbiter>(g.arbiter);
    c.crossbar.grant_cycles = g.grant_cycles;
    bench b(c);
    bench::load l;
    l.seed = 5;
    l.send_permille = 900;
    l.memory_takes_percent = 60;
    l.hot_spot = true;
    b.apply(l);
    while (b.received.size() < 2000 && b.net->cycles() < 3000) b.run(1);
    EXPECT_EQ(b.fingerprint(l.transactions), g.fingerprint);
    EXPECT_NEAR(b.report_value("Req_Network_conflicts_per_cycle"), g.conflicts, 6e-5);
    EXPECT_NEAR(b.report_value("Req_Bank_Level_Parallism"), g.parallelism, 6e-5);
    EXPECT_NEAR(b.report_value("Req_Network_in_buffer_full_per_cycle"), g.in_full, 6e-5);
    EXPECT_NEAR(b.report_value("Req_Network_in_buffer_avg_util"), g.in_util, 6e-5);
    EXPECT_NEAR(b.report_value("Req_Network_out_buffer_full_per_cycle"), g.out_full, 6e-5);
    EXPECT_NEAR(b.report_value("Req_Network_out_buffer_avg_util"), g.out_util, 6e-5);
}

INSTANTIATE_TEST_SUITE_P(Loads, CrossbarReference,
                         ::testing::Values(golden{4, 2, 1, 1, 0x25c634939a610919ull, 16.0000,
                                                  2.0020, 13.6394, 3.2817, 0.5526, 0.3818},
                                           golden{8, 2, 1, 3, 0xb6f928aa23fe63d7ull, 15.8099,
                                                  2.0243, 13.0315, 6.5045, 0.5833, 0.3956},
                                           golden{4, 2, 0, 1, 0xc02a96fca5acb36bull, 7.3607, 1.9881,
                                                  10.8259, 2.7090, 12.2814, 0.3715}));

TEST(Crossbar, RejectsBuffersThatCannotHoldAPacket) {
    simulation::phase_sequencer sequencer("sequencer", protocol::clock_domains,
                                          protocol::phase_table());
    interconnect_config c = crossbar_of(1, 1);
    c.crossbar.quirk_packet_is_one_flit = false;
    c.flit_bytes = 32;
    c.crossbar.in_buffer_limit = 4;
    const auto message = [&]() -> std::string {
        try {
            crossbar made(sc_core::sc_gen_unique_name("net"), sequencer, c, {});
        } catch (const support::user_error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_THAT(message(), HasSubstr("-icnt_in_buffer_limit"));
    EXPECT_THAT(message(), HasSubstr("at least 5"));
    c.crossbar.in_buffer_limit = 64;
    c.crossbar.subnets = 1;
    EXPECT_THAT(message(), HasSubstr("-icnt_subnets"));
    c.crossbar.subnets = 2;
    c.crossbar.grant_cycles = 0;
    EXPECT_THAT(message(), HasSubstr("-icnt_grant_cycles"));
}

}  // namespace
}  // namespace simtlm::interconnect::test

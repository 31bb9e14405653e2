// SPDX-License-Identifier: Apache-2.0
#include "modules/interconnect/router_network.h"

#include "modules/interconnect/allocator.h"
#include "modules/interconnect/topology.h"
#include "modules/support/error.h"
#include "tests/unit/interconnect/network_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace simtlm::interconnect::test {
namespace {

using ::testing::HasSubstr;
using keys = std::map<std::string, std::string>;

// ---- allocators -----------------------------------------------------------------------------

TEST(IslipAllocator, MovesPrioritiesPastWhatWasAccepted) {
    const auto a = make_islip_allocator(3, 2, 1);
    std::vector<unsigned> winners;
    for (int round = 0; round < 4; ++round) {
        for (unsigned r = 0; r < 3; ++r) a->request(r, 0);
        a->allocate();
        for (unsigned r = 0; r < 3; ++r)
            if (a->granted(r) == 0) winners.push_back(r);
        a->clear();
    }
    EXPECT_THAT(winners, ::testing::ElementsAre(0, 1, 2, 0));
}

TEST(IslipAllocator, FillsUnmatchedResourcesInFurtherIterations) {
    for (const unsigned iterations : {1u, 2u}) {
        const auto a = make_islip_allocator(2, 2, iterations);
        a->request(0, 0);
        a->request(0, 1);
        a->request(1, 1);
        a->allocate();
        EXPECT_EQ(a->granted(0), 0u);
        EXPECT_EQ(a->granted(1), iterations == 1 ? allocator::none : 1u)
            << "resource 1 proposes to requester 0 first";
    }
}

TEST(SeparableAllocator, ChoosesAtTheInputBeforeTheOutput) {
    const auto a = make_separable_allocator(2, 2);
    a->request(0, 0);
    a->request(0, 1);
    a->request(1, 0);
    a->allocate();
    EXPECT_EQ(a->granted(0), 0u);
    EXPECT_EQ(a->granted(1), allocator::none) << "both chose resource 0";
    a->clear();
    a->request(0, 0);
    a->request(0, 1);
    a->request(1, 0);
    a->allocate();
    EXPECT_EQ(a->granted(0), 1u) << "its turn moved on";
    EXPECT_EQ(a->granted(1), 0u);
}

TEST(Allocators, ComputeMaximalMatchings) {
    for (const bool islip : {true, false}) {
        const auto a = islip ? make_islip_allocator(70, 66, 1) : make_separable_allocator(70, 66);
        const dice d{9};
        for (unsigned round = 0; round < 200; ++round) {
            std::vector<unsigned> owner(66, allocator::none);
            for (unsigned r = 0; r < 70; ++r)
                for (unsigned k = 0; k < d.roll(r, round, 1) % 4; ++k)
                    a->request(r, unsigned(d.roll(r, round * 8 + k, 2) % 66));
            std::vector<std::pair<unsigned, unsigned>> matched;
            a->allocate();
            for (unsigned r = 0; r < 70; ++r) {
                if (a->granted(r) == allocator::none) continue;
                EXPECT_TRUE(a->requested(r, a->granted(r)));
                EXPECT_EQ(owner[a->granted(r)], allocator::none);
                owner[a->granted(r)] = r;
                matched.emplace_back(r, a->granted(r));
            }
            EXPECT_FALSE(matched.empty());
            a->clear();
        }
    }
}

// ---- topologies -----------------------------------------------------------------------------

/// Follows a packet from node to node. @return number of routers passed; 0 if it is misrouted
unsigned walk(const topology& map, unsigned from, unsigned to, unsigned vcs, bool tie) {
    endpoint at = map.injection(from);
    std::uint8_t ring_class = 0;
    for (unsigned hops = 1; hops < 100; ++hops) {
        const vc_range all{0, static_cast<std::uint16_t>(vcs - 1)};
        const route r = map.next(at.router, at.port, to, all, ring_class, tie);
        EXPECT_LE(r.vcs.first, r.vcs.last);
        const endpoint next = map.output(at.router, r.output);
        if (next.router == endpoint::node) return next.port == to ? hops : 0;
        EXPECT_EQ(map.upstream(next.router, next.port).router, at.router);
        EXPECT_EQ(map.upstream(next.router, next.port).port, r.output);
        at = next;
    }
    return 0;
}

TEST(FlyTopology, RoutesEveryPairThroughOneRouterPerStage) {
    for (const auto& [k, n] : {std::pair{5u, 1u}, {4u, 2u}, {3u, 3u}, {2u, 4u}}) {
        const auto map = make_fly(k, n);
        for (unsigned a = 0; a < map->nodes(); ++a)
            for (unsigned b = 0; b < map->nodes(); ++b)
                ASSERT_EQ(walk(*map, a, b, 1, false), n) << a << " to " << b;
    }
}

TEST(CubeTopology, RoutesMinimallyOnMeshAndTorus) {
    for (const bool torus : {false, true})
        for (const auto& [k, n] : {std::pair{4u, 2u}, {5u, 2u}, {3u, 3u}, {2u, 3u}}) {
            const auto map = make_cube(k, n, torus, 1);
            for (unsigned a = 0; a < map->nodes(); ++a)
                for (unsigned b = 0; b < map->nodes(); ++b)
                    for (const bool tie : {false, true}) {
                        unsigned distance = 1;
                        for (unsigned d = 0, x = a, y = b; d < n; ++d, x /= k, y /= k) {
                            const unsigned gap = x % k > y % k ? x % k - y % k : y % k - x % k;
                            distance += torus ? std::min(gap, k - gap) : gap;
                        }
                        ASSERT_EQ(walk(*map, a, b, 2, tie), distance) << a << " to " << b;
                    }
        }
}

TEST(CubeTopology, IsDeadlockFreeOnATorus) {
    // Channel dependencies of all routes: (link, virtual channel) depends on the next one. A
    // topological order must exist.
    for (const unsigned k : {3u, 4u, 5u, 6u, 8u}) {
        const auto map = make_cube(k, 2, true, 1);
        std::map<std::pair<unsigned, unsigned>, std::map<std::pair<unsigned, unsigned>, bool>>
            after;
        for (unsigned a = 0; a < map->nodes(); ++a)
            for (unsigned b = 0; b < map->nodes(); ++b)
                for (const bool tie : {false, true}) {
                    endpoint at = map->injection(a);
                    std::uint8_t ring_class = 0;
                    std::pair<unsigned, unsigned> before{~0u, 0};
                    for (;;) {
                        const route r = map->next(at.router, at.port, b, {0, 1}, ring_class, tie);
                        const endpoint next = map->output(at.router, r.output);
                        if (next.router == endpoint::node) break;
                        const std::pair<unsigned, unsigned> here{
                            at.router * map->ports() + r.output, r.vcs.first};
                        after[here];
                        if (before.first != ~0u) after[before][here] = true;
                        before = here;
                        at = next;
                    }
                }
        std::map<std::pair<unsigned, unsigned>, unsigned> waits;
        for (const auto& [from, next] : after)
            for (const auto& n : next) ++waits[n.first];
        std::vector<std::pair<unsigned, unsigned>> free;
        for (const auto& each : after)
            if (waits[each.first] == 0) free.push_back(each.first);
        std::size_t ordered = 0;
        while (!free.empty()) {
            const auto one = free.back();
            free.pop_back();
            ++ordered;
            for (const auto& n : after[one])
                if (--waits[n.first] == 0) free.push_back(n.first);
        }
        EXPECT_EQ(ordered, after.size()) << "k = " << k;
    }
}

// ---- zero-load latency ----------------------------------------------------------------------

struct zero_load {
    const char* name;
    keys more;
    unsigned clusters, memories, from, to;
    unsigned bytes;           ///< size of a write
    unsigned router_cycles;   ///< from arrival at a router to its departure
    unsigned hops, link_sum;  ///< number of routers; sum of all channel latencies plus one each
};
void PrintTo(const zero_load& z, std::ostream* os) {
    *os << z.name;
}
class RouterZeroLoad : public ::testing::TestWithParam<zero_load> {};

TEST_P(RouterZeroLoad, FollowsTheClosedForm) {
    const zero_load& z = GetParam();
    const interconnect_config config = routers_of(z.clusters, z.memories, z.more);
    bench b(config);
    b.send(z.from, z.to, true, z.bytes);
    b.run(100);
    ASSERT_EQ(b.served.size(), 1u);
    const unsigned flit_bytes = unsigned(std::stoi(config.router.values.at("flit_size")));
    const unsigned flits = (8 + z.bytes + flit_bytes - 1) / flit_bytes;
    const unsigned latency = z.link_sum + z.hops * z.router_cycles + flits - 1;
    // Sent in the transfer of cycle 1, complete in that of 1 + latency, taken one cycle later.
    EXPECT_EQ(b.served[0].cycle, 1 + latency + 1);
    EXPECT_EQ(static_cast<router_network&>(*b.net).half(requests).recorded().packet.sum, latency);
    EXPECT_EQ(static_cast<router_network&>(*b.net).half(requests).recorded().hops, z.hops);
    const network::latency_table packets = b.net->latency_tables().at(0);
    EXPECT_EQ(packets.name, "Req_Network_packet_lat_table");
    for (unsigned i = 0; i < packets.counts.size(); ++i)
        EXPECT_EQ(packets.counts[i], latency >> i == 1 || (i == 0 && latency == 0) ? 1u : 0u) << i;
}

const keys mesh_keys = {{"topology", "mesh"},
                        {"k", "4"},
                        {"n", "2"},
                        {"routing_function", "dor"},
                        {"internal_speedup", "1"}};
keys with(keys base, const keys& more) {
    for (const auto& [k, v] : more) base[k] = v;
    return base;
}

INSTANTIATE_TEST_SUITE_P(
    Networks, RouterZeroLoad,
    ::testing::Values(
        // One router of the TITAN X: lookahead, both allocations in one cycle, then the switch.
        zero_load{"TitanX", {}, 28, 24, 3, 17, 32, 1, 1, 4},
        zero_load{"TitanXFourFlits", {}, 28, 24, 3, 17, 128, 1, 1, 4},
        zero_load{"InternalSpeedupOne", {{"internal_speedup", "1"}}, 28, 24, 3, 17, 32, 2, 1, 4},
        zero_load{"RoutingDelay",
                  {{"routing_delay", "1"}, {"internal_speedup", "1"}},
                  28,
                  24,
                  3,
                  17,
                  32,
                  3,
                  1,
                  4},
        zero_load{"SwitchOfTwoCycles",
                  {{"st_prepare_delay", "1"}, {"internal_speedup", "1"}},
                  28,
                  24,
                  3,
                  17,
                  32,
                  3,
                  1,
                  4},
        zero_load{"SlowAllocators",
                  {{"vc_alloc_delay", "2"}, {"sw_alloc_delay", "3"}, {"internal_speedup", "1"}},
                  28,
                  24,
                  3,
                  17,
                  32,
                  5,
                  1,
                  4},
        zero_load{"ThreeStages", {{"k", "4"}, {"n", "3"}}, 28, 24, 3, 17, 32, 1, 3, 8},
        // Memory 7 is node 15, in the corner opposite to node 0: 3 + 3 links, 7 routers.
        zero_load{"MeshCornerToCorner", mesh_keys, 8, 8, 0, 7, 32, 2, 7, 2 * 8},
        zero_load{
            "TorusCornerToCorner",
            with(mesh_keys,
                 {{"topology", "torus"}, {"routing_function", "dim_order"}, {"num_vcs", "2"}}),
            8, 8, 0, 7, 32, 2, 3, 2 + 3 + 3 + 2}),
    [](const auto& made) { return std::string(made.param.name); });

// ---- behaviour ------------------------------------------------------------------------------

TEST(RouterNetwork, DeliversEveryPacketInTheCycleOfBookSimForTheTitanX) {
    bench b(routers_of(28, 24));
    bench::load l;
    l.seed = 5;
    l.send_permille = 900;
    l.memory_takes_percent = 60;
    l.hot_spot = true;
    b.apply(l);
    ASSERT_TRUE(b.drain(3000));
    EXPECT_EQ(b.fingerprint(l.transactions), 0xfcfb3b1bf2459ba1ull);
}

TEST(RouterNetwork, DeliversEveryPacketInTheCycleOfBookSimOnATorus) {
    bench b(routers_of(13, 12,
                       {{"topology", "torus"},
                        {"k", "5"},
                        {"n", "2"},
                        {"num_vcs", "4"},
                        {"routing_function", "dim_order"},
                        {"vc_buf_size", "4"},
                        {"input_buffer_size", "2000"},
                        {"ejection_buffer_size", "0"},
                        {"boundary_buffer_size", "16"},
                        {"flit_size", "32"},
                        {"routing_delay", "1"},
                        {"internal_speedup", "1.0"}}));
    bench::load l;
    l.seed = 5;
    l.send_permille = 900;
    l.hot_spot = true;
    l.mixed_sizes = true;
    b.apply(l);
    ASSERT_TRUE(b.drain(3000));
    EXPECT_EQ(b.fingerprint(l.transactions), 0xd971e235e0e85b83ull);
}

TEST(RouterNetwork, DeliversEveryPacketInTheCycleOfBookSimOnAMappedMesh) {
    bench b(routers_of(8, 8,
                       {{"topology", "mesh"},
                        {"k", "4"},
                        {"n", "2"},
                        {"num_vcs", "4"},
                        {"routing_function", "dim_order"},
                        {"vc_buf_size", "4"},
                        {"input_buffer_size", "2000"},
                        {"ejection_buffer_size", "0"},
                        {"boundary_buffer_size", "16"},
                        {"flit_size", "32"},
                        {"use_map", "1"},
                        {"routing_delay", "1"},
                        {"internal_speedup", "1.0"}}));
    bench::load l;
    l.seed = 5;
    l.send_permille = 900;
    l.hot_spot = true;
    l.mixed_sizes = true;
    b.apply(l);
    while (b.received.size() < 800 && b.net->cycles() < 3000) b.run(1);
    EXPECT_EQ(b.fingerprint(l.transactions), 0x5dcad460514ab744ull);
    EXPECT_NEAR(b.report_value("Packet latency average"), 138.361, 5e-4);
    EXPECT_NEAR(b.report_value("Network latency average"), 41.9175, 5e-5);
    EXPECT_EQ(b.report_value("Packet latency minimum"), 12);
    EXPECT_EQ(b.report_value("Packet latency maximum"), 447);
}

TEST(RouterNetwork, LimitsTheFlitsThatWaitAtANode) {
    // Room is counted in free flits; a packet larger than the room waits before the buffer.
    bench b(routers_of(1, 1,
                       {{"input_buffer_size", "6"},
                        {"vc_buf_size", "4"},
                        {"ejection_buffer_size", "4"},
                        {"boundary_buffer_size", "4"}}));
    b.memories_at[0]->takes = [](unsigned, std::uint64_t t) { return t > 90; };
    for (int i = 0; i < 10; ++i) b.send(0, 0, true, 128);  // 4 flits each
    b.run(80);
    // 4 flits in the boundary buffer, 4 in the ejection buffer, 4 in the router, 4 at the node, and
    // one packet in front of it.
    EXPECT_EQ(b.clusters[0]->sent, 5u);
    EXPECT_TRUE(b.clusters[0]->held());
    EXPECT_TRUE(b.drain(600));
}

TEST(RouterNetwork, SaturatesALinkAtOneFlitPerCycle) {
    bench b(routers_of(4, 4));
    for (unsigned c = 0; c < 4; ++c)
        for (int i = 0; i < 600; ++i) b.send(c, c);
    b.run(500);
    EXPECT_GE(b.served.size(), 4 * 490u);
}

TEST(RouterNetwork, DrainsATorusWithTheSmallestBuffersAfterFullLoad) {
    bench b(routers_of(24, 12,
                       {{"topology", "torus"},
                        {"k", "6"},
                        {"n", "2"},
                        {"num_vcs", "2"},
                        {"routing_function", "dim_order"},
                        {"vc_buf_size", "1"},
                        {"input_buffer_size", "4"},
                        {"ejection_buffer_size", "1"},
                        {"boundary_buffer_size", "4"},
                        {"flit_size", "40"}}));
    bench::load l;
    l.transactions = 200;
    l.send_permille = 1000;
    l.memory_takes_percent = 50;
    l.mixed_sizes = true;
    b.apply(l);
    ASSERT_TRUE(b.drain(60000)) << "deadlock";
    expect_conserved(b, 24 * 200, false);
}

TEST(RouterNetwork, ResetsItsStatisticsPerKernel) {
    bench b(routers_of(2, 2));
    b.send(0, 0);
    ASSERT_TRUE(b.drain(100));
    EXPECT_EQ(b.report_value("Packet latency average"), 5);
    static_cast<router_network&>(*b.net).restart_records();
    b.run(10);
    EXPECT_EQ(b.report_value("Injected packet rate average"), 0);
    support::statistics list;
    b.net->list_statistics(list);
    ASSERT_EQ(list.blocks().size(), 3u);
    EXPECT_GT(list.blocks()[1].cells.size(), 10u);
}

// ---- configuration errors -------------------------------------------------------------------

std::string complaint(const keys& more, unsigned clusters = 2, unsigned memories = 2) {
    try {
        interpret_router_config(routers_of(clusters, memories, more));
    } catch (const support::user_error& e) {
        EXPECT_EQ(e.where(), "test.icnt");
        return e.what();
    }
    return "";
}

TEST(RouterConfig, AcceptsTheKeysOfBooksimsTrafficGenerator) {
    EXPECT_EQ(complaint({{"traffic", "uniform"},
                         {"packet_size", "{{1,2,3,4},{10,20}}"},
                         {"injection_rate", "0.1"},
                         {"network_count", "2"},
                         {"alloc_iters", "1"}}),
              "");
}

TEST(RouterConfig, NamesTheKeyThatIsWrong) {
    EXPECT_THAT(complaint({{"topologie", "fly"}}), HasSubstr("topologie: unknown key"));
    EXPECT_THAT(complaint({{"topology", "flatfly"}}), HasSubstr("topology"));
    EXPECT_THAT(complaint({{"routing_function", "romm"}}), HasSubstr("routing_function"));
    EXPECT_THAT(complaint({{"num_vcs", "65"}}), HasSubstr("num_vcs"));
    EXPECT_THAT(complaint({{"k", "x"}}), HasSubstr("k: 'x' is not an integer"));
    EXPECT_THAT(complaint({{"vc_buf_size", "8.5"}}), HasSubstr("vc_buf_size"));
    EXPECT_THAT(complaint({{"vc_allocator", "wavefront"}}), HasSubstr("vc_allocator"));
    for (const char* const iterations : {"-5", "0", "2x", "", "99999999999999999999"})
        EXPECT_THAT(complaint({{"vc_allocator", "islip(" + std::string(iterations) + ")"}}),
                    HasSubstr("vc_allocator"));
    EXPECT_EQ(complaint({{"vc_allocator", "islip(2)"}}), "");
    EXPECT_THAT(complaint({{"internal_speedup", "nan"}}), HasSubstr("'nan' is not a number"));
    EXPECT_THAT(complaint({{"use_map", "1"}, {"memory_node_map", "{-1,2}"}}),
                HasSubstr("is not a list of node numbers"));
    EXPECT_THAT(complaint({{"sw_allocator", "separable_input_first(matrix)"}}),
                HasSubstr("sw_allocator"));
    EXPECT_THAT(complaint({{"speculative", "1"}}), HasSubstr("speculative"));
    EXPECT_THAT(complaint({{"subnets", "1"}}), HasSubstr("subnets"));
    EXPECT_THAT(complaint({{"priority", "age"}}), HasSubstr("priority"));
    EXPECT_THAT(complaint({{"internal_speedup", "0.5"}}), HasSubstr("internal_speedup"));
    EXPECT_THAT(complaint({{"sw_alloc_delay", "0"}}), HasSubstr("sw_alloc_delay"));
    EXPECT_THAT(complaint({{"st_final_delay", "0"}}), HasSubstr("st_final_delay"));
    EXPECT_THAT(complaint({{"read_reply_end_vc", "1"}}), HasSubstr("read_reply_end_vc"));
    EXPECT_THAT(complaint({{"boundary_buffer_size", "2"}}), HasSubstr("boundary_buffer_size"));
    EXPECT_THAT(complaint({{"ejection_buffer_size", "8"}}), HasSubstr("ejection_buffer_size"));
}

TEST(RouterConfig, ChecksThatTheNodesFit) {
    EXPECT_THAT(complaint({{"k", "3"}}), HasSubstr("too few"));
    EXPECT_THAT(complaint({{"use_map", "1"}}), HasSubstr("use_map"));
    EXPECT_THAT(complaint({{"use_map", "1"}, {"memory_node_map", "{0}"}}),
                HasSubstr("memory_node_map"));
    EXPECT_THAT(complaint({{"use_map", "1"}, {"memory_node_map", "{1,1}"}}),
                HasSubstr("memory_node_map"));
    EXPECT_THAT(complaint({{"use_map", "1"}, {"memory_node_map", "{1,9}"}}),
                HasSubstr("memory_node_map"));
    EXPECT_EQ(complaint({{"use_map", "1"}, {"memory_node_map", "{0,2}"}}), "");
    EXPECT_THAT(complaint({{"topology", "torus"}, {"routing_function", "dim_order"}, {"k", "4"}}),
                HasSubstr("two virtual channels"));
}

TEST(RouterConfig, PlacesClustersAroundTheMemoryNodes) {
    const router_settings s =
        interpret_router_config(routers_of(2, 2, {{"use_map", "1"}, {"memory_node_map", "{0,2}"}}));
    EXPECT_THAT(s.node_of, ::testing::ElementsAre(1, 3, 0, 2));
}

}  // namespace
}  // namespace simtlm::interconnect::test

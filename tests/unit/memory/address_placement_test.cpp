// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/address_placement.h"

#include "modules/protocol/phases.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace simtlm::memory {
namespace {

using order = protocol::request_order;

#ifdef __GLIBC__
TEST(RandomChunks, UseTheRandomNumbersOfTheCLibrary) {
    std::srand(1);
    random_chunks chunks(24);
    for (unsigned i = 0; i < 1000; ++i)
        ASSERT_EQ(chunks.draw(), static_cast<std::uint32_t>(std::rand())) << "number " << i;
}
#endif

TEST(RandomChunks, KeepTheirFirstPlacement) {
    random_chunks chunks(24);
    chunks.place(7);
    const std::uint32_t first = chunks[7];
    for (std::uint64_t p = 0; p < 100; ++p) chunks.place(p);
    chunks.place(7);
    EXPECT_EQ(chunks[7], first);
    EXPECT_TRUE(chunks.placed(99));
    EXPECT_FALSE(chunks.placed(100));
}

TEST(RandomChunks, ArePlacedOnDemand) {
    random_chunks chunks(24);
    const random_chunks others(24);
    EXPECT_LT(chunks[1234], 24u);
    EXPECT_EQ(chunks[1234], others[1234]) << "it does not depend on what was placed";
}

address_mapping_config random_mapping() {
    address_mapping_config c;
    c.mapping = "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS";
    c.channels = 12;
    c.sub_partitions_per_channel = 2;
    c.indexing = partition_indexing::random;
    return c;
}

/// Two clusters of two SMs; the test performs accesses in the front-end phase of a cycle.
struct placement_rig : sc_core::sc_module {
    simulation::phase_sequencer sequencer{"sequencer", protocol::clock_domains,
                                          protocol::phase_table()};
    address_mapping mapping{random_mapping()};
    address_placement placement;
    sc_core::sc_clock clock{"clock", 1, sc_core::SC_NS};
    std::function<void(std::uint64_t)> sms = [](std::uint64_t) {};
    std::vector<std::pair<unsigned, unsigned>> order_of_service;

    explicit placement_rig(const sc_core::sc_module_name& name, bool rotates = false)
        : sc_module(name),
          placement("placement", sequencer, {2, 2}, mapping),
          process_("process", sequencer, protocol::phase::core_front_end,
                   simulation::on_edge<&placement_rig::touch>(this), true) {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clock);
        placement.set_rotation(
            [this](unsigned c, unsigned s) {
                order_of_service.emplace_back(c, s);
                if (enter != 0 && c == 1 && s == 0) placement.enters(std::exchange(enter, 0));
            },
            [rotates](unsigned, std::uint64_t cycle) {
                return rotates ? static_cast<unsigned>(cycle % 2) : 0;
            });
    }
    void run(unsigned cycles) { sc_core::sc_start(static_cast<double>(cycles), sc_core::SC_NS); }
    std::uint64_t enter = 0;  // a request that bypasses the L1 of SM 2

private:
    void touch() { sms(process_.now()); }
    simulation::clocked_process process_;
};

std::vector<unsigned> places_in_order(const std::vector<std::uint64_t>& addresses) {
    random_chunks chunks(24);
    std::vector<unsigned> result;
    for (std::size_t i = 0; i < addresses.size(); ++i) result.push_back(chunks.draw() % 24);
    return result;
}

TEST(AddressPlacement, PlacesMemoryInSmOrderInAnyProcessOrder) {
    const std::vector<std::uint64_t> in_order{0x1000, 0x2000, 0x3000, 0x4000, 0x5000};
    placement_rig rig("rig");
    rig.enter = 0x4000;
    rig.sms = [&](std::uint64_t cycle) {
        if (cycle != 3) return;
        rig.placement.touched(3, 0x5000, order::by_ldst);
        rig.placement.touched(0, 0x2000, order::by_fetch);
        rig.placement.touched(1, 0x3000, order::by_fetch);
        rig.placement.touched(0, 0x1000, order::by_ldst);
    };
    rig.run(6);
    const std::vector<unsigned> expected = places_in_order(in_order);
    for (std::size_t i = 0; i < in_order.size(); ++i) {
        ASSERT_TRUE(rig.mapping.placed(in_order[i]));
        EXPECT_EQ(rig.mapping.decode(in_order[i]).sub_partition, expected[i]) << "piece " << i;
    }
}

TEST(AddressPlacement, VisitsEverySmInACycleWithARequest) {
    placement_rig rig("rig");
    rig.sms = [&](std::uint64_t cycle) {
        if (cycle == 2) rig.placement.request_service();
    };
    rig.run(6);
    const std::vector<std::pair<unsigned, unsigned>> all{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    EXPECT_EQ(rig.order_of_service, all);
}

TEST(AddressPlacement, RotatesTheFirstSmOfAClusterEveryCycle) {
    placement_rig rig("rig", true);
    rig.sms = [&](std::uint64_t) { rig.placement.request_service(); };
    rig.run(2);
    ASSERT_GE(rig.order_of_service.size(), 8u);
    EXPECT_NE(rig.order_of_service[0].second, rig.order_of_service[4].second);
}

}  // namespace
}  // namespace simtlm::memory

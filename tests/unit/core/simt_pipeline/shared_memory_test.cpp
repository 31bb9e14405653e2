// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/shared_memory.h"

#include "tests/unit/core/warps.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>

namespace simtlm::core::simt_pipeline {
namespace {

sm_config volta() {
    sm_config c;
    c.shared.banks = 32;
    c.shared.warp_parts = 1;
    c.shared.limited_broadcast = false;
    c.shared.latency = 20;
    return c;
}
sm_config tesla() {
    sm_config c;
    c.shared.banks = 16;
    c.shared.warp_parts = 2;
    c.shared.limited_broadcast = true;
    return c;
}

unsigned cycles(const sm_config& c, const std::function<std::uint64_t(unsigned)>& word,
                std::uint32_t mask = ~0u) {
    static unsigned number = 0;
    const shared_memory memory(("m" + std::to_string(number++)).c_str(), c);
    lane_addresses l;
    l.lanes = mask;
    for (unsigned i = 0; i < 32; ++i) l.address[0][i] = 4 * word(i);
    return memory.conflict_cycles(l);
}

TEST(SharedMemory, NeedsOneCycleWithoutConflicts) {
    EXPECT_EQ(cycles(volta(), [](unsigned i) { return i; }), 1u);
    EXPECT_EQ(cycles(volta(), [](unsigned i) { return 31 - i; }), 1u);
    EXPECT_EQ(cycles(volta(), [](unsigned i) { return 33 * i; }), 1u) << "an odd stride";
}

TEST(SharedMemory, NeedsACyclePerWordOfTheBusiestBank) {
    EXPECT_EQ(cycles(volta(), [](unsigned i) { return 2 * i; }), 2u);
    EXPECT_EQ(cycles(volta(), [](unsigned i) { return 8 * i; }), 8u);
    EXPECT_EQ(cycles(volta(), [](unsigned i) { return 32 * i; }), 32u);
    EXPECT_EQ(cycles(volta(), [](unsigned i) { return i < 5 ? 32 * i : i; }), 5u);
}

TEST(SharedMemory, BroadcastsAnyWord) {
    EXPECT_EQ(cycles(volta(), [](unsigned) { return 7; }), 1u);
    EXPECT_EQ(cycles(volta(), [](unsigned i) { return i / 4; }), 1u);
    EXPECT_EQ(cycles(volta(), [](unsigned i) { return i % 2 * 32; }), 2u);
}

TEST(SharedMemory, ServesBytesOfOneWordTogether) {
    shared_memory memory("memory", volta());
    lane_addresses l;
    l.lanes = ~0u;
    for (unsigned i = 0; i < 32; ++i) l.address[0][i] = i;  // bytes
    EXPECT_EQ(memory.conflict_cycles(l), 1u);
}

TEST(SharedMemory, CountsActiveLanesOnlyAndAtLeastOneCycle) {
    EXPECT_EQ(cycles(
                  volta(), [](unsigned i) { return 32 * i; }, 0b101),
              2u);
    EXPECT_EQ(cycles(
                  volta(), [](unsigned i) { return 32 * i; }, 0),
              1u);
}

TEST(SharedMemory, ServesTheHalvesOfAWarpSuccessively) {
    EXPECT_EQ(cycles(tesla(), [](unsigned i) { return i; }), 2u);
    EXPECT_EQ(cycles(
                  tesla(), [](unsigned i) { return i; }, 0xffff),
              1u);
    EXPECT_EQ(cycles(tesla(), [](unsigned i) { return 16 * i; }), 32u);
    EXPECT_EQ(cycles(tesla(), [](unsigned i) { return 2 * i; }), 4u);
}

TEST(SharedMemory, BroadcastsOneWordPerHalfWarpWhenBroadcastIsLimited) {
    // One word for all lanes: broadcast.
    EXPECT_EQ(cycles(
                  tesla(), [](unsigned) { return 3; }, 0xffff),
              1u);
    // Two words of two banks, eight lanes each: the one in the lower bank is broadcast; of the
    // other, every lane counts.
    EXPECT_EQ(cycles(
                  tesla(), [](unsigned i) { return i % 2; }, 0xffff),
              8u);
    // Without the limit, both are broadcast.
    sm_config c = tesla();
    c.shared.limited_broadcast = false;
    EXPECT_EQ(cycles(
                  c, [](unsigned i) { return i % 2; }, 0xffff),
              1u);
}

TEST(SharedMemory, AgreesWithAReferenceModelOnRandomAccesses) {
    std::mt19937 random(2);
    const sm_config c = volta();
    shared_memory memory("memory", c);
    for (unsigned n = 0; n < 20000; ++n) {
        lane_addresses l;
        l.lanes = random();
        const unsigned span = 32u << random() % 8;
        std::map<unsigned, std::set<unsigned>> words;
        for (unsigned i = 0; i < 32; ++i) {
            const unsigned w = random() % span;
            l.address[0][i] = 4 * w + random() % 4;
            if ((l.lanes >> i & 1) != 0) words[w % 32].insert(w);
        }
        std::size_t most = 1;
        for (const auto& [bank, set] : words) most = std::max(most, set.size());
        ASSERT_EQ(memory.conflict_cycles(l), most);
    }
}

/// Feeds loads into the pipeline.
struct feeder : sc_core::sc_module {
    instruction_initiator<feeder> out{"out"};
    explicit feeder(const sc_core::sc_module_name& name) : sc_module(name) {}
};

TEST(SharedMemoryPipeline, ReturnsALoadAfterItsLatencyAndOnePerCycle) {
    const sm_config c = volta();
    shared_memory memory("memory", c);
    feeder in("in");
    in.out.bind(memory.load);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::array<warp_instruction, 3> inst;
    memory.set_now(100);
    send(in.out, inst[0]);
    memory.set_now(101);
    send(in.out, inst[1]);
    memory.set_now(140);
    send(in.out, inst[2]);
    EXPECT_EQ(memory.ready_at(), 120u);
    EXPECT_EQ(&memory.head(), &inst[0]);
    memory.pop(120);
    EXPECT_EQ(memory.ready_at(), 121u);
    memory.pop(130);  // delayed by the write-back port
    EXPECT_EQ(&memory.head(), &inst[2]);
    EXPECT_EQ(memory.ready_at(), 160u);
    memory.pop(160);
    EXPECT_TRUE(memory.empty());
}

TEST(SharedMemoryPipeline, CompactsAfterAStalledHead) {
    const sm_config c = volta();
    shared_memory memory("memory", c);
    feeder in("in");
    in.out.bind(memory.load);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::array<warp_instruction, 2> inst;
    for (unsigned i = 0; i < 2; ++i) {
        memory.set_now(i);
        send(in.out, inst[i]);
    }
    memory.pop(50);
    EXPECT_EQ(memory.ready_at(), 51u) << "the next one shifts into place in a cycle";
}

TEST(SharedMemoryPipeline, HoldsAtMostOneLoadPerStage) {
    const sm_config c = volta();
    shared_memory memory("memory", c);
    feeder in("in");
    in.out.bind(memory.load);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::array<warp_instruction, 20> inst;
    for (unsigned i = 0; i < 20; ++i) {
        ASSERT_TRUE(memory.can_accept()) << i;
        memory.set_now(i);
        send(in.out, inst[i]);
    }
    EXPECT_FALSE(memory.can_accept());
    memory.pop(20);
    EXPECT_TRUE(memory.can_accept());
}

}  // namespace
}  // namespace simtlm::core::simt_pipeline

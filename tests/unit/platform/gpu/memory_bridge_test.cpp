// SPDX-License-Identifier: Apache-2.0
// A memory partition whose channel is an external memory behind the bridge: rate, order, time.
#include "platform/gpu/memory_bridge.h"

#include "modules/protocol/base_protocol_checker.h"
#include "platform/gpu/width_adapter.h"
#include "tests/cosim/common/ideal_memory.h"
#include "tests/unit/memory/partition_rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace simtlm::platform {
namespace {

using protocol::access_type;
using sc_core::sc_time;

sc_time ns(double t) {
    return {t, sc_core::SC_NS};
}

using platform_example::blocking_memory;
using platform_example::ideal_memory;

constexpr double dram_period = 1.176;  // of test::clocks

/// The sockets of a GPU with one channel.
struct pin_holder : sc_core::sc_module {
    memory_bridge::external_socket pins{"pins"};
    explicit pin_holder(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// A partition in front of a bridge, with a checker at the external socket.
template <class Memory>
struct bridge_rig {
    pin_holder gpu;
    protocol::base_protocol_checker<> checker;
    Memory memory;
    std::vector<std::uint64_t> addresses;  // as seen by the memory
    memory::test::partition_rig partition;

    template <class... Arguments>
    bridge_rig(const std::string& name, const external_memory& how,
               const memory::partition_config& c, const simulation::phase_sequencer::options& o,
               Arguments&&... arguments)
        : gpu((name + "_gpu").c_str()),
          checker((name + "_checker").c_str()),
          memory((name + "_memory").c_str(), std::forward<Arguments>(arguments)...),
          partition(name, config_of(c, how), o) {
        memory.on_request = [this](const auto& p) { addresses.push_back(p.get_address()); };
        gpu.pins.bind(checker.target);
        checker.initiator.bind(memory.socket);
    }
    /// Requests of `n` sectors in sequence.
    void stream(unsigned n, bool write) {
        for (unsigned i = 0; i < n; ++i)
            partition.add(write, 32ull * i, 32,
                          write ? access_type::global_write : access_type::global_read);
    }
    double transfers() const {
        return static_cast<double>(memory.counted.reads + memory.counted.writes);
    }
    void expect_clean(std::uint64_t replies) {
        memory::test::expect_clean(partition, replies);
        EXPECT_THAT(checker.rules.violations(), testing::IsEmpty());
        EXPECT_EQ(checker.rules.in_flight(), 0u);
    }

private:
    memory::memory_config config_of(const memory::partition_config& c, const external_memory& how) {
        memory::memory_config m;
        m.partition = c;
        m.channel = [this, how](const memory::memory_channel_parts& p) {
            return std::make_unique<memory_bridge>(p.name, p, gpu.pins, how);
        };
        return m;
    }
};

external_memory loosely_timed() {
    external_memory how;
    how.timing = memory_timing::loosely_timed;
    return how;
}

/// Streamed data do not stay in the L2: every access is a transfer at the socket.
memory::partition_config without_l2() {
    memory::partition_config c = memory::test::volta_partition();
    c.l2.enabled = false;
    return c;
}

double dram_cycles() {
    return sc_core::sc_time_stamp() / ns(dram_period);
}

// ---- rate ----

/// 6000 requests pass a bridge, at one transfer per clock cycle for streaming.
template <class Memory>
void expect_peak(bridge_rig<Memory>& rig, bool writes) {
    rig.stream(6000, writes);
    memory::test::run_dram_cycles(4000);
    const double before = rig.transfers();
    memory::test::run_dram_cycles(1000);
    EXPECT_GE(rig.transfers() - before, 950);
    memory::test::run_dram_cycles(3000);
    rig.expect_clean(6000);
}

TEST(MemoryBridge, StreamingReadsReachThePinBandwidthAtAnIdealMemory) {
    memory::test::clocks clocks;
    bridge_rig<ideal_memory> rig("rig", {}, without_l2(), {}, ns(50), ns(dram_period));
    clocks.bind(rig.partition.sequencer);
    expect_peak(rig, false);
}

// All targets handle END_RESP, but not all handle an end of the response indicated by the return
// value.
TEST(MemoryBridge, EndsEveryResponseByACall) {
    memory::test::clocks clocks;
    bridge_rig<ideal_memory> rig("rig", {}, without_l2(), {}, ns(50), ns(dram_period));
    clocks.bind(rig.partition.sequencer);
    rig.stream(500, false);
    memory::test::run_dram_cycles(1000);
    rig.expect_clean(500);
    EXPECT_EQ(rig.memory.counted.ended_in_return, 0u);
}

TEST(MemoryBridge, StreamingWritesReachThePinBandwidthAtAnIdealMemory) {
    memory::test::clocks clocks;
    bridge_rig<ideal_memory> rig("rig", {}, without_l2(), {}, ns(50), ns(dram_period));
    clocks.bind(rig.partition.sequencer);
    expect_peak(rig, true);
}

/// A memory whose socket is wider than that of the GPU, behind an adapter.
template <unsigned BusWidth>
struct wide_memory {
    width_adapter<32, BusWidth> adapter;
    platform_example::ideal_memory_of_width<BusWidth> memory;
    decltype(adapter.target)& socket = adapter.target;
    platform_example::memory_counters& counted = memory.counted;
    std::function<void(const tlm::tlm_generic_payload&)>& on_request = memory.on_request;

    wide_memory(const char* name, const sc_time& latency, const sc_time& beat)
        : adapter((std::string(name) + "_adapter").c_str()), memory(name, latency, beat) {
        adapter.initiator.bind(memory.socket);
    }
};

TEST(MemoryBridge, AWidthAdapterKeepsTheRateOfWiderMemories) {
    memory::test::clocks clocks;
    bridge_rig<wide_memory<128>> rig("rig", {}, without_l2(), {}, ns(50), ns(dram_period));
    bridge_rig<wide_memory<256>> wider("wider", {}, without_l2(), {}, ns(50), ns(dram_period));
    clocks.bind(rig.partition.sequencer);
    clocks.bind(wider.partition.sequencer);
    wider.stream(100, true);
    expect_peak(rig, false);
    wider.expect_clean(100);
}

TEST(MemoryBridge, AnAnnotatingMemoryServesManyRequestsConcurrently) {
    memory::test::clocks clocks;
    bridge_rig<blocking_memory> rig("rig", loosely_timed(), without_l2(), {}, ns(60));
    clocks.bind(rig.partition.sequencer);
    expect_peak(rig, false);
}

TEST(MemoryBridge, AWaitingMemoryServesTheConfiguredNumberOfRequests) {
    memory::test::clocks clocks;
    bridge_rig<blocking_memory> rig("rig", loosely_timed(), without_l2(), {}, ns(60));
    rig.memory.waits = true;
    clocks.bind(rig.partition.sequencer);
    rig.stream(3000, false);
    memory::test::run_dram_cycles(5000);
    rig.expect_clean(3000);
    EXPECT_GE(rig.memory.counted.max_in_flight, 50u);  // 60 ns at one request per clock cycle
}

TEST(MemoryBridge, AMemoryWithOnlyBTransportIsDetectedAsLooselyTimed) {
    memory::test::clocks clocks;
    bridge_rig<blocking_memory> rig("rig", {}, without_l2(), {}, ns(60));
    clocks.bind(rig.partition.sequencer);
    expect_peak(rig, false);
}

TEST(MemoryBridge, ALooselyTimedMemoryHasTheAnnotatedRate) {
    memory::test::clocks clocks;
    bridge_rig<blocking_memory> rig("rig", loosely_timed(), without_l2(), {}, ns(60));
    sc_time free_at;  // one request in four clock cycles
    rig.memory.latency = [&](const auto&) {
        const sc_time now = sc_core::sc_time_stamp();
        free_at = std::max(free_at, now) + ns(4 * dram_period);
        return free_at - now + ns(40);
    };
    clocks.bind(rig.partition.sequencer);
    rig.stream(1000, false);
    memory::test::run_dram_cycles(2000);
    const std::uint64_t before = rig.partition.replies();
    memory::test::run_dram_cycles(1000);
    EXPECT_NEAR(static_cast<double>(rig.partition.replies() - before), 250, 5);
    memory::test::run_dram_cycles(2000);
    rig.expect_clean(1000);
}

// ---- order ----

TEST(MemoryBridge, KeepsTheOrderOfOverlappingRequests) {
    memory::test::clocks clocks;
    bridge_rig<blocking_memory> rig("rig", loosely_timed(), without_l2(), {}, ns(60));
    // The first of every pair takes long, so that the second would overtake it.
    unsigned calls = 0;
    rig.memory.latency = [&](const auto&) { return ns(calls++ % 2 == 0 ? 200 : 10); };
    rig.memory.waits = true;
    clocks.bind(rig.partition.sequencer);
    for (unsigned i = 0; i < 50; ++i) {
        rig.partition.add(true, 0x1000, 32, access_type::global_write);
        rig.partition.add(false, 0x1000, 32, access_type::global_read);
    }
    memory::test::run_dram_cycles(12000);
    rig.expect_clean(100);
    EXPECT_EQ(rig.memory.counted.max_in_flight, 1u);
}

TEST(MemoryBridge, AdjacentSectorsAreServedConcurrently) {
    memory::test::clocks clocks;
    bridge_rig<blocking_memory> rig("rig", loosely_timed(), without_l2(), {}, ns(60));
    rig.memory.waits = true;
    clocks.bind(rig.partition.sequencer);
    rig.stream(4, false);
    memory::test::run_dram_cycles(500);
    rig.expect_clean(4);
    EXPECT_EQ(rig.memory.counted.max_in_flight, 4u);
}

// ---- time ----

/// Random traffic gives the same results asleep, awake and in another process order.
template <class Memory, class... Arguments>
void same_in_every_order(const external_memory& how, Arguments... arguments) {
    memory::test::clocks clocks;
    const memory::partition_config c = memory::test::volta_partition();
    bridge_rig<Memory> a("a", how, c, {}, arguments...),
        b("b", how, c, memory::test::awake(), arguments...),
        d("d", how, c, memory::test::shuffled(), arguments...);
    for (auto* r : {&a, &b, &d}) {
        clocks.bind(r->partition.sequencer);
        memory::test::fill_random(r->partition, 3000, 3000);
    }
    memory::test::run_core_cycles(60000);
    for (auto* r : {&a, &b, &d}) r->expect_clean(3000);
    EXPECT_GT(a.memory.counted.reads, 1000u);
    EXPECT_GT(a.memory.counted.writes, 100u);
    EXPECT_EQ(memory::test::report_values(a.partition), memory::test::report_values(b.partition));
    EXPECT_EQ(memory::test::report_values(a.partition), memory::test::report_values(d.partition));
    EXPECT_EQ(a.addresses, b.addresses);
    EXPECT_EQ(a.addresses, d.addresses);
}

TEST(MemoryBridge, IsIndependentOfProcessOrderAtAnApproximatelyTimedMemory) {
    same_in_every_order<ideal_memory>({}, ns(50), ns(1.3));
}
TEST(MemoryBridge, IsIndependentOfProcessOrderAtAMemoryOnTheGpusClockEdges) {
    same_in_every_order<ideal_memory>({}, ns(50 * dram_period), ns(dram_period));
}
TEST(MemoryBridge, IsIndependentOfProcessOrderAtALooselyTimedMemory) {
    same_in_every_order<blocking_memory>(loosely_timed(), ns(60));
}

TEST(MemoryBridge, ReportsTheLatencyOfAnAccess) {
    memory::test::clocks clocks;
    const memory::partition_config c = without_l2();
    bridge_rig<ideal_memory> at("at", {}, c, {}, ns(100), ns(dram_period));
    bridge_rig<blocking_memory> lt("lt", loosely_timed(), c, {}, ns(60));
    lt.memory.latency = [](const auto&) { return ns(100 + dram_period); };
    clocks.bind(at.partition.sequencer);
    clocks.bind(lt.partition.sequencer);
    at.stream(1, false);
    lt.stream(1, false);
    memory::test::run_dram_cycles(600);
    at.expect_clean(1);
    lt.expect_clean(1);
    EXPECT_EQ(at.partition.ends[0]->latencies[0], lt.partition.ends[0]->latencies[0]);
    const double fixed = c.rop_latency + c.dram_latency;
    const double outside = (100 + dram_period) / 0.884;
    EXPECT_NEAR(static_cast<double>(at.partition.ends[0]->latencies[0]), fixed + outside, 8);
}

// ---- addresses ----

TEST(MemoryBridge, PassesDenseChannelAddressesIfConfigured) {
    memory::test::clocks clocks;
    external_memory how = loosely_timed();
    how.addresses = memory_addresses::dense;
    bridge_rig<blocking_memory> rig("rig", how, without_l2(), {}, ns(60));
    clocks.bind(rig.partition.sequencer);
    rig.stream(200, false);
    memory::test::run_dram_cycles(2000);
    rig.expect_clean(200);
    const auto& all = rig.addresses;
    EXPECT_EQ(std::set<std::uint64_t>(all.begin(), all.end()).size(), 200u);
    for (const std::uint64_t a : all) {
        const auto device = rig.partition.mapping.device_address(0, a);
        ASSERT_TRUE(device);
        EXPECT_EQ(rig.partition.mapping.channel_address(*device), a);
    }
}

TEST(MemoryBridge, CountsRequestsAsAChannelDoes) {
    memory::test::clocks clocks;
    bridge_rig<ideal_memory> rig("rig", {}, without_l2(), {}, ns(50), ns(1));
    clocks.bind(rig.partition.sequencer);
    rig.stream(30, false);
    memory::test::run_dram_cycles(1000);
    const memory::dram_statistics& s = rig.partition.channel->statistics();
    EXPECT_STREQ(rig.partition.channel->name(), "rig_channel");
    EXPECT_EQ(rig.partition.channel->get_parent_object(), nullptr);
    EXPECT_EQ(s.scheduled_reads, 30u);
    EXPECT_EQ(s.requests, 30u);
    EXPECT_EQ(s.activates, 0u);
    EXPECT_NEAR(static_cast<double>(s.cycles), dram_cycles(), 2);
    std::uint64_t atoms = 0;
    for (const auto& bank : s.traffic) atoms += bank.reads;
    EXPECT_EQ(atoms, 30u);
}

}  // namespace
}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/memory/partition_rig.h"

#include <gtest/gtest.h>

#include <random>

namespace simtlm::memory {
namespace {

using protocol::access_type;
using test::expect_clean;
using test::fill_random;
using test::partition_rig;
using test::report_values;
using test::run_core_cycles;
using test::volta_partition;

/// An external memory: answers in any order, with annotated delays, early, and late.
class external_memory : public memory_channel {
public:
    protocol::target_socket<external_memory> port;
    external_memory(const sc_core::sc_module_name& name, const memory_channel_parts& p)
        : memory_channel(name, p.sequencer),
          port("port"),
          process_("process", p.sequencer, protocol::phase::dram_channel,
                   simulation::on_edge<&external_memory::cycle>(this), true) {
        port.register_nb_transport_fw(this, &external_memory::fw, 0);
    }
    socket& target() override { return port; }
    const dram_statistics& statistics() override { return statistics_; }
    const dram_statistics& counted() const override { return statistics_; }
    std::uint64_t requests_inside() const override { return waiting_.size(); }

private:
    tlm::tlm_sync_enum fw(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                          sc_core::sc_time& t) {
        if (phase == tlm::END_RESP) {
            presented_ = nullptr;
            return tlm::TLM_COMPLETED;
        }
        EXPECT_EQ(owed_, nullptr);
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        const auto kind = random_() % 4;
        if (kind == 0) {
            t += sc_core::sc_time(static_cast<double>(random_() % 50), sc_core::SC_NS);
            return tlm::TLM_COMPLETED;
        }
        waiting_.push_back(&p);
        if (kind == 1) {
            owed_ = &p;
            return tlm::TLM_ACCEPTED;
        }
        t += sc_core::sc_time(static_cast<double>(random_() % 5), sc_core::SC_NS);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void cycle() {
        if (owed_ != nullptr && random_() % 20 == 0) {
            auto& p = *owed_;
            owed_ = nullptr;
            protocol::end_request(port, p);
        }
        if (presented_ != nullptr || waiting_.empty() || random_() % 3 != 0) return;
        const auto i = random_() % waiting_.size();
        auto& p = *waiting_[i];
        if (&p == owed_) return;
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        presented_ = &p;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time t(static_cast<double>(random_() % 10), sc_core::SC_NS);
        const auto answer = port->nb_transport_bw(p, phase, t);
        if (answer == tlm::TLM_COMPLETED) presented_ = nullptr;
    }
    dram_statistics statistics_;
    std::mt19937 random_{3};
    std::vector<tlm::tlm_generic_payload*> waiting_;
    tlm::tlm_generic_payload* owed_ = nullptr;
    tlm::tlm_generic_payload* presented_ = nullptr;
    simulation::clocked_process process_;
};

void conservation(const memory_config& c, unsigned stall, unsigned lines = 4000) {
    test::clocks clk;
    std::vector<std::unique_ptr<partition_rig>> all;
    all.push_back(std::make_unique<partition_rig>("a", c));
    all.push_back(std::make_unique<partition_rig>("b", c, test::awake()));
    all.push_back(std::make_unique<partition_rig>("d", c, test::shuffled()));
    for (auto& s : all) {
        clk.bind(s->sequencer);
        fill_random(*s, 4000, lines);
        for (auto& e : s->ends) e->stall_percent = stall;
    }
    run_core_cycles(150000);
    for (auto& s : all) expect_clean(*s, 4000);
    EXPECT_EQ(report_values(*all[0]), report_values(*all[1]));
    EXPECT_EQ(report_values(*all[0]), report_values(*all[2]));
}
void conservation(const partition_config& c, unsigned stall, unsigned lines = 4000) {
    memory_config m;
    m.partition = c;
    conservation(m, stall, lines);
}

TEST(MemoryPartition, ConservesRandomTraffic) {
    conservation(volta_partition(), 0);
}
TEST(MemoryPartition, ConservesRequestsWithStalls) {
    conservation(volta_partition(), 60);
}
TEST(MemoryPartition, ConservesRequestsWithSmallQueues) {
    partition_config c = volta_partition();
    c.icnt_to_l2 = 8;
    c.l2_to_dram = c.dram_to_l2 = c.l2_to_icnt = 2;
    c.dram.scheduler_queue_size = 4;
    c.dram.return_queue_size = 2;
    c.l2.mshr_entries = 4;
    c.l2.miss_queue_size = 4;
    c.l2.sets = 4;
    c.l2.ways = 4;
    conservation(c, 50, 300);
}
TEST(MemoryPartition, ConservesRequestsOnGddr6) {
    partition_config c = volta_partition();
    c.dram = test::gddr6();
    conservation(c, 20);
}
TEST(MemoryPartition, ConservesRequestsWithAnUnlimitedQueue) {
    partition_config c = volta_partition();
    c.dram.scheduler_queue_size = 0;
    conservation(c, 20);
}
TEST(MemoryPartition, ConservesRequestsWithFifoDram) {
    partition_config c = volta_partition();
    c.dram = test::gddr3_fifo();
    conservation(c, 20);
}
TEST(MemoryPartition, ConservesRequestsWithoutL2) {
    partition_config c = volta_partition();
    c.l2.enabled = false;
    conservation(c, 20);
}
TEST(MemoryPartition, ConservesRequestsWithATextureOnlyL2) {
    partition_config c = volta_partition();
    c.l2_texture_only = true;
    conservation(c, 20);
}
TEST(MemoryPartition, ConservesRequestsWithAnIdealL2) {
    partition_config c = volta_partition();
    c.ideal_l2 = true;
    conservation(c, 20);
}
TEST(MemoryPartition, ConservesRequestsWithSimpleDram) {
    partition_config c = volta_partition();
    c.simple_dram = true;
    conservation(c, 20);
}
TEST(MemoryPartition, ConservesRequestsWithALineCache) {
    partition_config c = volta_partition();
    c.l2.kind = cache::cache_kind::normal;
    c.l2.write_allocate = cache::write_allocate_policy::write_allocate;
    conservation(c, 20);
}
TEST(MemoryPartition, ConservesRequestsWithFetchOnWrite) {
    partition_config c = volta_partition();
    c.l2.write_allocate = cache::write_allocate_policy::fetch_on_write;
    conservation(c, 20);
}
TEST(MemoryPartition, ConservesRequestsWithWriteThrough) {
    partition_config c = volta_partition();
    c.l2.write = cache::write_policy::write_through;
    c.l2.write_allocate = cache::write_allocate_policy::no_write_allocate;
    conservation(c, 20);
}
TEST(MemoryPartition, AcceptsAnExternalMemory) {
    memory_config c;
    c.partition = volta_partition();
    c.channel = [](const memory_channel_parts& p) -> std::unique_ptr<memory_channel> {
        return std::make_unique<external_memory>(p.name, p);
    };
    conservation(c, 20);
}

TEST(MemoryPartition, ServesOneAccessInItsLatency) {
    test::clocks clk;
    const partition_config c = volta_partition();
    partition_rig miss("miss", c), warm("warm", c), simple("simple", [&] {
        partition_config s = c;
        s.simple_dram = true;
        return s;
    }());
    for (auto* s : {&miss, &warm, &simple}) clk.bind(s->sequencer);
    miss.add(false, 0x40, 32, access_type::global_read);
    simple.add(false, 0x40, 32, access_type::global_read);
    warm.add(false, 0x40, 32, access_type::global_read);
    warm.partition.sub_partition(0).warm(0x40, 0);
    run_core_cycles(2000);
    for (auto* s : {&miss, &warm, &simple}) expect_clean(*s, 1);
    // Hit: ROP latency, one cycle in icnt→L2, one in L2→icnt.
    EXPECT_EQ(warm.ends[0]->latencies.at(0), c.rop_latency + 2u);
    // Miss: access, miss queue to L2→dram a cycle later, latency, DRAM, fill, ready, reply.
    const double ratio = 1176.0 / 884.0;
    const dram_timing& t = c.dram.timing;
    const double dram = (1.0 + t.tRCD + t.CL + 1) * ratio;
    const double expected = c.rop_latency + 1 + 1 + c.dram_latency + dram + 1 + 1 + 1;
    EXPECT_NEAR(double(miss.ends[0]->latencies.at(0)), expected, 4.0);
    EXPECT_NEAR(double(simple.ends[0]->latencies.at(0)), expected - dram, 4.0);
    EXPECT_EQ(warm.partition.sub_partition(0).cache_statistics()->accesses, 1u);
    EXPECT_EQ(warm.partition.sub_partition(0).cache_statistics()->misses, 0u);
    // Sleeps in between.
    EXPECT_LT(miss.sequencer.activations(protocol::phase::l2_slice), 40u);
}

TEST(MemoryPartition, ServesAnInitiatorWithoutTheGpuExtension) {
    test::clocks clk;
    partition_rig s("s", volta_partition());
    clk.bind(s.sequencer);
    struct manager : tlm::tlm_mm_interface {
        unsigned freed = 0;
        void free(tlm::tlm_generic_payload*) override { ++freed; }
    } mm;
    unsigned char data[128];
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads;
    const struct {
        std::uint64_t address;
        unsigned bytes;
    } accesses[] = {{0x1000, 128}, {0x44, 4}, {0x82, 60}, {0x10f0, 64}};
    for (const auto& a : accesses) {
        payloads.push_back(std::make_unique<tlm::tlm_generic_payload>(&mm));
        auto& p = *payloads.back();
        p.set_read();
        p.set_address(a.address);
        p.set_data_ptr(data);
        p.set_data_length(a.bytes);
        p.acquire();
        s.ends[0]->todo.push_back(&p);
    }
    run_core_cycles(2000);
    EXPECT_TRUE(s.done());
    EXPECT_EQ(mm.freed, 4u);
    EXPECT_EQ(s.replies(), 3u);  // the last one crosses a line
    EXPECT_EQ(payloads[3]->get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    for (auto& p : payloads) EXPECT_EQ(p->get_extension<protocol::memory_extension>(), nullptr);
    EXPECT_EQ(s.pool.outstanding(), 0u);
}

TEST(MemoryPartition, StreamsAtThePeakRateOfTheChannel) {
    test::clocks clk;
    partition_config c = volta_partition();
    partition_rig s("s", c);
    clk.bind(s.sequencer);
    const unsigned n = 6000;
    for (unsigned i = 0; i < n; ++i) s.add(false, 32ull * i, 32, access_type::global_read);
    run_core_cycles(n * 3);
    expect_clean(s, n);
    const auto& d = s.channel->statistics();
    EXPECT_EQ(d.reads, n);
    EXPECT_GT(double(d.utilised) / double(d.cycles - d.unused), 0.9);
}

TEST(MemoryPartition, DiscardsDirtyLinesOnFlushAndWritesThemBackOnEviction) {
    test::clocks clk;
    partition_config c = volta_partition();
    c.l2.sets = 4;
    c.l2.ways = 2;
    partition_rig s("s", c);
    clk.bind(s.sequencer);
    for (unsigned i = 0; i < 200; ++i) s.add(true, 128ull * i, 32, access_type::global_write);
    run_core_cycles(6000);
    expect_clean(s, 200);
    const auto written = s.channel->statistics().write_backs;
    EXPECT_EQ(written, 200u - 2u * 4u * 2u);
    for (unsigned i = 0; i < 2; ++i) s.partition.sub_partition(i).flush();
    s.add(true, 0, 32, access_type::global_write);
    run_core_cycles(1000);
    EXPECT_EQ(s.channel->statistics().write_backs, written);
}

TEST(MemoryPartition, ReadsZeroBytesByDebugTransport) {
    test::clocks clk;
    partition_rig s("s", volta_partition());
    clk.bind(s.sequencer);
    run_core_cycles(1);
    tlm::tlm_generic_payload p;
    EXPECT_EQ(s.ends[0]->socket->transport_dbg(p), 0u);
}

}  // namespace
}  // namespace simtlm::memory

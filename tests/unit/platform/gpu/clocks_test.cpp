// SPDX-License-Identifier: Apache-2.0
// Clock inputs of blocks from the point of view of a SystemC user: a single block binds like any
// other component, and a clock that does not fit is an error at the end of elaboration.
#include "modules/cache/l1_data_cache.h"
#include "modules/core/simt_pipeline/simt_sm.h"
#include "modules/memory/dram_channel.h"
#include "modules/memory/memory_sub_partition.h"
#include "platform/simtlm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace simtlm {
namespace {

using testing::HasSubstr;

/// A sequencer with four clocks of its own, without the rest of a GPU.
struct bench {
    std::array<sc_core::sc_clock, protocol::clock_domains> clocks{
        sc_core::sc_clock("core", 1, sc_core::SC_NS), sc_core::sc_clock("icnt", 1, sc_core::SC_NS),
        sc_core::sc_clock("l2", 1, sc_core::SC_NS), sc_core::sc_clock("dram", 2, sc_core::SC_NS)};
    simulation::phase_sequencer sequencer{"sequencer", protocol::clock_domains,
                                          protocol::phase_table()};
    bench() {
        for (unsigned d = 0; d < protocol::clock_domains; ++d) sequencer.clock[d](clocks[d]);
    }
};

cache::l1_data_cache::config small_cache(unsigned banks) {
    cache::l1_data_cache::config c;
    c.cache.sets = 4;
    c.cache.ways = 4;
    c.cache.line_bytes = 128;
    c.cache.mshr_entries = 8;
    c.cache.mshr_max_merge = 8;
    c.cache.miss_queue_size = 4;
    c.latency = 4;
    c.banks = banks;
    return c;
}

/// A unit in front of a cache and a memory behind it, both plain TLM-2.0 sockets: every read is
/// answered immediately.
struct surroundings : sc_core::sc_module {
    protocol::cache_port_initiator<surroundings> unit{"unit"};
    protocol::target_socket<surroundings> memory{"memory"};
    unsigned reads = 0, answers = 0;

    explicit surroundings(const sc_core::sc_module_name& name) : sc_module(name) {
        unit.register_nb_transport_bw(this, &surroundings::answer, 0);
        memory.register_nb_transport_fw(this, &surroundings::read, 0);
    }
    tlm::tlm_sync_enum answer(int, tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                              sc_core::sc_time&) {
        if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
        ++answers;
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_sync_enum read(int, tlm::tlm_generic_payload& p, tlm::tlm_phase&, sc_core::sc_time&) {
        ++reads;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
};

struct requester : sc_core::sc_module {
    protocol::initiator_socket<requester> socket{"socket"};
    explicit requester(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_nb_transport_bw(this, &requester::response, 0);
    }
    tlm::tlm_sync_enum response(int, tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                sc_core::sc_time&) {
        return tlm::TLM_ACCEPTED;
    }
};

struct unused_memory : sc_core::sc_module {
    protocol::target_socket<unused_memory> socket{"socket"};
    explicit unused_memory(const sc_core::sc_module_name& name) : sc_module(name) {}
};

std::string error_of_elaboration() {
    try {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    } catch (const std::exception& e) {
        return e.what();
    }
    return "";
}

TEST(ClockInput, OfAStandaloneCacheBindsToAnyClockOfItsDomain) {
    bench b;
    protocol::transaction_pool pool;
    surroundings around("around");
    cache::l1_data_cache l1("l1", b.sequencer, small_cache(2), pool);
    l1.clk(b.clocks[protocol::core_clock]);
    around.unit.bind(l1.port);
    l1.memory.bind(around.memory);
    sc_core::sc_start(10, sc_core::SC_NS);
    EXPECT_EQ(l1.clock_domains(), 1u << protocol::core_clock);
    EXPECT_STREQ(l1.clk.name(), "l1.clk");
    auto& p = pool.acquire(tlm::TLM_READ_COMMAND, 0x80, 32, protocol::access_type::global_read);
    protocol::extension(p).bytes.set(0, 32);
    protocol::extension(p).sectors = 1;
    EXPECT_EQ(protocol::begin_request(around.unit, p), tlm::TLM_ACCEPTED);
    sc_core::sc_start(3, sc_core::SC_NS);
    EXPECT_EQ(around.reads, 0u) << "the access is in the pipeline of its bank";
    sc_core::sc_start(5, sc_core::SC_NS);
    EXPECT_EQ(around.reads, 1u) << "and has missed after its latency in cycles of clk";
}

TEST(ClockInput, DefaultsToTheClockOfTheParentBlock) {
    gpu device("gpu", configure({"--preset", "TINY"}, SIMTLM_TEST_CONFIG_DIR));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const auto domains_of = [](const char* name) {
        const auto* block =
            dynamic_cast<const simulation::clocked_module*>(sc_core::sc_find_object(name));
        return block != nullptr ? block->clock_domains() : 0u;
    };
    const auto on = [](unsigned d) { return 1u << d; };
    using namespace protocol;
    EXPECT_EQ(domains_of("gpu.cluster0"), on(core_clock));
    EXPECT_EQ(domains_of("gpu.cluster0.sm0"), on(core_clock));
    EXPECT_EQ(domains_of("gpu.cluster0.sm0.l1d"), on(core_clock));
    EXPECT_EQ(domains_of("gpu.network"), on(icnt_clock));
    EXPECT_EQ(domains_of("gpu.partition0.bank0"), on(l2_clock) | on(icnt_clock) | on(core_clock));
    EXPECT_EQ(domains_of("gpu.dram0"), on(dram_clock));
}

TEST(ClockInput, OfAStandaloneL2SliceUsesTheL2AndTheCoreClock) {
    bench b;
    protocol::transaction_pool pool;
    const memory::address_mapping mapping{memory::address_mapping_config()};
    memory::memory_statistics shared(1, 16);
    memory::partition_config config;
    config.rop_latency = 6;
    config.l2 = small_cache(1).cache;
    memory::memory_sub_partition slice("slice", b.sequencer, config, mapping, pool, shared, 0);
    slice.clk(b.clocks[protocol::l2_clock]);
    slice.icnt_clk(b.clocks[protocol::icnt_clock]);
    slice.core_clk(b.clocks[protocol::core_clock]);
    requester network("network");
    network.socket.bind(slice.port);
    sc_core::sc_start(10, sc_core::SC_NS);
    EXPECT_EQ(slice.clock_domains(),
              1u << protocol::l2_clock | 1u << protocol::icnt_clock | 1u << protocol::core_clock);
    auto& p = pool.acquire(tlm::TLM_READ_COMMAND, 0x80, 32, protocol::access_type::global_read);
    protocol::extension(p).bytes.set(0, 32);
    protocol::extension(p).sectors = 1;
    protocol::begin_request(network.socket, p);
    sc_core::sc_start(3, sc_core::SC_NS);
    EXPECT_EQ(slice.statistics().requests, 1u) << "taken by an edge of the L2's clock";
    EXPECT_EQ(slice.to_memory.size(), 0u) << "within the ROP latency, in cycles of the core's";
    sc_core::sc_start(10, sc_core::SC_NS);
    EXPECT_EQ(slice.to_memory.size(), 1u) << "and has missed";
}

TEST(ClockInput, OfAStandaloneSmDrivesItsStagesAndCaches) {
    bench b;
    protocol::transaction_pool pool;
    const gpu_config config = configure({"--preset", "TINY"}, SIMTLM_TEST_CONFIG_DIR);
    core::simt_pipeline::simt_sm sm("sm", b.sequencer, config.cores.sm, core::sm_identity{}, pool);
    sm.clk(b.clocks[protocol::core_clock]);
    unused_memory memory("memory");
    sm.memory.bind(memory.socket);
    sc_core::sc_start(5, sc_core::SC_NS);
    EXPECT_EQ(sm.clock_domains(), 1u << protocol::core_clock);
    const auto* l1d =
        dynamic_cast<const simulation::clocked_module*>(sc_core::sc_find_object("sm.l1d"));
    ASSERT_NE(l1d, nullptr);
    EXPECT_EQ(l1d->clk.get_interface(), sm.clk.get_interface());
    EXPECT_TRUE(sc_core::sc_find_object("sm.cycle")) << "its process";
}

TEST(ClockInput, BoundToTheClockOfAnotherDomainIsAnErrorThatNamesBlockPhaseAndClock) {
    bench b;
    const memory::address_mapping mapping{memory::address_mapping_config()};
    memory::dram_config config;
    config.timing.nbk = 4;
    memory::dram_channel channel("channel", b.sequencer, config, mapping);
    surroundings around("around");
    protocol::transaction_pool pool;
    cache::l1_data_cache l1("l1", b.sequencer, small_cache(1), pool);
    around.unit.bind(l1.port);
    l1.memory.bind(around.memory);
    requester nobody("nobody");
    nobody.socket.bind(channel.target());
    channel.clk(b.clocks[protocol::core_clock]);
    EXPECT_THAT(error_of_elaboration(),
                HasSubstr("channel acts in phase dram_channel, on edges of dram, to which none of "
                          "its clock inputs is bound"));
}

TEST(ClockInput, BoundToAClockThatDrivesNoDomainIsAnErrorThatNamesThePort) {
    bench b;
    sc_core::sc_clock other("other", 3, sc_core::SC_NS);
    protocol::transaction_pool pool;
    surroundings around("around");
    cache::l1_data_cache l1("l1", b.sequencer, small_cache(1), pool);
    l1.clk(other);
    around.unit.bind(l1.port);
    l1.memory.bind(around.memory);
    EXPECT_THAT(error_of_elaboration(), HasSubstr("l1.clk is bound to no clock of sequencer"));
}

TEST(Modules, IncludeCacheBanksAndClockCrossingQueues) {
    gpu device("gpu", configure({"--preset", "QV100"}, SIMTLM_TEST_CONFIG_DIR));
    const auto kind_of = [](const std::string& name) -> std::string {
        const sc_core::sc_object* found = sc_core::sc_find_object(name.c_str());
        return found != nullptr ? found->kind() : "";
    };
    for (unsigned b = 0; b < device.config().cores.sm.ldst.l1_banks; ++b)
        EXPECT_EQ(kind_of("gpu.cluster0.sm0.l1d.bank" + std::to_string(b)), "l1_bank") << b;
    EXPECT_EQ(kind_of("gpu.partition0.bank0.l2"), "l2_slice");
    for (const char* queue : {"icnt_to_L2", "L2_to_dram", "dram_to_L2", "L2_to_icnt"})
        EXPECT_EQ(kind_of(std::string("gpu.partition0.bank0.") + queue), "clock_crossing_fifo");
}

}  // namespace
}  // namespace simtlm

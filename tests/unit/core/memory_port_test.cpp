// SPDX-License-Identifier: Apache-2.0
#include "modules/core/memory_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>

namespace simtlm::core {
namespace {

using protocol::access_type;
using ::testing::ElementsAre;

/// Both sides of a port: five senders and a memory, driven by the test.
struct port_rig : sc_core::sc_module, private memory_port::client {
    protocol::transaction_pool pool;
    memory_port port;
    std::vector<std::unique_ptr<protocol::initiator_socket<port_rig>>> sender;
    protocol::target_socket<port_rig> memory{"memory"};
    std::vector<tlm::tlm_generic_payload*> sent;          ///< arrived at the memory
    std::vector<std::pair<int, std::uint64_t>> released;  ///< END_REQ passed to a sender
    std::vector<std::pair<int, std::uint64_t>> received;  ///< responses, by sender
    unsigned announced = 0;                               ///< number of response_arrived() calls
    unsigned ended = 0;                                   ///< END_RESP passed to the memory
    bool full = false, take_at_once = true;

    port_rig(const sc_core::sc_module_name& name, std::size_t entries)
        : sc_module(name), port("port", entries) {
        for (unsigned i = 0; i < memory_sources; ++i) {
            sender.push_back(std::make_unique<protocol::initiator_socket<port_rig>>(
                ("sender" + std::to_string(i)).c_str()));
            sender[i]->register_nb_transport_bw(this, &port_rig::receive_response,
                                                static_cast<int>(i));
            sender[i]->bind(port.from[i]);
        }
        memory.register_nb_transport_fw(this, &port_rig::request, 0);
        port.memory.bind(memory);
        port.set_client(*this);
    }
    tlm::tlm_generic_payload& make(std::uint64_t address,
                                   access_type type = access_type::global_read) {
        const bool write = type == access_type::global_write || protocol::is_posted(type);
        return pool.acquire(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, 32,
                            type);
    }
    tlm::tlm_sync_enum send(memory_source s, tlm::tlm_generic_payload& p) {
        return protocol::begin_request(*sender[static_cast<unsigned>(s)], p);
    }
    void end_response(memory_source s, tlm::tlm_generic_payload& p) {
        protocol::end_response(*sender[static_cast<unsigned>(s)], p);
    }
    tlm::tlm_sync_enum respond(tlm::tlm_generic_payload& p) {
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        return memory->nb_transport_bw(p, phase, delay);
    }
    void clear_line(tlm::tlm_generic_payload& p) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay;
        full = false;
        memory->nb_transport_bw(p, phase, delay);
    }
    void elaborate() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

private:
    void response_arrived() override { ++announced; }
    tlm::tlm_sync_enum receive_response(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                        sc_core::sc_time&) {
        if (phase == tlm::END_REQ) {
            released.emplace_back(id, p.get_address());
            return tlm::TLM_ACCEPTED;
        }
        received.emplace_back(id, p.get_address());
        return take_at_once ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    }
    tlm::tlm_sync_enum request(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            ++ended;
            return tlm::TLM_COMPLETED;
        }
        sent.push_back(&p);
        if (protocol::is_posted(protocol::extension(p).type)) return tlm::TLM_COMPLETED;
        if (full) return tlm::TLM_ACCEPTED;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
};

using source = memory_source;
int id(source s) {
    return static_cast<int>(s);
}

TEST(MemoryPort, ReturnsTheResponseToItsRequester) {
    port_rig rig("rig", 4);
    rig.elaborate();
    auto& a = rig.make(0x100);
    auto& b = rig.make(0x200, access_type::texture_read);
    auto& c = rig.make(0x300, access_type::global_write);
    EXPECT_EQ(rig.send(source::l1d, a), tlm::TLM_UPDATED);
    EXPECT_EQ(rig.send(source::l1t, b), tlm::TLM_UPDATED);
    EXPECT_EQ(rig.send(source::ldst, c), tlm::TLM_UPDATED);
    EXPECT_THAT(rig.sent, ElementsAre(&a, &b, &c));
    for (auto* p : {&c, &a, &b}) EXPECT_EQ(rig.respond(*p), tlm::TLM_COMPLETED);
    EXPECT_EQ(rig.announced, 3u);
    EXPECT_TRUE(rig.received.empty()) << "responses wait until they are let through";
    for (int n = 0; n < 3; ++n) rig.port.deliver();
    EXPECT_THAT(rig.received,
                ElementsAre(std::pair(id(source::ldst), 0x300u), std::pair(id(source::l1d), 0x100u),
                            std::pair(id(source::l1t), 0x200u)));
    EXPECT_TRUE(rig.port.idle());
}

TEST(MemoryPort, StallsEverySourceWhileTheNetworkIsFull) {
    port_rig rig("rig", 4);
    rig.elaborate();
    rig.full = true;
    auto& a = rig.make(0x100);
    auto& b = rig.make(0x200);
    auto& c = rig.make(0x300, access_type::instruction_read);
    EXPECT_EQ(rig.send(source::ldst, a), tlm::TLM_ACCEPTED);
    EXPECT_TRUE(rig.port.blocked());
    EXPECT_EQ(rig.send(source::l1d, b), tlm::TLM_ACCEPTED);
    EXPECT_EQ(rig.send(source::l1i, c), tlm::TLM_ACCEPTED);
    EXPECT_THAT(rig.sent, ElementsAre(&a)) << "the others have not left";
    rig.clear_line(a);
    EXPECT_FALSE(rig.port.blocked());
    EXPECT_THAT(rig.sent, ElementsAre(&a, &c, &b)) << "by source";
    EXPECT_THAT(rig.released,
                ElementsAre(std::pair(id(source::ldst), 0x100u), std::pair(id(source::l1i), 0x300u),
                            std::pair(id(source::l1d), 0x200u)));
}

TEST(MemoryPort, StallsOtherSourcesWhenTheFirstFillsTheNetworkAgain) {
    port_rig rig("rig", 4);
    rig.elaborate();
    rig.full = true;
    auto& a = rig.make(0x100);
    auto& b = rig.make(0x200);
    auto& c = rig.make(0x300);
    rig.send(source::ldst, a);
    rig.send(source::l1d, b);
    rig.send(source::l1t, c);
    rig.clear_line(a);
    rig.full = true;
    EXPECT_EQ(rig.sent.size(), 3u);
    auto& d = rig.make(0x400);
    EXPECT_EQ(rig.send(source::l1d, d), tlm::TLM_ACCEPTED);
    EXPECT_TRUE(rig.port.blocked());
}

TEST(MemoryPort, StallsTheNetworkWhileTheResponseFifoIsFull) {
    port_rig rig("rig", 2);
    rig.elaborate();
    std::vector<tlm::tlm_generic_payload*> all;
    for (unsigned n = 0; n < 3; ++n) {
        all.push_back(&rig.make(0x100 * n));
        rig.send(source::l1d, *all[n]);
    }
    EXPECT_EQ(rig.respond(*all[0]), tlm::TLM_COMPLETED);
    EXPECT_EQ(rig.respond(*all[1]), tlm::TLM_COMPLETED);
    EXPECT_EQ(rig.respond(*all[2]), tlm::TLM_ACCEPTED);
    EXPECT_EQ(rig.ended, 0u);
    rig.port.deliver();
    EXPECT_EQ(rig.ended, 1u) << "there is a place now";
    EXPECT_EQ(rig.announced, 3u);
    rig.port.deliver();
    rig.port.deliver();
    EXPECT_EQ(rig.received.size(), 3u);
    EXPECT_TRUE(rig.port.idle());
}

TEST(MemoryPort, DeliversInstructionsDespiteAFullResponseFifo) {
    port_rig rig("rig", 1);
    rig.elaborate();
    auto& a = rig.make(0x100);
    auto& i = rig.make(0x200, access_type::instruction_read);
    rig.send(source::l1d, a);
    rig.send(source::l1i, i);
    rig.respond(a);
    EXPECT_EQ(rig.respond(i), tlm::TLM_COMPLETED);
    EXPECT_THAT(rig.received, ElementsAre(std::pair(id(source::l1i), 0x200u)));
    EXPECT_TRUE(rig.port.has_response());
}

TEST(MemoryPort, HoldsTheHeadUntilItsReceiverAcceptsIt) {
    port_rig rig("rig", 4);
    rig.elaborate();
    rig.take_at_once = false;
    auto& a = rig.make(0x100);
    auto& b = rig.make(0x200);
    rig.send(source::l1d, a);
    rig.send(source::l1t, b);
    rig.respond(a);
    rig.respond(b);
    rig.port.deliver();
    rig.port.deliver();
    EXPECT_EQ(rig.received.size(), 1u) << "announced once, and nothing passes it";
    rig.end_response(source::l1d, a);
    rig.take_at_once = true;
    rig.port.deliver();
    EXPECT_EQ(rig.received.size(), 2u);
    EXPECT_TRUE(rig.port.idle());
}

TEST(MemoryPort, ReportsWhetherTheHeadIsAnUncachedLoad) {
    port_rig rig("rig", 4);
    rig.elaborate();
    auto& store = rig.make(0x100, access_type::global_write);
    auto& load = rig.make(0x200);
    rig.send(source::ldst, store);
    rig.send(source::ldst, load);
    rig.respond(store);
    rig.respond(load);
    EXPECT_FALSE(rig.port.response_is_uncached_read());
    rig.port.deliver();
    EXPECT_TRUE(rig.port.response_is_uncached_read());
}

TEST(MemoryPort, ReleasesAPostedWriteImmediately) {
    port_rig rig("rig", 1);
    rig.elaborate();
    auto& w = rig.make(0x100, access_type::l1_writeback);
    EXPECT_EQ(rig.send(source::l1d, w), tlm::TLM_UPDATED);
    EXPECT_THAT(rig.received, ElementsAre(std::pair(id(source::l1d), 0x100u)));
    EXPECT_TRUE(rig.port.idle());
}

}  // namespace
}  // namespace simtlm::core

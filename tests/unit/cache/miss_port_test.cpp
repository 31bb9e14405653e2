// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/miss_port.h"

#include <gtest/gtest.h>

#include <systemc>
#include <vector>

namespace simtlm::cache {
namespace {

/// A cache that takes responses only if enabled; the test acts as the memory.
struct miss_port_rig : sc_core::sc_module, miss_port::client {
    protocol::transaction_pool pool;
    miss_port port;
    protocol::target_socket<miss_port_rig> memory{"memory"};
    bool willing = false;
    bool ends_requests = true;
    bool full = false;
    std::vector<const tlm::tlm_generic_payload*> taken, ended;

    explicit miss_port_rig(const sc_core::sc_module_name& name)
        : sc_module(name), port("port", *this, 8) {
        memory.register_nb_transport_fw(this, &miss_port_rig::forward, 0);
        port.socket.bind(memory);
    }
    tlm::tlm_sync_enum respond(tlm::tlm_generic_payload& p) {
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        return memory->nb_transport_bw(p, phase, delay);
    }
    bool accept_response(tlm::tlm_generic_payload& p) override {
        if (willing) taken.push_back(&p);
        return willing;
    }
    void can_send() override {}

private:
    tlm::tlm_sync_enum forward(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            ended.push_back(&p);
            return tlm::TLM_COMPLETED;
        }
        if (full) {
            phase = protocol::refused;
            return tlm::TLM_UPDATED;
        }
        if (!ends_requests) return tlm::TLM_ACCEPTED;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
};

TEST(MissPort, LetsTheAnswerOfAPostedWritePassAResponseThatWaits) {
    miss_port_rig rig("rig");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    auto& read =
        rig.pool.acquire(tlm::TLM_READ_COMMAND, 0x100, 32, protocol::access_type::global_read);
    auto& write_back =
        rig.pool.acquire(tlm::TLM_WRITE_COMMAND, 0x200, 32, protocol::access_type::l1_writeback);
    ASSERT_TRUE(rig.port.try_send(read));
    ASSERT_TRUE(rig.port.try_send(write_back));
    EXPECT_EQ(rig.respond(read), tlm::TLM_ACCEPTED) << "the cache cannot take it yet";
    EXPECT_EQ(rig.respond(write_back), tlm::TLM_COMPLETED);
    EXPECT_EQ(rig.pool.outstanding(), 1u) << "a write-back is over when it is answered";
    rig.willing = true;
    rig.port.retry();
    EXPECT_EQ(rig.taken, std::vector<const tlm::tlm_generic_payload*>{&read});
    EXPECT_EQ(rig.ended, std::vector<const tlm::tlm_generic_payload*>{&read})
        << "only what had to wait is ended by END_RESP";
    read.release();
    EXPECT_EQ(rig.pool.outstanding(), 0u);
}

TEST(MissPort, MayAskAgainForARequestThatWasRefused) {
    miss_port_rig rig("rig");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    auto& read =
        rig.pool.acquire(tlm::TLM_READ_COMMAND, 0x100, 32, protocol::access_type::global_read);
    rig.full = true;
    EXPECT_FALSE(rig.port.try_send(read));
    EXPECT_FALSE(rig.port.blocked()) << "nobody will tell it when there is room";
    rig.full = false;
    EXPECT_TRUE(rig.port.try_send(read));
    read.release();
}

// Behaviour of simple_target_socket for a memory that implements only b_transport.
TEST(MissPort, TakesAResponseWithoutEndOfRequestForBoth) {
    miss_port_rig rig("rig");
    rig.ends_requests = false;
    rig.willing = true;
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    auto& first =
        rig.pool.acquire(tlm::TLM_READ_COMMAND, 0x100, 32, protocol::access_type::global_read);
    auto& second =
        rig.pool.acquire(tlm::TLM_READ_COMMAND, 0x200, 32, protocol::access_type::global_read);
    ASSERT_TRUE(rig.port.try_send(first));
    EXPECT_FALSE(rig.port.try_send(second)) << "the first request has not ended";
    EXPECT_EQ(rig.respond(first), tlm::TLM_COMPLETED);
    EXPECT_TRUE(rig.port.try_send(second));
    EXPECT_EQ(rig.respond(second), tlm::TLM_COMPLETED);
    EXPECT_EQ(rig.taken.size(), 2u);
    first.release();
    second.release();
}

}  // namespace
}  // namespace simtlm::cache

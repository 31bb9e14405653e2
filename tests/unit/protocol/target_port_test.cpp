// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/target_port.h"

#include "modules/protocol/memory_transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <systemc>
#include <vector>

namespace simtlm::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using payload = tlm::tlm_generic_payload;

/// A block with room for some requests of each kind (reads, writes); the test acts as the
/// initiator.
struct target_port_rig : sc_core::sc_module {
    transaction_pool pool;
    target_port<target_port_rig, 2> port{"port"};
    initiator_socket<target_port_rig> initiator{"initiator"};
    std::array<unsigned, 2> room{1, 1};
    bool willing = true;  ///< the initiator accepts responses
    std::vector<const payload*> ended, responses;
    payload* next = nullptr;  ///< sent when a request ends

    explicit target_port_rig(const sc_core::sc_module_name& name) : sc_module(name) {
        port.register_nb_transport_fw(this, &target_port_rig::forward, 0);
        initiator.register_nb_transport_bw(this, &target_port_rig::backward, 0);
        initiator.bind(port);
    }
    payload& read() {
        return pool.acquire(tlm::TLM_READ_COMMAND, 0x100, 32, access_type::global_read);
    }
    payload& write() {
        return pool.acquire(tlm::TLM_WRITE_COMMAND, 0x200, 32, access_type::global_write);
    }
    tlm::tlm_sync_enum send(payload& p) { return begin_request(initiator, p); }

private:
    tlm::tlm_sync_enum forward(int, payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase == tlm::END_RESP) {
            port.response_ended();
            return tlm::TLM_COMPLETED;
        }
        const unsigned kind = p.is_write() ? 1 : 0;
        if (room[kind] > 0) --room[kind];
        return port.accept_request(p, phase, room[kind] > 0, kind);
    }
    tlm::tlm_sync_enum backward(int, payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase == tlm::BEGIN_RESP) {
            responses.push_back(&p);
            return willing ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
        }
        EXPECT_EQ(phase, tlm::END_REQ);
        ended.push_back(&p);
        if (next != nullptr) send(*std::exchange(next, nullptr));
        return tlm::TLM_ACCEPTED;
    }
};

struct TargetPort : ::testing::Test {
    target_port_rig rig{"rig"};
    TargetPort() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
};

TEST_F(TargetPort, EndsARequestAtOnceWhileThereIsRoomForAnother) {
    rig.room[0] = 2;
    EXPECT_EQ(rig.send(rig.read()), tlm::TLM_UPDATED);
    EXPECT_EQ(rig.port.withheld(), nullptr);
    rig.port.end_request();
    EXPECT_THAT(rig.ended, IsEmpty());
}

TEST_F(TargetPort, WithholdsTheEndOfTheRequestThatTakesTheLastEntry) {
    payload& p = rig.read();
    EXPECT_EQ(rig.send(p), tlm::TLM_ACCEPTED);
    EXPECT_EQ(rig.port.withheld(), &p);
    rig.port.end_request();
    rig.port.end_request();
    EXPECT_THAT(rig.ended, ElementsAre(&p)) << "once";
    EXPECT_EQ(rig.port.withheld(), nullptr);
}

TEST_F(TargetPort, TakesTheNextRequestFromWithinTheEndOfTheLast) {
    payload& first = rig.read();
    payload& second = rig.read();
    rig.send(first);
    rig.next = &second;
    rig.port.end_request();
    EXPECT_EQ(rig.port.withheld(), &second);
}

TEST_F(TargetPort, WithholdsRequestsOfEachKindSeparately) {
    payload& r = rig.read();
    payload& w = rig.write();
    rig.send(r);
    rig.send(w);
    EXPECT_EQ(rig.port.withheld(0), &r);
    EXPECT_EQ(rig.port.withheld(1), &w);
    rig.port.end_request(1);
    EXPECT_THAT(rig.ended, ElementsAre(&w));
}

TEST_F(TargetPort, SendsNoEndOfARequestThatItsResponseImplies) {
    payload& p = rig.read();
    rig.send(p);
    EXPECT_TRUE(rig.port.respond(p));
    EXPECT_EQ(rig.port.withheld(), nullptr);
    rig.port.end_request();
    EXPECT_THAT(rig.ended, IsEmpty());
}

TEST_F(TargetPort, WaitsForTheEndOfAResponseThatIsNotAcceptedAtOnce) {
    rig.willing = false;
    payload& p = rig.read();
    EXPECT_FALSE(rig.port.respond(p));
    EXPECT_TRUE(rig.port.response_pending());
    end_response(rig.initiator, p);
    EXPECT_FALSE(rig.port.response_pending());
    EXPECT_THAT(rig.responses, ElementsAre(&p));
}

TEST_F(TargetPort, ReportsViolationsOfTheExclusionRule) {
    rig.send(rig.read());
    EXPECT_THROW(rig.send(rig.read()), sc_core::sc_report);
    EXPECT_THROW(end_response(rig.initiator, rig.read()), sc_core::sc_report);
}

}  // namespace
}  // namespace simtlm::protocol

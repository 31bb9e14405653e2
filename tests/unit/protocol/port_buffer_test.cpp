// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/port_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <systemc>
#include <vector>

namespace simtlm::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using payload = tlm::tlm_generic_payload;

const sc_core::sc_time later{5, sc_core::SC_NS}, step{6, sc_core::SC_NS};

/// A block that accepts responses only if enabled; the test acts as the memory.
struct port_buffer_rig : sc_core::sc_module, port_buffer::client {
    transaction_pool pool;
    port_buffer port{"port", *this};
    target_socket<port_buffer_rig> memory{"memory"};
    bool willing = false;
    /// The memory's answer to a request.
    tlm::tlm_sync_enum answer = tlm::TLM_UPDATED;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay;
    unsigned waits = 0;                                            ///< calls of response_waits()
    std::vector<const payload*> taken, finished, ended_responses;  ///< finished: requests

    explicit port_buffer_rig(const sc_core::sc_module_name& name) : sc_module(name) {
        memory.register_nb_transport_fw(this, &port_buffer_rig::forward, 0);
        port.bind(memory);
    }
    payload& read() {
        return pool.acquire(tlm::TLM_READ_COMMAND, 0x100, 32, access_type::global_read);
    }
    payload& write_back() {
        return pool.acquire(tlm::TLM_WRITE_COMMAND, 0x200, 32, access_type::l1_writeback);
    }
    tlm::tlm_sync_enum backward(payload& p, tlm::tlm_phase ph, sc_core::sc_time t = {}) {
        return memory->nb_transport_bw(p, ph, t);
    }
    bool accept_response(payload& p) override {
        if (is_posted(extension(p).type)) {
            p.release();
            return true;
        }
        if (willing) taken.push_back(&p);
        return willing;
    }
    void request_ended(payload& p) override { finished.push_back(&p); }
    void response_waits() override { ++waits; }

private:
    tlm::tlm_sync_enum forward(int, payload& p, tlm::tlm_phase& ph, sc_core::sc_time& t) {
        if (ph == tlm::END_RESP) {
            ended_responses.push_back(&p);
            return tlm::TLM_COMPLETED;
        }
        ph = phase;
        t = delay;
        return answer;
    }
};

class PortBuffer : public testing::Test {
protected:
    PortBuffer() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
    port_buffer_rig rig{"rig"};
};

TEST_F(PortBuffer, SendsNothingBeforeEndReq) {
    payload &first = rig.read(), &second = rig.read();
    rig.answer = tlm::TLM_ACCEPTED;
    EXPECT_TRUE(rig.port.try_send(first));
    EXPECT_EQ(&rig.port.unanswered(), &first);
    EXPECT_FALSE(rig.port.try_send(second));
    EXPECT_EQ(rig.backward(first, tlm::END_REQ), tlm::TLM_ACCEPTED);
    EXPECT_THAT(rig.finished, ElementsAre(&first));
    EXPECT_TRUE(rig.port.try_send(second));
    EXPECT_TRUE(rig.port.blocked());
    first.release();
    second.release();
}

TEST_F(PortBuffer, LetsThePostedWriteResponsePassAWaitingResponse) {
    payload &read = rig.read(), &write_back = rig.write_back();
    ASSERT_TRUE(rig.port.try_send(read));
    ASSERT_TRUE(rig.port.try_send(write_back));
    EXPECT_EQ(rig.backward(read, tlm::BEGIN_RESP), tlm::TLM_ACCEPTED) << "it waits";
    EXPECT_EQ(&rig.port.waiting_response(), &read);
    EXPECT_EQ(rig.backward(write_back, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
    EXPECT_EQ(rig.pool.outstanding(), 1u) << "a write-back is over when it is answered";
    rig.port.retry();
    EXPECT_THAT(rig.ended_responses, IsEmpty()) << "the owner still refuses it";
    rig.willing = true;
    rig.port.retry();
    EXPECT_THAT(rig.taken, ElementsAre(&read));
    EXPECT_THAT(rig.ended_responses, ElementsAre(&read)) << "only what had to wait is ended so";
    read.release();
    EXPECT_EQ(rig.pool.outstanding(), 0u);
}

TEST_F(PortBuffer, MayResendARejectedRequest) {
    payload& read = rig.read();
    rig.phase = refused;
    EXPECT_FALSE(rig.port.try_send(read));
    EXPECT_FALSE(rig.port.blocked()) << "nothing reports that there is room";
    rig.phase = tlm::END_REQ;
    EXPECT_TRUE(rig.port.try_send(read));
    read.release();
}

// Behaviour of simple_target_socket for a memory that implements only b_transport.
TEST_F(PortBuffer, TreatsAResponseWithoutEndReqAsBoth) {
    rig.answer = tlm::TLM_ACCEPTED;
    rig.willing = true;
    payload &first = rig.read(), &second = rig.read();
    ASSERT_TRUE(rig.port.try_send(first));
    EXPECT_FALSE(rig.port.try_send(second)) << "the first request has not ended";
    EXPECT_EQ(rig.backward(first, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
    EXPECT_TRUE(rig.port.try_send(second));
    EXPECT_EQ(rig.backward(second, tlm::BEGIN_RESP), tlm::TLM_COMPLETED);
    EXPECT_THAT(rig.finished, ElementsAre(&first, &second));
    EXPECT_THAT(rig.taken, ElementsAre(&first, &second));
    first.release();
    second.release();
}

TEST_F(PortBuffer, AcceptsAResponseInTheReturnPath) {
    rig.willing = true;
    payload &completed = rig.read(), &begun = rig.read();
    rig.answer = tlm::TLM_COMPLETED;
    ASSERT_TRUE(rig.port.try_send(completed));
    rig.answer = tlm::TLM_UPDATED;
    rig.phase = tlm::BEGIN_RESP;
    ASSERT_TRUE(rig.port.try_send(begun));
    EXPECT_THAT(rig.taken, IsEmpty()) << "the owner is within its call";
    EXPECT_EQ(rig.waits, 2u);
    rig.port.retry();
    EXPECT_THAT(rig.taken, ElementsAre(&completed, &begun));
    EXPECT_THAT(rig.ended_responses, ElementsAre(&begun));
    completed.release();
    begun.release();
}

TEST_F(PortBuffer, ProcessesPhasesWithADelayAtTheirTime) {
    rig.willing = true;
    payload &ended = rig.read(), &begun = rig.read(), &completed = rig.read();
    rig.delay = later;
    ASSERT_TRUE(rig.port.try_send(ended));
    EXPECT_TRUE(rig.port.blocked());
    sc_core::sc_start(step);
    EXPECT_THAT(rig.finished, ElementsAre(&ended));
    rig.answer = tlm::TLM_COMPLETED;
    ASSERT_TRUE(rig.port.try_send(completed));
    EXPECT_EQ(rig.backward(begun, tlm::BEGIN_RESP, later + later), tlm::TLM_ACCEPTED);
    sc_core::sc_start(step);
    EXPECT_THAT(rig.taken, ElementsAre(&completed));
    EXPECT_FALSE(rig.port.blocked());
    sc_core::sc_start(step);
    EXPECT_THAT(rig.taken, ElementsAre(&completed, &begun));
    EXPECT_THAT(rig.ended_responses, ElementsAre(&begun));
    for (payload* p : {&ended, &begun, &completed}) p->release();
}

}  // namespace
}  // namespace simtlm::protocol

// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/base_protocol_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace simtlm::protocol {
namespace {

using sc_core::sc_time;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

sc_time ns(double n) {
    return {n, sc_core::SC_NS};
}

struct note : tlm::tlm_extension<note> {
    tlm_extension_base* clone() const override { return new note(*this); }
    void copy_from(const tlm_extension_base&) override {}
};

struct transaction : tlm::tlm_mm_interface {
    tlm::tlm_generic_payload payload{this};
    std::array<unsigned char, 8> data{};
    transaction() {
        payload.acquire();
        payload.set_read();
        payload.set_data_ptr(data.data());
        payload.set_data_length(8);
        payload.set_streaming_width(8);
    }
    void free(tlm::tlm_generic_payload*) override {}
};

/// Plays both sides of a socket.
struct socket {
    base_protocol_rules rules{"socket", base_protocol_rules::violation_policy::collect};
    void forward(transaction& t, tlm::tlm_phase phase, tlm::tlm_sync_enum answer,
                 tlm::tlm_phase after = tlm::UNINITIALIZED_PHASE, sc_time delay = {},
                 sc_time delay_after = {}) {
        rules.forward_call(t.payload, phase, delay);
        if (answer == tlm::TLM_COMPLETED && phase == tlm::BEGIN_REQ)
            t.payload.set_response_status(tlm::TLM_OK_RESPONSE);
        if (after == tlm::BEGIN_RESP) t.payload.set_response_status(tlm::TLM_OK_RESPONSE);
        rules.forward_return(t.payload, answer, answer == tlm::TLM_UPDATED ? after : phase,
                             delay + delay_after);
    }
    void backward(transaction& t, tlm::tlm_phase phase,
                  tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED, sc_time delay = {}) {
        if (phase == tlm::BEGIN_RESP) t.payload.set_response_status(tlm::TLM_OK_RESPONSE);
        rules.backward_call(t.payload, phase, delay);
        rules.backward_return(t.payload, answer, phase, delay);
    }
};

TEST(BaseProtocolChecker, AcceptsEveryLegalPhaseSequence) {
    socket s;
    transaction a, b, c, d;
    s.forward(a, tlm::BEGIN_REQ, tlm::TLM_ACCEPTED);
    s.backward(a, tlm::END_REQ);
    s.backward(a, tlm::BEGIN_RESP);
    s.forward(a, tlm::END_RESP, tlm::TLM_COMPLETED);
    s.forward(b, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
    s.backward(b, tlm::BEGIN_RESP, tlm::TLM_COMPLETED);
    s.forward(c, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::BEGIN_RESP);
    s.forward(c, tlm::END_RESP, tlm::TLM_ACCEPTED);
    s.forward(d, tlm::BEGIN_REQ, tlm::TLM_COMPLETED);
    EXPECT_THAT(s.rules.violations(), IsEmpty());
    EXPECT_EQ(s.rules.in_flight(), 0u);
    EXPECT_EQ(s.rules.transactions(), 4u);
}

TEST(BaseProtocolChecker, RejectsASecondRequestBeforeTheFirstHasEnded) {
    socket s;
    transaction a, b, c;
    s.forward(a, tlm::BEGIN_REQ, tlm::TLM_ACCEPTED);
    s.forward(b, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ, ns(0), ns(5));
    EXPECT_THAT(s.rules.violations(), ElementsAre(HasSubstr("request exclusion")));
    s.forward(c, tlm::BEGIN_REQ, tlm::TLM_ACCEPTED, tlm::UNINITIALIZED_PHASE, ns(4));
    EXPECT_THAT(s.rules.violations().back(), HasSubstr("annotated time of END_REQ"));
}

TEST(BaseProtocolChecker, RejectsASecondResponseBeforeTheFirstHasEnded) {
    socket s;
    transaction a, b;
    s.forward(a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
    s.forward(b, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
    s.backward(b, tlm::BEGIN_RESP);
    s.backward(a, tlm::BEGIN_RESP);
    EXPECT_THAT(s.rules.violations(), ElementsAre(HasSubstr("response exclusion")));
}

TEST(BaseProtocolChecker, RejectsPhasesOutOfOrder) {
    socket s;
    transaction a, b;
    s.backward(a, tlm::END_REQ);
    s.forward(a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
    s.backward(a, tlm::END_REQ);
    s.forward(a, tlm::END_RESP, tlm::TLM_COMPLETED);
    s.forward(b, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_RESP);
    EXPECT_THAT(
        s.rules.violations(),
        ElementsAre(HasSubstr("not under way"), HasSubstr("END_REQ twice"),
                    HasSubstr("END_RESP before BEGIN_RESP"), HasSubstr("TLM_UPDATED with")));
}

TEST(BaseProtocolChecker, RejectsDecreasingTime) {
    socket s;
    transaction a;
    s.forward(a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ, ns(10));
    s.backward(a, tlm::BEGIN_RESP, tlm::TLM_COMPLETED, ns(3));
    EXPECT_THAT(s.rules.violations(), ElementsAre(HasSubstr("effective time")));
}

TEST(BaseProtocolChecker, RejectsIncompleteRequests) {
    socket s;
    transaction a;
    a.payload.set_response_status(tlm::TLM_OK_RESPONSE);
    a.payload.set_data_length(0);
    a.payload.set_dmi_allowed(true);
    s.rules.forward_call(a.payload, tlm::BEGIN_REQ, {});
    EXPECT_EQ(s.rules.violations().size(), 3u);
}

TEST(BaseProtocolChecker, RejectsAttributesThatChangeDuringATransaction) {
    socket s;
    transaction a;
    note ours;
    a.payload.set_extension(&ours);
    s.forward(a, tlm::BEGIN_REQ, tlm::TLM_ACCEPTED);
    a.payload.set_write();
    a.payload.set_data_length(4);
    a.payload.clear_extension(&ours);
    s.backward(a, tlm::BEGIN_RESP);
    EXPECT_THAT(s.rules.violations(), ElementsAre(HasSubstr("command"), HasSubstr("data length"),
                                                  HasSubstr("extension")));
}

TEST(BaseProtocolChecker, RejectsTransactionsWithoutAMemoryManagerOrResponseStatus) {
    socket s;
    transaction t;
    tlm::tlm_generic_payload unmanaged;
    unmanaged.set_read();
    unmanaged.set_data_ptr(t.data.data());
    unmanaged.set_data_length(8);
    unmanaged.set_streaming_width(8);
    s.rules.forward_call(unmanaged, tlm::BEGIN_REQ, {});
    s.rules.forward_return(unmanaged, tlm::TLM_COMPLETED, tlm::BEGIN_REQ, {});
    EXPECT_THAT(s.rules.violations(),
                ElementsAre(HasSubstr("memory manager"), HasSubstr("response status")));
}

TEST(BaseProtocolChecker, RejectsAnExtensionThatIsLeftOnABlockingTransaction) {
    socket s;
    transaction t;
    tlm::tlm_generic_payload p;
    p.set_read();
    p.set_data_ptr(t.data.data());
    p.set_data_length(8);
    p.set_streaming_width(8);
    note left;
    s.rules.blocking_call(p, {});
    p.set_extension(&left);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    s.rules.blocking_return(p, {});
    p.clear_extension(&left);
    EXPECT_THAT(s.rules.violations(), ElementsAre(HasSubstr("extension was left")));
}

TEST(BaseProtocolChecker, ReportsUnfinishedTransactions) {
    socket s;
    transaction a;
    a.payload.set_address(0x80);
    s.forward(a, tlm::BEGIN_REQ, tlm::TLM_UPDATED, tlm::END_REQ);
    s.rules.check_finished();
    EXPECT_THAT(s.rules.violations(), ElementsAre(HasSubstr("0x80 waits for BEGIN_RESP")));
}

}  // namespace
}  // namespace simtlm::protocol

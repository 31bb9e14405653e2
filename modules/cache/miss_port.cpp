// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/miss_port.h"

namespace simtlm::cache {

miss_port::miss_port(const char* name, client& owner, std::size_t responses)
    : socket(name), owner_(owner), waiting_(responses) {
    socket.register_nb_transport_bw(this, &miss_port::nb_transport_bw, 0);
}

bool miss_port::try_send(tlm::tlm_generic_payload& request) {
    if (blocked_) return false;
    blocked_ = true;  // until the answer, or END_REQ, which may arrive within the call
    unanswered_ = &request;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    switch (socket->nb_transport_fw(request, phase, delay)) {
        case tlm::TLM_ACCEPTED:
            break;
        case tlm::TLM_UPDATED:
            blocked_ = false;
            if (phase == protocol::refused) return false;
            if (phase == tlm::BEGIN_RESP) keep(request, true);
            break;
        case tlm::TLM_COMPLETED:
            blocked_ = false;
            keep(request, false);
            break;
    }
    return true;
}

// A response that arrived in the return of the request is queued like others that wait, and not
// processed within the cache's send().
void miss_port::keep(tlm::tlm_generic_payload& p, bool announced) {
    if (protocol::is_posted(protocol::extension(p).type) && !announced) {
        p.release();
        return;
    }
    sc_assert(!waiting_.full());
    waiting_.push({&p, announced});
    owner_.can_send();
}

bool miss_port::take(tlm::tlm_generic_payload& p) {
    if (protocol::is_posted(protocol::extension(p).type)) {
        p.release();
        return true;
    }
    return owner_.accept_response(p);
}

tlm::tlm_sync_enum miss_port::nb_transport_bw(int, tlm::tlm_generic_payload& p,
                                              tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::END_REQ) {
        blocked_ = false;
        owner_.can_send();
        return tlm::TLM_ACCEPTED;
    }
    sc_assert(phase == tlm::BEGIN_RESP);
    if (blocked_ && unanswered_ == &p) {  // BEGIN_RESP implies END_REQ
        blocked_ = false;
        owner_.can_send();
    }
    // The acknowledgement of a posted write carries no data and bypasses waiting responses.
    const bool next = waiting_.empty() || protocol::is_posted(protocol::extension(p).type);
    if (next && take(p)) return tlm::TLM_COMPLETED;
    sc_assert(!waiting_.full());
    waiting_.push({&p, true});
    owner_.can_send();
    return tlm::TLM_ACCEPTED;
}

void miss_port::retry() {
    while (!waiting_.empty()) {
        const response r = waiting_.front();
        r.payload->acquire();  // keeps the payload alive after END_RESP, when the last other owner
                               // may release it
        if (!take(*r.payload)) {
            r.payload->release();
            return;
        }
        waiting_.pop();
        if (r.announced) {
            tlm::tlm_phase phase = tlm::END_RESP;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            socket->nb_transport_fw(*r.payload, phase, delay);
        }
        r.payload->release();
    }
}

}  // namespace simtlm::cache

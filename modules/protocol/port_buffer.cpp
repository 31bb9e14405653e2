// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/port_buffer.h"

#include "modules/simulation/spawn.h"

namespace simtlm::protocol {

port_buffer::port_buffer(const char* name, client& owner)
    : tagged_initiator_socket(name), owner_(owner) {
    register_nb_transport_bw(this, &port_buffer::nb_transport_bw, 0);
}

port_buffer::~port_buffer() = default;

bool port_buffer::try_send(tlm::tlm_generic_payload& request) {
    if (blocked_) return false;
    blocked_ = sending_ = true;  // until the answer, or END_REQ, which may arrive within the call
    unanswered_ = &request;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = (*this)->nb_transport_fw(request, phase, delay);
    sending_ = false;
    if (answer == tlm::TLM_ACCEPTED) return true;
    if (answer == tlm::TLM_COMPLETED) phase = tlm::END_RESP;
    if (delay != sc_core::SC_ZERO_TIME) {
        postpone(request, phase, delay);
        return true;
    }
    blocked_ = false;
    if (phase == refused) return false;
    if (phase != tlm::END_REQ) returned(request, phase == tlm::BEGIN_RESP);
    return true;
}

/// A response in the return of a request: it is not processed within the owner's call, except for
/// the acknowledgement of a posted write.
void port_buffer::returned(tlm::tlm_generic_payload& p, bool announced) {
    if (is_posted(extension(p).type) && !announced) {
        owner_.accept_response(p);
        return;
    }
    waiting_.push_back({&p, announced});
    owner_.response_waits();
}

void port_buffer::end_request(tlm::tlm_generic_payload& p) {
    if (!blocked_ || unanswered_ != &p) return;
    blocked_ = false;
    if (!sending_) owner_.request_ended(p);
}

/// @return whether the owner has accepted the response; otherwise it waits
bool port_buffer::offer(tlm::tlm_generic_payload& p, bool announced) {
    const bool next = waiting_.empty() || is_posted(extension(p).type);
    if (next && owner_.accept_response(p)) return true;
    waiting_.push_back({&p, announced});
    owner_.response_waits();
    return false;
}

tlm::tlm_sync_enum port_buffer::nb_transport_bw(int, tlm::tlm_generic_payload& p,
                                                tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (delay != sc_core::SC_ZERO_TIME) {
        postpone(p, phase, delay);
        return tlm::TLM_ACCEPTED;
    }
    end_request(p);  // BEGIN_RESP implies END_REQ
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    sc_assert(phase == tlm::BEGIN_RESP);
    return offer(p, true) ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

void port_buffer::retry() {
    while (!waiting_.empty()) {
        const response r = waiting_.front();
        r.payload->acquire();  // keeps the payload alive after END_RESP, when the last other owner
                               // may release it
        const bool accepted = owner_.accept_response(*r.payload);
        if (accepted) {
            waiting_.erase(waiting_.begin());
            if (r.announced) end_response(*this, *r.payload);
        }
        r.payload->release();
        if (!accepted) return;
    }
}

void port_buffer::postpone(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase,
                           const sc_core::sc_time& delay) {
    if (delayed_ == nullptr) {
        delayed_ = std::make_unique<delayed_phases>();
        simulation::spawn_method(sc_core::sc_gen_unique_name("delayed_phases"),
                                 [this] { process_delayed(); }, {delayed_->due});
    }
    delayed_->of.push_back({&p, phase, sc_core::sc_time_stamp() + delay});
    delayed_->due.notify(delay);
}

void port_buffer::process_delayed() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    std::vector<delayed_phase>& waiting = delayed_->of;
    for (std::size_t i = 0; i < waiting.size();) {
        if (waiting[i].at > now) {
            delayed_->due.notify(waiting[i].at - now);
            ++i;
            continue;
        }
        const delayed_phase d = waiting[i];
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
        end_request(*d.payload);
        if (d.phase == tlm::END_REQ) continue;
        const bool announced = d.phase == tlm::BEGIN_RESP;
        d.payload->acquire();  // until END_RESP
        if (offer(*d.payload, announced) && announced) end_response(*this, *d.payload);
        d.payload->release();
    }
}

}  // namespace simtlm::protocol

// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/unit_port.h"

namespace simtlm::cache {

unit_port::unit_port(const char* name, client& owner) : tagged_target_socket(name), owner_(owner) {
    register_nb_transport_fw(this, &unit_port::nb_transport_fw, 0);
}

tlm::tlm_sync_enum unit_port::nb_transport_fw(int, tlm::tlm_generic_payload& p,
                                              tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase == tlm::BEGIN_REQ) return owner_.access(p, phase);
    sc_assert(phase == tlm::END_RESP);
    if (&p != presented_) return tlm::TLM_COMPLETED;  // a hit, which occupies no entry
    presented_ = nullptr;
    owner_.retire();
    present();
    return tlm::TLM_COMPLETED;
}

bool unit_port::respond(tlm::tlm_generic_payload& p, bool hit) {
    protocol::extension(p).hit = hit;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    return protocol::begin_response(*this, p);
}

void unit_port::complete(tlm::tlm_generic_payload& p) {
    const bool taken = respond(p, true);
    if (!taken) SC_REPORT_ERROR("/simtlm/cache/port", "a unit must take a hit at once");
}

void unit_port::present() {
    while (presented_ == nullptr) {
        tlm::tlm_generic_payload* const p = owner_.ready();
        if (p == nullptr) return;
        presented_ = p;
        if (!respond(*p, false)) return;
        presented_ = nullptr;
        owner_.retire();
    }
}

}  // namespace simtlm::cache

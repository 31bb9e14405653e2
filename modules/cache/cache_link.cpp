// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/cache_link.h"

#include "modules/protocol/memory_transaction.h"

namespace simtlm::cache {

cache_link::cache_link(const sc_core::sc_module_name& name)
    : sc_module(name), front("front"), downstream("behind") {
    front.register_nb_transport_fw(this, &cache_link::request, 0);
    downstream.register_nb_transport_bw(this, &cache_link::respond, 0);
}

tlm::tlm_sync_enum cache_link::request(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
    const tlm::tlm_sync_enum answer = downstream->nb_transport_fw(p, phase, delay);
    if (answer == tlm::TLM_COMPLETED) p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (answer != tlm::TLM_ACCEPTED) return answer;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum cache_link::respond(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
    const bool hit = protocol::extension(p).hit;  // occupies no entry of the second cache
    const tlm::tlm_sync_enum answer = front->nb_transport_bw(p, phase, delay);
    return hit ? tlm::TLM_COMPLETED : answer;
}

}  // namespace simtlm::cache

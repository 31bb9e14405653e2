// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/texture_cache.h"

#include "modules/protocol/phases.h"

namespace simtlm::cache {

texture_cache::texture_cache(const sc_core::sc_module_name& name,
                             simulation::phase_sequencer& sequencer, const cache_config& config)
    : sm_cache(
          name, sequencer,
          {protocol::phase::core_texture_cache, simulation::on_edge<&texture_cache::cycle>(this)},
          config) {}

tlm::tlm_sync_enum texture_cache::access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) {
    const access_result r = engine_.access(p, process_.now());
    if (r.outcome == access_outcome::reservation_fail) {
        phase = protocol::refused;
        return tlm::TLM_UPDATED;
    }
    note_back_pressure();
    process_.wake();
    return tlm::TLM_ACCEPTED;
}

void texture_cache::cycle() {
    memory.retry();
    engine_.cycle(memory);
    port.present();
    note_back_pressure();
    if (engine_.idle(!memory.blocked()) && !memory.response_waiting()) process_.sleep();
}

bool texture_cache::accept_response(tlm::tlm_generic_payload& response) {
    engine_.fill(response, process_.now());
    process_.wake();
    return true;
}

void texture_cache::retire() {
    engine_.next_access().release();
    process_.wake();  // the result FIFO has room again
}

void texture_cache::register_statistics(support::statistics& list) const {
    list.add(name(), "l1t", engine_.statistics());
    list.add(name(), "l1t", network_refusals, back_pressure_.counted());
}

}  // namespace simtlm::cache

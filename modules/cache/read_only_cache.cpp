// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/read_only_cache.h"

#include "modules/protocol/phases.h"

namespace simtlm::cache {

read_only_cache::read_only_cache(const sc_core::sc_module_name& name,
                                 simulation::phase_sequencer& sequencer, const config& cfg)
    : sm_cache(name, sequencer,
               {cfg.phase, simulation::on_edge<&read_only_cache::cycle>(this), cfg.sub_phase},
               cfg.cache),
      config_(cfg) {}

tlm::tlm_sync_enum read_only_cache::access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) {
    if (config_.perfect) return tlm::TLM_COMPLETED;
    const access_result r = engine_.access(p, process_.now());
    if (r.outcome == access_outcome::hit) return tlm::TLM_COMPLETED;
    if (r.outcome == access_outcome::reservation_fail) {
        phase = protocol::refused;
        return tlm::TLM_UPDATED;
    }
    if (config_.send_at_access) send();
    note_back_pressure();
    if (!engine_.miss_queue_empty() && !memory.blocked()) process_.wake();
    return tlm::TLM_ACCEPTED;
}

/// Sends at most one miss per cycle.
void read_only_cache::send() {
    const std::uint64_t now = process_.now();
    if (now >= next_send_ && engine_.send(memory)) next_send_ = now + 1;
}

void read_only_cache::cycle() {
    const std::uint64_t now = process_.now();
    replay(now);
    if (memory.response_waiting()) memory.retry();
    send();
    engine_.pass_cycle();
    next_cycle_ = now + 1;
    note_back_pressure();
    const bool sending = !engine_.miss_queue_empty() && !memory.blocked();
    if (!sending && engine_.fill_port_free() && !memory.response_waiting()) process_.sleep();
}

bool read_only_cache::accept_response(tlm::tlm_generic_payload& response) {
    if (!config_.always_fill && !engine_.fill_port_free()) return false;
    engine_.fill(response, process_.now());
    port.present();
    if (!engine_.fill_port_free()) process_.wake();
    return true;
}

void read_only_cache::register_statistics(support::statistics& list) const {
    const char* kind = config_.type == protocol::access_type::instruction_read ? "l1i" : "l1c";
    list.add(name(), kind, engine_.statistics());
    list.add(name(), kind, network_refusals, back_pressure_.counted());
}

}  // namespace simtlm::cache

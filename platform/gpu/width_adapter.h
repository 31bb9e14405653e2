// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>
#include <tlm>

namespace simtlm::platform {

/// Connects an initiator socket and a target socket of different bus widths, which TLM-2.0 does not
/// bind directly. All calls are forwarded in both directions without delay; payloads are byte
/// arrays and independent of the width.
template <unsigned InitiatorWidth, unsigned TargetWidth>
class width_adapter : public sc_core::sc_module {
public:
    tlm_utils::passthrough_target_socket<width_adapter, InitiatorWidth> target;
    tlm_utils::simple_initiator_socket<width_adapter, TargetWidth> initiator;

    explicit width_adapter(const sc_core::sc_module_name& name)
        : sc_module(name), target("target"), initiator("initiator") {
        target.register_nb_transport_fw(this, &width_adapter::forward);
        target.register_b_transport(this, &width_adapter::blocking);
        target.register_transport_dbg(this, &width_adapter::debug);
        target.register_get_direct_mem_ptr(this, &width_adapter::direct);
        initiator.register_nb_transport_bw(this, &width_adapter::backward);
        initiator.register_invalidate_direct_mem_ptr(this, &width_adapter::invalidate);
    }
    const char* kind() const override { return "width_adapter"; }

private:
    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay) {
        return initiator->nb_transport_fw(p, phase, delay);
    }
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay) {
        return target->nb_transport_bw(p, phase, delay);
    }
    void blocking(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        initiator->b_transport(p, delay);
    }
    unsigned debug(tlm::tlm_generic_payload& p) { return initiator->transport_dbg(p); }
    bool direct(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
        return initiator->get_direct_mem_ptr(p, dmi);
    }
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
        target->invalidate_direct_mem_ptr(first, last);
    }
};

}  // namespace simtlm::platform

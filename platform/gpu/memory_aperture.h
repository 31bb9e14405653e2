// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/device_context.h"

#include <systemc>
#include <tlm>

namespace simtlm::platform {

/// Device memory as bus accesses see it: the byte at device address a has the bus address
/// host::aperture + a. Any alignment and length inside of one allocation is served, with byte
/// enables and streaming. It knows no time: host_interface sees to that.
class memory_aperture {
public:
    explicit memory_aperture(device_context& context) : context_(context) {}

    static bool holds(const tlm::tlm_generic_payload& p) {
        return p.get_address() >= host::aperture;
    }
    /// Executes a transaction, or answers what is wrong with it.
    void access(tlm::tlm_generic_payload& p) const;
    /// @return bytes read or written
    unsigned debug_access(tlm::tlm_generic_payload& p) const;
    /// Grants the allocation that holds the address.
    /// @param latency  that an initiator should count for an access
    bool grant(const tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi,
               const sc_core::sc_time& latency) const;

private:
    tlm::tlm_response_status execute(tlm::tlm_generic_payload& p) const;

    device_context& context_;
};

}  // namespace simtlm::platform

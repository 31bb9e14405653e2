// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/gpu/device_context.h"

#include <systemc>
#include <tlm>

namespace simtlm::platform {

/// Device memory as seen by bus accesses: the byte at device address a has the bus address
/// host::aperture + a. Accesses of any alignment and length within one allocation are supported,
/// with byte enables and streaming. Not timed; host_interface adds the timing.
class memory_aperture {
public:
    explicit memory_aperture(device_context& context) : context_(context) {}

    static bool holds(const tlm::tlm_generic_payload& p) {
        return p.get_address() >= host::aperture;
    }
    /// Executes a transaction, or sets its error response.
    void access(tlm::tlm_generic_payload& p) const;
    /// @return number of bytes read or written
    unsigned debug_access(tlm::tlm_generic_payload& p) const;
    /// Grants DMI for the allocation that contains the address.
    /// @param latency  read and write latency to report to the initiator
    bool grant(const tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi,
               const sc_core::sc_time& latency) const;

private:
    tlm::tlm_response_status execute(tlm::tlm_generic_payload& p) const;

    device_context& context_;
};

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

namespace platform_example {

/// A generic loosely timed bus: routes by address and takes a fixed time per transaction. Targets
/// see addresses relative to their base.
class bus : public sc_core::sc_module {
public:
    tlm_utils::multi_passthrough_target_socket<bus, 32> initiators;
    tlm_utils::multi_passthrough_initiator_socket<bus, 32> targets;

    bus(const sc_core::sc_module_name& name, const sc_core::sc_time& latency)
        : sc_module(name), initiators("initiators"), targets("targets"), latency_(latency) {
        initiators.register_b_transport(this, &bus::b_transport);
        initiators.register_transport_dbg(this, &bus::transport_dbg);
        initiators.register_get_direct_mem_ptr(this, &bus::get_direct_mem_ptr);
        targets.register_invalidate_direct_mem_ptr(this, &bus::invalidate_direct_mem_ptr);
    }

    /// Binds a target and maps it to an address range.
    template <class Socket>
    void map(Socket& target, std::uint64_t first, std::uint64_t bytes) {
        targets.bind(target);
        ranges_.push_back({first, bytes});
    }

private:
    struct range {
        std::uint64_t first, bytes;
    };

    int decode(std::uint64_t address) const {
        for (std::size_t i = 0; i < ranges_.size(); ++i)
            if (address >= ranges_[i].first && address - ranges_[i].first < ranges_[i].bytes)
                return static_cast<int>(i);
        return -1;
    }

    void b_transport(int, tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        const std::uint64_t address = p.get_address();
        const int target = decode(address);
        delay += latency_;
        if (target < 0) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        p.set_address(address - ranges_[static_cast<std::size_t>(target)].first);
        targets[target]->b_transport(p, delay);
        p.set_address(address);
    }
    unsigned transport_dbg(int, tlm::tlm_generic_payload& p) {
        const std::uint64_t address = p.get_address();
        const int target = decode(address);
        if (target < 0) return 0;
        p.set_address(address - ranges_[static_cast<std::size_t>(target)].first);
        const unsigned count = targets[target]->transport_dbg(p);
        p.set_address(address);
        return count;
    }
    bool get_direct_mem_ptr(int, tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
        const int target = decode(p.get_address());
        if (target < 0) return false;
        const range& r = ranges_[static_cast<std::size_t>(target)];
        p.set_address(p.get_address() - r.first);
        const bool granted = targets[target]->get_direct_mem_ptr(p, dmi);
        // Translate the range that the target grants or denies to bus addresses.
        dmi.set_start_address(r.first +
                              std::min<std::uint64_t>(dmi.get_start_address(), r.bytes - 1));
        dmi.set_end_address(r.first + std::min<std::uint64_t>(dmi.get_end_address(), r.bytes - 1));
        return granted;
    }
    void invalidate_direct_mem_ptr(int target, sc_dt::uint64 first, sc_dt::uint64 last) {
        const range& r = ranges_[static_cast<std::size_t>(target)];
        for (unsigned i = 0; i < initiators.size(); ++i)
            initiators[static_cast<int>(i)]->invalidate_direct_mem_ptr(r.first + first,
                                                                       r.first + last);
    }

    sc_core::sc_time latency_;
    std::vector<range> ranges_;
};

}  // namespace platform_example

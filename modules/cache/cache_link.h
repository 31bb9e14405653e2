// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/sockets.h"

#include <systemc>
#include <vector>

namespace simtlm::cache {

/// Puts a cache of an SM in front of another one, as an L0 before an L1: the memory side of the
/// first, which speaks the base protocol, to the unit side of the second. It adds no latency and
/// holds no requests: what the second cache refuses the first one keeps, and sends again in its
/// next cycle. The two caches act in different phases or sub-phases.
class cache_link : public sc_core::sc_module {
public:
    protocol::target_socket<cache_link> front;          ///< `memory` of the first cache
    protocol::cache_port_initiator<cache_link> behind;  ///< `port` of the second cache

    explicit cache_link(const sc_core::sc_module_name& name);

private:
    tlm::tlm_sync_enum request(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    tlm::tlm_sync_enum respond(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);

    // Hits that the second cache has handed over and the first one has yet to end.
    std::vector<const tlm::tlm_generic_payload*> handed_over_;
};

}  // namespace simtlm::cache

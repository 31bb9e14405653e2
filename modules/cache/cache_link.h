// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/sockets.h"

#include <systemc>

namespace simtlm::cache {

/// Connects a cache of an SM to the next level, e.g. an L0 to an L1: the base protocol of
/// the first cache's memory side to the unit side of the second. It adds no latency and buffers no
/// requests: a request that the second cache refuses stays in the first, which sends it again in
/// its next cycle. The two caches must act in different phases or sub-phases.
class cache_link : public sc_core::sc_module {
public:
    protocol::target_socket<cache_link> front;              ///< `memory` of the first cache
    protocol::cache_port_initiator<cache_link> downstream;  ///< `port` of the second cache

    explicit cache_link(const sc_core::sc_module_name& name);

private:
    tlm::tlm_sync_enum request(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    tlm::tlm_sync_enum respond(int, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
};

}  // namespace simtlm::cache

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_outcome.h"
#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/sockets.h"

#include <systemc>

namespace simtlm::cache {

/// How an access that is being answered ended: hit, or miss for all that waited for memory. Valid
/// while the unit handles BEGIN_RESP (it travels in extension.cookie).
inline access_outcome response_outcome(const tlm::tlm_generic_payload& p) {
    return static_cast<access_outcome>(protocol::extension(p).cookie);
}

/// The core side of a cache of an SM, protocol::cache_port_protocol.
///
/// Two kinds of responses go to the unit, both with BEGIN_RESP on the backward path:
///  - response_outcome() == hit: a hit at the end of the latency queue, or a store that is
///    complete. It holds no place in the cache; the unit must answer TLM_COMPLETED at once.
///  - response_outcome() == miss: a read whose data have come. The cache presents the oldest one
///    and keeps it until the unit takes it, with TLM_COMPLETED at once or with END_RESP on the
///    forward path in any later cycle; then the next one is presented (from within that END_RESP).
class unit_port {
public:
    struct client {
        /// BEGIN_REQ. The answer is one of the protocol's three.
        virtual tlm::tlm_sync_enum access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) = 0;
        /// The oldest access that had missed and has its data, or nullptr.
        virtual tlm::tlm_generic_payload* ready() = 0;
        /// The unit has taken it.
        virtual void retire() = 0;

    protected:
        ~client() = default;
    };

    unit_port(const char* name, client& owner);

    /// A response that the unit takes at once.
    void complete(tlm::tlm_generic_payload& p);
    /// Presents the oldest finished miss unless one is being presented.
    void present();

    protocol::cache_port_target<unit_port> socket;

private:
    tlm::tlm_sync_enum nb_transport_fw(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    bool respond(tlm::tlm_generic_payload& p, access_outcome outcome);

    client& owner_;
    tlm::tlm_generic_payload* presented_ = nullptr;
};

}  // namespace simtlm::cache

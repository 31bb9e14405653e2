// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/sockets.h"

#include <systemc>

namespace simtlm::cache {

/// The socket of a cache of an SM for its unit, with protocol::cache_port_protocol.
///
/// Two kinds of responses are sent to the unit with BEGIN_RESP on the backward path:
///  - with extension.hit: a hit at the end of the latency queue, or a complete store. It
///    occupies no entry of the cache; the unit must answer with TLM_COMPLETED.
///  - without it: a read whose data have arrived. The cache presents the oldest one
///    and keeps it until the unit accepts it, with TLM_COMPLETED or with END_RESP on the forward
///    path in a later cycle; the next one is then presented (from within that END_RESP).
class unit_port final : public protocol::cache_port_target<unit_port> {
public:
    /// Interface of the cache that owns the port.
    struct client {
        /// BEGIN_REQ. Returns one of the protocol's three answers.
        virtual tlm::tlm_sync_enum access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) = 0;
        /// @return the oldest access that had missed and has its data, or nullptr
        virtual tlm::tlm_generic_payload* ready() = 0;
        /// The unit has accepted the access returned by ready().
        virtual void retire() = 0;

    protected:
        ~client() = default;
    };

    unit_port(const char* name, client& owner);

    /// Sends a response that the unit accepts immediately.
    void complete(tlm::tlm_generic_payload& p);
    /// Presents the oldest finished miss, unless one is already being presented.
    void present();

private:
    tlm::tlm_sync_enum nb_transport_fw(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    bool respond(tlm::tlm_generic_payload& p, bool hit);

    client& owner_;
    tlm::tlm_generic_payload* presented_ = nullptr;
};

}  // namespace simtlm::cache

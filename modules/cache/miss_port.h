// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_engine.h"
#include "modules/protocol/sockets.h"
#include "modules/support/ring_buffer.h"

#include <systemc>

namespace simtlm::cache {

/// The memory side of a cache of an SM: a miss sink with a base-protocol initiator socket. After
/// TLM_ACCEPTED nothing is sent until END_REQ; a request answered with the phase protocol::refused
/// has not been sent. A response that its owner cannot accept in this cycle (fill port busy) is
/// answered with TLM_ACCEPTED and kept; retry() offers it again and sends END_RESP. Write-backs are
/// released when they are acknowledged.
class miss_port : public miss_sink {
public:
    /// Interface of the cache that owns the port.
    struct client {
        /// A response has arrived: a read's data, a part of them, or a write's acknowledgement.
        /// @return whether it was accepted; otherwise it is offered again
        virtual bool accept_response(tlm::tlm_generic_payload& response) = 0;
        /// The port can send again.
        virtual void can_send() = 0;

    protected:
        ~client() = default;
    };

    /// @param responses  maximum number of waiting responses
    miss_port(const char* name, client& owner, std::size_t responses);

    bool try_send(tlm::tlm_generic_payload& request) override;
    bool blocked() const { return blocked_; }
    /// Whether responses wait for retry().
    bool response_waiting() const { return !waiting_.empty(); }
    /// Offers the waiting responses to the owner again, until it does not accept one.
    void retry();

    protocol::initiator_socket<miss_port> socket;

private:
    struct response {
        tlm::tlm_generic_payload* payload;
        bool announced;  // with BEGIN_RESP, so that END_RESP is required
    };
    tlm::tlm_sync_enum nb_transport_bw(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    bool take(tlm::tlm_generic_payload& p);
    void keep(tlm::tlm_generic_payload& p, bool announced);

    client& owner_;
    bool blocked_ = false;
    const tlm::tlm_generic_payload* unanswered_ = nullptr;  // the last request, while blocked_
    support::ring_buffer<response> waiting_;
};

}  // namespace simtlm::cache

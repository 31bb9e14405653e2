// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_engine.h"
#include "modules/kernel/ring_buffer.h"
#include "modules/protocol/sockets.h"

#include <systemc>

namespace simtlm::cache {

/// The memory side of a cache of an SM: a base-protocol initiator socket as a miss sink. After
/// TLM_ACCEPTED nothing is sent until END_REQ; a request that is answered with the phase
/// protocol::refused has not been sent. A response that its owner cannot take now (fill port
/// busy) is answered TLM_ACCEPTED and kept; retry() offers it again and sends END_RESP. Write-backs
/// are released when they are answered.
class miss_port : public miss_sink {
public:
    struct client {
        /// A response has come: a read's data, a part of one, or a write's acknowledgement.
        /// @return  false: not now
        virtual bool accept_response(tlm::tlm_generic_payload& response) = 0;
        /// The port can send again.
        virtual void can_send() = 0;

    protected:
        ~client() = default;
    };

    /// @param responses  that may wait at a time (memories that answer without being asked twice)
    miss_port(const char* name, client& owner, std::size_t responses);

    bool try_send(tlm::tlm_generic_payload& request) override;
    bool blocked() const { return blocked_; }
    /// Whether responses wait for retry().
    bool response_waiting() const { return !waiting_.empty(); }
    void retry();

    protocol::initiator_socket<miss_port> socket;

private:
    struct response {
        tlm::tlm_generic_payload* payload;
        bool announced;  // by BEGIN_RESP that wants an END_RESP
    };
    tlm::tlm_sync_enum nb_transport_bw(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    bool take(tlm::tlm_generic_payload& p);
    void keep(tlm::tlm_generic_payload& p, bool announced);

    client& owner_;
    bool blocked_ = false;
    const tlm::tlm_generic_payload* unanswered_ = nullptr;  // the last request, while blocked
    kernel::ring_buffer<response> waiting_;
};

}  // namespace simtlm::cache

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/memory_transaction.h"
#include "modules/protocol/sockets.h"

#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::protocol {

/// Destination of a block's requests.
struct request_sink {
    virtual ~request_sink() = default;
    /// Sends a request. @return false if there is no room in this cycle. A sink that keeps a
    /// request acquires it, except for write-backs created by a cache: their only reference passes
    /// to the sink, and is released when the write-back has been acknowledged.
    virtual bool try_send(tlm::tlm_generic_payload& request) = 0;
};

/// The initiator socket of a block, with the state of the base protocol: the request that has not
/// ended, and the responses that the block has not accepted.
///
/// After TLM_ACCEPTED nothing is sent until END_REQ, or BEGIN_RESP of the same request, which
/// implies it; a request answered with the phase protocol::refused has not been sent. A response
/// that the owner does not accept is answered with TLM_ACCEPTED and kept; retry() offers it again
/// and sends END_RESP. A response in the return of a request is kept in the same way. The
/// acknowledgement of a posted write, which carries no data, bypasses the responses that wait.
/// Phases that the target has annotated with a delay are processed at their time.
class port_buffer final : public initiator_socket<port_buffer>, public request_sink {
public:
    /// Interface of the block that owns the port.
    struct client {
        /// A response has arrived: a read's data, a part of them, or a write's acknowledgement.
        /// @return whether it was accepted; otherwise it is offered again. A posted write's must be
        /// accepted.
        virtual bool accept_response(tlm::tlm_generic_payload& response) = 0;
        /// A request that blocked the port has ended: the port can send again.
        virtual void request_ended(tlm::tlm_generic_payload& request) = 0;
        /// A response waits for retry().
        virtual void response_waits() {}

    protected:
        ~client() = default;
    };

    port_buffer(const char* name, client& owner);
    ~port_buffer() override;

    bool try_send(tlm::tlm_generic_payload& request) override;
    /// Whether the last request has not ended, so that none can be sent.
    bool blocked() const { return blocked_; }
    /// That request. @pre blocked()
    const tlm::tlm_generic_payload& unanswered() const { return *unanswered_; }
    /// Whether responses wait for retry().
    bool response_waiting() const { return !waiting_.empty(); }
    /// The first of them. @pre response_waiting()
    const tlm::tlm_generic_payload& waiting_response() const { return *waiting_.front().payload; }
    /// Offers the waiting responses to the owner again, until it does not accept one.
    void retry();

private:
    struct response {
        tlm::tlm_generic_payload* payload;
        bool announced;  // with BEGIN_RESP, so that END_RESP is required
    };
    struct delayed_phase {
        tlm::tlm_generic_payload* payload;
        tlm::tlm_phase phase;  // END_REQ, BEGIN_RESP, or END_RESP for a completed transaction
        sc_core::sc_time at;
    };
    struct delayed_phases {
        std::vector<delayed_phase> of;
        sc_core::sc_event due;
    };
    tlm::tlm_sync_enum nb_transport_bw(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void end_request(tlm::tlm_generic_payload& p);
    bool offer(tlm::tlm_generic_payload& p, bool announced);
    void returned(tlm::tlm_generic_payload& p, bool announced);
    void postpone(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase,
                  const sc_core::sc_time& delay);
    void process_delayed();

    client& owner_;
    bool blocked_ = false;
    bool sending_ = false;                                  // within the call of the target
    const tlm::tlm_generic_payload* unanswered_ = nullptr;  // the last request, while blocked_
    std::vector<response> waiting_;
    std::unique_ptr<delayed_phases> delayed_;  // from the first delay on
};

}  // namespace simtlm::protocol

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/sockets.h"

#include <array>
#include <systemc>
#include <utility>

namespace simtlm::protocol {

/// The target socket of a block, with the state of the base protocol: the requests whose END_REQ is
/// withheld, and whether the initiator has accepted the last response. It is the counterpart of
/// port_buffer. The block registers its nb_transport_fw and answers BEGIN_REQ with accept_request()
/// and END_RESP with response_ended().
///
/// @tparam Kinds  kinds of requests to which the exclusion rule applies separately: 2 for a target
///                with queues of its own for reads (0) and writes (1)
template <class Block, unsigned Kinds = 1>
class target_port : public target_socket<Block> {
public:
    using target_socket<Block>::target_socket;

    /// The answer to BEGIN_REQ. @param room  whether another request of the kind may follow now;
    /// otherwise END_REQ is withheld until end_request()
    tlm::tlm_sync_enum accept_request(tlm::tlm_generic_payload& request, tlm::tlm_phase& phase,
                                      bool room, unsigned kind = 0) {
        if (withheld_[kind] != nullptr)
            SC_REPORT_ERROR(this->name(), "BEGIN_REQ while END_REQ of a request is withheld");
        if (!room) {
            withheld_[kind] = &request;
            return tlm::TLM_ACCEPTED;
        }
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    /// The request whose END_REQ is withheld, or nullptr.
    tlm::tlm_generic_payload* withheld(unsigned kind = 0) const { return withheld_[kind]; }
    /// Sends the withheld END_REQ, if any. The initiator may send its next request in the call.
    void end_request(unsigned kind = 0) {
        tlm::tlm_generic_payload* const request = std::exchange(withheld_[kind], nullptr);
        if (request != nullptr) protocol::end_request(*this, *request);
    }

    /// Sends a response, which implies END_REQ. @pre !response_pending()
    /// @return whether the initiator has accepted it; otherwise END_RESP follows
    bool respond(tlm::tlm_generic_payload& response) {
        for (tlm::tlm_generic_payload*& request : withheld_)
            if (request == &response) request = nullptr;
        response_pending_ = true;
        if (!begin_response(*this, response)) return false;
        response_pending_ = false;
        return true;
    }
    /// Whether the initiator has not accepted the last response.
    bool response_pending() const { return response_pending_; }
    /// The initiator has sent END_RESP.
    void response_ended() {
        if (!response_pending_) SC_REPORT_ERROR(this->name(), "END_RESP without BEGIN_RESP");
        response_pending_ = false;
    }

private:
    std::array<tlm::tlm_generic_payload*, Kinds> withheld_{};
    bool response_pending_ = false;
};

}  // namespace simtlm::protocol

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/basic_sockets.h"

#include <cstdint>
#include <tlm>

namespace simtlm::protocol {

struct cluster_message;

/// Who acts when a message has arrived.
struct cluster_message_receiver {
    virtual ~cluster_message_receiver() = default;
    /// The last byte has arrived at the SM that the message is for. Phase core_effects.
    virtual void arrived(const cluster_message& message) = 0;
};

/// What a message between SMs is: how many bytes go with its data, and whether it is an answer,
/// which never waits behind requests.
enum class cluster_packet : std::uint8_t {
    read_request,     ///< asks for a row of shared memory
    read_response,    ///< brings it
    write,            ///< stores, arrivals at mbarriers, atomics
    acknowledgement,  ///< they have been performed
    bulk,             ///< data of the TMA engine
};
inline constexpr unsigned cluster_packets = 5;

constexpr bool is_response(cluster_packet p) {
    return p == cluster_packet::read_response || p == cluster_packet::acknowledgement;
}

/// A message from one SM of a GPC to another, copied from block to block.
struct cluster_message {
    cluster_packet what = cluster_packet::write;
    std::uint16_t from = 0, to = 0;  ///< SMs within the GPU
    std::uint32_t bytes = 0;         ///< of data
    std::uint64_t earliest = 0;      ///< core cycle before which it does not leave
    std::uint64_t at = 0;            ///< core cycle in which it has arrived; the network's
    cluster_message_receiver* receiver = nullptr;
    std::uint64_t tag[2] = {};  ///< the receiver's own
};

/// How messages move between an SM and the SM-to-SM network. Forward, BEGIN_REQ hands a message to
/// the network: TLM_UPDATED with END_REQ means that it would take another, TLM_ACCEPTED that it
/// took the last for now; END_REQ follows on the backward path when there is room for a request.
/// Responses are always taken. Backward, BEGIN_RESP delivers a message that has arrived, which the
/// SM takes at once (TLM_COMPLETED).
struct cluster_message_protocol {
    using tlm_payload_type = cluster_message;
    using tlm_phase_type = tlm::tlm_phase;
};

template <class Block>
using cluster_initiator = tagged_initiator_socket<Block, 256, cluster_message_protocol>;
template <class Block>
using cluster_target = tagged_target_socket<Block, 256, cluster_message_protocol>;
/// What such an initiator is bound to.
using cluster_network_port = basic_target_socket<256, cluster_message_protocol>;

}  // namespace simtlm::protocol

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/basic_sockets.h"

#include <cstdint>
#include <tlm>

namespace simtlm::protocol {

struct sm_to_sm_message;

/// Receives messages of the SM-to-SM network.
struct sm_to_sm_receiver {
    virtual ~sm_to_sm_receiver() = default;
    /// Called when the last byte has arrived at the destination SM, in phase core_effects.
    virtual void arrived(const sm_to_sm_message& message) = 0;
};

/// Type of a message between SMs. It determines the packet's size for a given amount of data, and
/// whether it is a response; responses are never blocked by requests.
enum class sm_to_sm_packet : std::uint8_t {
    read_request,     ///< requests a row of shared memory
    read_response,    ///< returns it
    write,            ///< stores, arrivals at mbarriers, atomics
    acknowledgement,  ///< the operations have been performed
    bulk,             ///< data of the TMA engine
};
inline constexpr unsigned sm_to_sm_packets = 5;

/// Whether a packet is a response.
constexpr bool is_response(sm_to_sm_packet p) {
    return p == sm_to_sm_packet::read_response || p == sm_to_sm_packet::acknowledgement;
}

/// A message from one SM of a GPC to another, copied from block to block.
struct sm_to_sm_message {
    sm_to_sm_packet what = sm_to_sm_packet::write;
    std::uint16_t from = 0, to = 0;  ///< SMs within the GPU
    std::uint32_t bytes = 0;         ///< of data
    std::uint64_t earliest = 0;      ///< earliest core cycle in which it may leave
    std::uint64_t at = 0;            ///< core cycle of its arrival, set by the network
    sm_to_sm_receiver* receiver = nullptr;
    std::uint64_t tag[2] = {};  ///< for use by the receiver
};

/// Protocol between an SM and the SM-to-SM network. Forward path: BEGIN_REQ passes a message to the
/// network, which answers TLM_UPDATED with END_REQ if it has room for another request, and
/// TLM_ACCEPTED otherwise; END_REQ then follows on the backward path once there is room. Responses
/// are always accepted. Backward path: BEGIN_RESP delivers a message that has arrived, which the SM
/// accepts immediately (TLM_COMPLETED).
struct sm_to_sm_protocol {
    using tlm_payload_type = sm_to_sm_message;
    using tlm_phase_type = tlm::tlm_phase;
};

template <class Block>
using sm_to_sm_initiator = tagged_initiator_socket<Block, 256, sm_to_sm_protocol>;
template <class Block>
using sm_to_sm_target = tagged_target_socket<Block, 256, sm_to_sm_protocol>;
/// The target socket to which such an initiator is bound.
using sm_to_sm_port = basic_target_socket<256, sm_to_sm_protocol>;

}  // namespace simtlm::protocol

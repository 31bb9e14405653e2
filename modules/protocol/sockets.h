// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/basic_sockets.h"

#include <tlm>

namespace simtlm::protocol {

/// Protocol between the blocks of the memory system: the TLM-2.0 base protocol, approximately
/// timed, with all four phases; the exclusion rules provide back-pressure.
///
///  - A target with a FIFO of depth N answers BEGIN_REQ with TLM_UPDATED/END_REQ if an entry is
///    still free after accepting the request, and with TLM_ACCEPTED if it has used the last entry:
///    END_REQ then follows on the backward path once an entry is free. Until then the initiator
///    keeps further requests, which models the hardware's full signal.
///  - A block from which the next stage pulls presents the head of its queue with BEGIN_REQ (or
///    BEGIN_RESP) and keeps it until END_REQ (END_RESP).
///  - A posted write (protocol::is_posted) is acknowledged immediately where it is consumed,
///    bypassing all buffers, because the acknowledgement carries no data.
///
/// The timing annotation is always SC_ZERO_TIME: timing is determined by clock edges.
template <class Block>
using initiator_socket = tagged_initiator_socket<Block, 256, tlm::tlm_base_protocol_types>;
template <class Block>
using target_socket = tagged_target_socket<Block, 256, tlm::tlm_base_protocol_types>;

/// Protocol between the units of an SM and its caches: the same payload, but a cache without
/// resources for an access refuses it, and the unit sends it again in a later cycle. Binding it to
/// a base-protocol socket is a compile-time error.
///
/// Answers to BEGIN_REQ:
///  - TLM_COMPLETED: a hit; the return is the response;
///  - TLM_ACCEPTED: accepted; the response follows with BEGIN_RESP on the backward path, which the
///    unit answers with TLM_COMPLETED to accept it immediately, or with TLM_ACCEPTED and a later
///    END_RESP;
///  - TLM_UPDATED with the phase `refused`: a reservation failure; no state has changed.
struct cache_port_protocol {
    using tlm_payload_type = tlm::tlm_generic_payload;
    using tlm_phase_type = tlm::tlm_phase;
};
TLM_DECLARE_EXTENDED_PHASE(refused);

template <class Block>
using cache_port_initiator = tagged_initiator_socket<Block, 32, cache_port_protocol>;
template <class Block>
using cache_port_target = tagged_target_socket<Block, 32, cache_port_protocol>;

}  // namespace simtlm::protocol

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/basic_sockets.h"

#include <tlm>

namespace simtlm::protocol {

/// How the blocks of the memory system talk: the TLM-2.0 base protocol, approximately timed, all
/// four phases, with the exclusion rules as back-pressure.
///
///  - A target with a FIFO of depth N answers BEGIN_REQ with TLM_UPDATED/END_REQ while a place is
///    left after taking it, and with TLM_ACCEPTED when it took the last: END_REQ follows through
///    the backward path once a place is free. Until then its initiator holds what it has, which is
///    the hardware's full signal.
///  - A block that lets the next stage pull presents the head of its queue with BEGIN_REQ (or
///    BEGIN_RESP) and keeps it until END_REQ (END_RESP) comes back.
///  - A posted write (protocol::is_posted) is answered at once where it is consumed, past all
///    buffers: it carries nothing.
///
/// The timing annotation is always SC_ZERO_TIME: time is told by the edges.
template <class Block>
using initiator_socket = tagged_initiator_socket<Block, 256, tlm::tlm_base_protocol_types>;
template <class Block>
using target_socket = tagged_target_socket<Block, 256, tlm::tlm_base_protocol_types>;

/// Protocol of the caches of an SM towards the units that use them: the same payload, but a cache
/// that has no resources for an access refuses it, and the unit offers it again in a later cycle.
/// Binding it to a base-protocol socket is a compile error.
///
/// The answers to BEGIN_REQ are
///  - TLM_COMPLETED: hit, the data are there (the response is part of the return);
///  - TLM_ACCEPTED: taken; the response comes with BEGIN_RESP on the backward path, which the unit
///    answers with TLM_COMPLETED when it takes it at once, or with TLM_ACCEPTED and END_RESP later;
///  - TLM_UPDATED with the phase `refused`: a reservation failure, nothing has happened.
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

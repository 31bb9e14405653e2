// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

namespace simtlm::platform {

class copy_engine;
class host_interface;
class memory_bridge;

/// The sockets of a GPU, without the blocks that serve them. They may stay unbound.
using host_socket = tlm_utils::passthrough_target_socket_optional<host_interface, 32>;
using host_memory_socket = tlm_utils::simple_initiator_socket_optional<copy_engine, 32>;
using external_memory_socket =
    tlm_utils::simple_initiator_socket_tagged_optional<memory_bridge, 32>;

}  // namespace simtlm::platform

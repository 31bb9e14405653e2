// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::platform {

/// Data that write requests carry to an external memory. A GPU that replays traces has addresses
/// but no values to write; a GPU that executes programs keeps the values itself.
enum class memory_data : std::uint8_t {
    masked,   ///< all byte enables off: writes are timed but do not change the memory
    pattern,  ///< written bytes become the low byte of their address; other bytes are disabled
    zeros,    ///< all data zero, without byte enables, for memories that do not support them
    /// Requests carry the contents of device memory at the time they are sent. Writes enable the
    /// bytes that the GPU writes. Reads are filled before the memory overwrites them; the GPU
    /// ignores the data returned. Addresses without contents are handled as `masked`.
    values
};

/// Transport interface used to access an external memory.
enum class memory_timing : std::uint8_t {
    approximately_timed,  ///< nb_transport with up to four phases
    loosely_timed  ///< b_transport, with concurrent calls; the delay is annotated or waited for
};

/// Address space that an external memory sees.
enum class memory_addresses : std::uint8_t {
    global,  ///< device addresses as used by kernels
    dense    ///< contiguous addresses within the channel: address_mapping::channel_address()
};

/// Treatment of an external memory.
struct external_memory {
    memory_data data = memory_data::masked;
    memory_timing timing = memory_timing::approximately_timed;
    memory_addresses addresses = memory_addresses::global;
};

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simtlm::platform {

/// What the writes of a GPU do to an external memory. A GPU that follows traces, which hold
/// addresses but no values, has nothing to write; one that executes programs keeps the values
/// itself.
enum class memory_data : std::uint8_t {
    masked,   ///< all byte enables off: the memory takes its time and keeps its contents
    pattern,  ///< bytes the GPU writes become the low byte of their address; others stay
    zeros,    ///< no byte enables, data of zeros: for a memory that refuses byte enables
    /// Requests hold the bytes that device memory has when they go out: writes those that the GPU
    /// writes, the others are not enabled; reads all of them, before the memory puts in its own,
    /// which the GPU ignores. Addresses without contents are served as masked.
    values
};

/// Which interface of an external memory is called.
enum class memory_timing : std::uint8_t {
    approximately_timed,  ///< nb_transport, four phases or fewer
    loosely_timed  ///< b_transport, any number at a time; the time that it annotates, or waits
};

/// Which addresses an external memory sees.
enum class memory_addresses : std::uint8_t {
    global,  ///< device addresses, as kernels see them
    dense    ///< of the channel alone: address_mapping::channel_address()
};

/// How the GPU treats an external memory.
struct external_memory {
    memory_data data = memory_data::masked;
    memory_timing timing = memory_timing::approximately_timed;
    memory_addresses addresses = memory_addresses::global;
};

}  // namespace simtlm::platform

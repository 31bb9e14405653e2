// SPDX-License-Identifier: Apache-2.0
// Memory, copies, fills and arrays. All functions throw a failure if a request cannot be satisfied.
#pragma once

#include "platform/device/system.h"
#include "runtimes/cuda/graph/graph.h"

namespace simtlm::cuda {

class session;
struct context;

/// Convert between pointers and device addresses, which are identical.
inline std::uint64_t address_of(const void* p) {
    return reinterpret_cast<std::uint64_t>(p);
}
inline void* pointer_to(std::uint64_t a) {
    return reinterpret_cast<void*>(a);
}

/// Returns whether an address is plain host memory: neither pinned, managed nor registered.
bool is_pageable(session& s, std::uint64_t address);
/// Allocates memory in stream order (cudaMallocAsync), which is permitted during captures.
void* allocate_in_stream(session& s, device::memory_kind kind, std::size_t bytes, unsigned flags);
/// The context in which memory was allocated.
context* context_of(session& s, const device::allocation& a);
pointer_attributes attributes_of(session& s, const void* p);

/// A copy of contiguous bytes.
block_copy linear_copy(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                       int kind = by_address);
inline block_copy linear_copy(void* to, const void* from, std::size_t bytes, int kind) {
    return linear_copy(address_of(to), address_of(from), bytes, kind);
}
/// Where a call submits its work, and whether it returns before the work has completed.
struct submission {
    void* stream = nullptr;
    bool asynchronous = false;
};
/// Copies in a stream; waits for completion unless asynchronous.
void copy(session& s, const block_copy& c, const submission& how = {});
/// Fills rows with a value of `element` bytes in a stream.
void fill(session& s, std::uint64_t to, std::size_t pitch, unsigned value, unsigned element,
          std::size_t width, std::size_t height, void* stream);

/// CUDA_MEMCPY3D, and CUDA_MEMCPY3D_PEER, which has contexts in place of `reserved`.
struct side_3d {
    std::size_t x, y, z, level;
    unsigned kind;  ///< 1 host, 2 device, 3 array, 4 unified
    void* host;
    std::uint64_t device;
    void* array;
    void* reserved;
    std::size_t pitch, height;
};
/// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER: a copy of a block between two sides.
struct driver_copy_3d {
    side_3d from, to;
    std::size_t width, height, depth;
};
block_copy block_of(session& s, const driver_copy_3d& p);

/// Convert texel formats; the last one from CUarray_format and a number of channels.
execution::arithmetic::texel_format format_of(const channel_description& d);
channel_description description_of(const execution::arithmetic::texel_format& f);
channel_description channels_of(int format, unsigned channels);

}  // namespace simtlm::cuda

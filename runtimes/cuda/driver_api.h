// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/cuda/runtime_api.h"

namespace simtlm::cuda {

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

/// Converts CUarray_format and a number of channels. @throws failure  so do the functions below
channel_description channels_of(int format, unsigned channels);
block_copy block_of(session& s, const driver_copy_3d& p);
/// Copies in a stream; waits for completion unless asynchronous.
void copy(session& s, const block_copy& c, void* stream, bool asynchronous);
void fill(session& s, std::uint64_t to, std::size_t pitch, unsigned value, unsigned element,
          std::size_t width, std::size_t height, void* stream);

/// @param f  a function or a kernel handle
void launch(session& s, void* f, const kernel_parameters& p, const launch_options& how,
            void* stream);

/// Executes a call of the driver API.
template <class Act>
result driver_call(const char* name, Act&& act) noexcept {
    return call<library_kind::driver>(name, after_fault::refused, [&](session& s) {
        act(s);
        return status::success;
    });
}

}  // namespace simtlm::cuda

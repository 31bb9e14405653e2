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
/// @param f  a function or a kernel handle
void launch(session& s, void* f, const kernel_parameters& p, const launch_options& how,
            void* stream);

}  // namespace simtlm::cuda

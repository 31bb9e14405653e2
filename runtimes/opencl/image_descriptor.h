// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/headers.h"

namespace simtlm::opencl {

/// Image descriptor read by kernels; library/images.cl declares the same structure. Pitches in
/// bytes, extents in elements.
struct image_descriptor {
    cl_ulong base = 0;
    cl_ulong row_pitch = 0, slice_pitch = 0;  ///< the slice pitch also applies to layers
    cl_uint width = 0, height = 1, depth = 1;
    cl_uint layers = 0;  ///< 0: not an array
    cl_uint order = 0, type = 0;
    cl_uint element_bytes = 0;
    cl_uint dimensions = 1;
};
static_assert(sizeof(image_descriptor) == 56);

}  // namespace simtlm::opencl

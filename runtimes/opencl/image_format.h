// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/headers.h"

#include <cstddef>
#include <vector>

namespace simtlm::opencl {

/// Channels that an element has in memory.
unsigned channels_of(cl_channel_order order);
/// Bytes of an element; 0: no format.
std::size_t element_bytes(const cl_image_format& f);
bool is_supported(const cl_image_format& f, cl_mem_object_type type, cl_mem_flags flags);
/// Formats that images of a kind have.
std::vector<cl_image_format> supported_formats(cl_mem_object_type type, cl_mem_flags flags);

}  // namespace simtlm::opencl

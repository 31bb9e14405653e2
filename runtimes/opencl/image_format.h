// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/headers.h"

#include <cstddef>
#include <vector>

namespace simtlm::opencl {

/// Number of channels of an element in memory.
unsigned channels_of(cl_channel_order order);
/// Size of an element in bytes; 0 for an unsupported format.
std::size_t element_bytes(const cl_image_format& f);
bool is_supported(const cl_image_format& f, cl_mem_object_type type, cl_mem_flags flags);
/// Supported formats of an image type.
std::vector<cl_image_format> supported_formats(cl_mem_object_type type, cl_mem_flags flags);

}  // namespace simtlm::opencl

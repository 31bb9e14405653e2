// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/headers.h"

#include <cstddef>
#include <vector>

namespace simtlm::opencl {

/// A colour as an element of an image, as clEnqueueFillImage converts it.
/// @param color  four floats, signed or unsigned integers, as the format has it; depth: one float
std::vector<std::byte> image_pattern(const cl_image_format& f, const void* color);

}  // namespace simtlm::opencl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtimes/opencl/headers.h"

#include <cstddef>
#include <vector>

namespace simtlm::opencl {

/// Converts a colour to an element of an image, as clEnqueueFillImage does.
/// @param color  four floats, signed or unsigned integers depending on the format; depth: one float
std::vector<std::byte> image_pattern(const cl_image_format& f, const void* color);

}  // namespace simtlm::opencl

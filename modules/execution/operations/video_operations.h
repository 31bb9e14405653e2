// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

namespace simtlm::execution {

/// Video instructions: destination, source[0] to source[2]: words; immediate: descriptor
/// (arithmetic/video.h)
const operation* scalar_video_operation(warp& w, const operation* op);
const operation* simd_video_operation(warp& w, const operation* op);
const operation* video_multiply_add(warp& w, const operation* op);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

namespace simtlm::execution {

/// Tells the log of the launch that lanes have executed the instruction that the operation belongs
/// to, or are about to.
const operation* log_instruction(warp& w, const operation* op);

}  // namespace simtlm::execution

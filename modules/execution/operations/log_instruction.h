// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

namespace simtlm::execution {

/// Reports to the log of the launch that lanes have executed, or are about to execute, the
/// instruction of the operation.
const operation* log_instruction(warp& w, const operation* op);

}  // namespace simtlm::execution

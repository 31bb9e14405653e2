// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

namespace simtlm::execution {

/// isspacep. destination: a mask; source[0]: generic addresses; detail: ptx::state_space, and
/// ptx::space_window from bit 8
const operation* test_address_space(warp& w, const operation* op);

}  // namespace simtlm::execution

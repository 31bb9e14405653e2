// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

// Dynamic stack allocation of a function. Lanes that execute together allocate together, the
// maximum size of all lanes. detail: bits of an address.
namespace simtlm::execution {

/// alloca. destination: local addresses; source[0]: bytes; immediate: alignment
const operation* stack_allocate(warp& w, const operation* op);
/// stacksave. destination: start of free memory
const operation* stack_save(warp& w, const operation* op);
/// stackrestore. source[0]: a value of stacksave
const operation* stack_restore(warp& w, const operation* op);

}  // namespace simtlm::execution

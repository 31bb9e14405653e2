// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

// Memory that a function allocates while it runs. Lanes that run together allocate together: the
// largest demand counts for all. detail: bits of an address.
namespace simtlm::execution {

/// alloca. destination: local addresses; source[0]: bytes; immediate: alignment
const operation* stack_allocate(warp& w, const operation* op);
/// stacksave. destination: where free memory begins
const operation* stack_save(warp& w, const operation* op);
/// stackrestore. source[0]: what stacksave gave
const operation* stack_restore(warp& w, const operation* op);

}  // namespace simtlm::execution

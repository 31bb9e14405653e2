// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/state/warp.h"

namespace simtlm::execution {

/// The request to be filled in by a memory access: the one that the memory phase of the cycle will
/// perform or, if effects are not deferred, that of the handler itself.
/// @return nullptr if no lane executes
inline memory_request* begin_request(warp& w, const operation* op, memory_request& own) {
    memory_request& r = w.pending != nullptr ? *w.pending : own;
    r.lanes = w.lanes_of(op);
    if (r.lanes == 0) return nullptr;
    r.op = op;
    return &r;
}

}  // namespace simtlm::execution

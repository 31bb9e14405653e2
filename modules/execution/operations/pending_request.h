// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/warp.h"

namespace simtlm::execution {

/// What an access of memory fills in: the request that the memory phase of the cycle will find, or,
/// where nobody waits for one, that of the handler itself.
/// @return nullptr: no lane takes part
inline memory_request* begin_request(warp& w, const operation* op, memory_request& own) {
    memory_request& r = w.pending != nullptr ? *w.pending : own;
    r.lanes = w.lanes_of(op);
    if (r.lanes == 0) return nullptr;
    r.op = op;
    return &r;
}

}  // namespace simtlm::execution

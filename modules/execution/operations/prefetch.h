// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

namespace simtlm::execution {

/// prefetch, prefetchu, CCTL.PF: with timing, leaves a request for the word at each lane's address;
/// without timing, it has no effect. Lanes whose address is not in mapped global memory prefetch
/// nothing, and do not fault. Operands as of a load.
const operation* prefetch_words(warp& w, const operation* op);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"
#include "modules/ptx/operation.h"

namespace simtlm::execution {

/// atom and red. destination: old values, or no_slot; source[0], immediate, detail: address as of
/// loads; source[1], source[2]: operands. nullptr: there is no such atomic.
handler atomic_handler(ptx::reduction r, ptx::type t, bool shared);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"
#include "modules/ptx/operation.h"

#include <cstddef>

namespace simtlm::execution {

/// atom and red. destination: old values, or no_slot; source[0], immediate, detail: address as of
/// loads; source[1], source[2]: operands. nullptr: there is no such atomic.
handler atomic_handler(ptx::reduction r, ptx::type t, bool shared);

/// Changes an element of memory by a value, as red does. @param concurrent  other host threads may
/// do so at the same time
using element_update = void (*)(std::byte* at, const std::byte* value, bool concurrent);
/// nullptr: there is no such reduction.
element_update element_update_of(ptx::reduction r, ptx::type t);

}  // namespace simtlm::execution

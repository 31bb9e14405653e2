// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"
#include "modules/ptx/operation.h"

#include <cstddef>

namespace simtlm::execution {

/// atom and red. destination: old values, or no_slot; source[0], immediate, detail: address as for
/// loads; source[1], source[2]: operands. nullptr: no such atomic.
handler atomic_handler(ptx::reduction r, ptx::type t, bool shared);

/// Updates an element of memory, like red. @param concurrent  other host threads may do so
/// concurrently
using element_update = void (*)(std::byte* at, const std::byte* value, bool concurrent);
/// @return nullptr if there is no such reduction
element_update element_update_of(ptx::reduction r, ptx::type t);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"
#include "modules/ptx/operation.h"

#include <cstddef>

namespace simtlm::execution {

/// atom and red. destination: old values, or no_operand; source[0], immediate, detail: address as
/// for loads; source[1], source[2]: operands. nullptr: no such atomic.
handler atomic_handler(ptx::reduction r, ptx::type t, bool shared);

/// atom and red of vectors: every element is updated atomically, the vector is not. detail: number
/// of elements; list: operands, then destinations of old values, or no_operand; source[0],
/// immediate: address, a multiple of the vector's size. nullptr: no such atomic.
/// @param t  f32, f16, bf16, f16x2 or bf16x2
handler vector_atomic_handler(ptx::reduction r, ptx::type t);

/// Updates an element of memory, like red. @param concurrent  other host threads may do so
/// concurrently
using element_update = void (*)(std::byte* at, const std::byte* value, bool concurrent);
/// @return nullptr if there is no such reduction
element_update element_update_of(ptx::reduction r, ptx::type t);

}  // namespace simtlm::execution

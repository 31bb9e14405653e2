// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/multiprocessor.h"
#include "modules/program/instruction.h"

namespace simtlm::core {

/// The decoded instruction that a warp issues next, for who looks at an SM from outside.
/// @param warp  resident
/// @return nullptr: none is decoded
const program::dynamic_instruction* next_instruction(const multiprocessor& sm, unsigned warp);

}  // namespace simtlm::core

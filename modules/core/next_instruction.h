// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/multiprocessor.h"
#include "modules/program/instruction.h"

namespace simtlm::core {

/// The decoded instruction that a warp issues next, for observers of an SM.
/// @param warp  resident
/// @return nullptr if none is decoded
const program::dynamic_instruction* next_instruction(const multiprocessor& sm, unsigned warp);

}  // namespace simtlm::core

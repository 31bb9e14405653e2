// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <string_view>

namespace simtlm::isa {

/// The shape and the types in the mnemonic of a matrix instruction: HMMA.16816.F32,
/// IMMA.16832.S8.S8, DMMA.884, or in PTX mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32. Not
/// known() if it has none.
program::matrix_shape matrix_shape_of(std::string_view opcode);

}  // namespace simtlm::isa

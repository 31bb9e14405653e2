// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"
#include "modules/ptx/types.h"

#include <cstdint>

// Operations that the lowering inserts between instructions, and mov with packing.
namespace simtlm::execution {

/// destination: the complement of the mask source[0]
const operation* negate_mask(warp& w, const operation* op);
/// destination: immediate plus the start of the function's local frame
const operation* frame_address32(warp& w, const operation* op);
const operation* frame_address64(warp& w, const operation* op);
/// destination: source[0] + source[1]
const operation* add32(warp& w, const operation* op);
const operation* add64(warp& w, const operation* op);
/// Copies of words and double words.
const operation* move32(warp& w, const operation* op);
const operation* move64(warp& w, const operation* op);

/// Converts a value of one width to a register of another. Widths in bits, at most 64.
handler extension_handler(unsigned from, unsigned to, bool is_signed);

/// destination: the elements of list, lowest first, each of `detail` bits; immediate: their number
const operation* pack_word(warp& w, const operation* op);
const operation* pack_double(warp& w, const operation* op);
/// The inverse: elements of source[0] into list; no_operand: unused
const operation* unpack_word(warp& w, const operation* op);
const operation* unpack_double(warp& w, const operation* op);

/// The value written by set if the comparison is true.
std::int64_t value_of_true(ptx::type t);

}  // namespace simtlm::execution

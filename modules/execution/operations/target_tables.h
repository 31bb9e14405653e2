// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/types.h"
#include "modules/execution/operations/choice.h"
#include "modules/execution/operations/operation_tables.h"
#include "modules/ptx/operation.h"

// Functions defined by the sources that are compiled for several instruction sets: one per family,
// which returns the handler of an instruction, or none if it is not in the family.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

/// Whether this instruction set is an addition to the baseline, which has every handler: a choice
/// of `of_baseline` refers to the baseline's handler. This halves the code to be compiled.
#ifdef SIMTLM_BESIDE_BASELINE
constexpr bool leaves_to_baseline = true;
#else
constexpr bool leaves_to_baseline = false;
#endif
/// Never executed: choose_elementwise() replaces it by the baseline's handler.
const operation* of_baseline(warp& w, const operation* op);

choice choose_integer(const ptx::operation& o);
choice choose_bit_field(const ptx::operation& o);
choice choose_logic(const ptx::operation& o);
choice choose_carry(const ptx::operation& o);
choice choose_selection(const ptx::operation& o);
choice choose_comparison(const ptx::operation& o);
choice choose_float(const ptx::operation& o);
choice choose_approximate(const ptx::operation& o);
choice choose_conversion(const ptx::operation& o);
handler choose_load(const element_format& f);
handler choose_store(const element_format& f);
handler choose_parameter_load(const element_format& f);
const operation* check_access(warp& w, const operation* op);
const operation* fetch_texture(warp& w, const operation* op);
const machine_lane_operations& machine_operations_of_lanes();

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution

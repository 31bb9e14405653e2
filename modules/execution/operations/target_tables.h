// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/types.h"
#include "modules/execution/operations/choice.h"
#include "modules/execution/operations/operation_tables.h"
#include "modules/ptx/operation.h"

// What the sources that are compiled for several instruction sets define: one function per family,
// which gives the handler of an instruction, or none if it is not of the family.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

/// Whether this instruction set is beside the baseline, which has every handler: a choice of
/// `of_baseline` stands for the baseline's. That halves what is compiled.
#ifdef SIMTLM_BESIDE_BASELINE
constexpr bool leaves_to_baseline = true;
#else
constexpr bool leaves_to_baseline = false;
#endif
/// Never executed: choose_elementwise() puts the baseline's handler in its place.
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

// SPDX-License-Identifier: Apache-2.0
// Parts of the lowering of asynchronous instructions, whose operations are executed by one lane.
#pragma once

#include "modules/execution/machine/machine_lowering.h"
#include "modules/execution/operations/bulk_copy.h"

namespace simtlm::execution {

constexpr std::uint16_t in_space(space s) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(s) << access_detail::space_shift);
}

/// A uniform register as an operand.
sass::operand uniform_register(unsigned n);
/// An address of the cluster's shared memory in a uniform register.
lane_place cluster_place(machine_lowering& l, unsigned uniform);
/// A descriptor of a matrix in shared memory, from two uniform registers.
operand_ref matrix_descriptor_row(machine_lowering& l, unsigned first);
/// Emits an operation that is executed by the first lane: uniform instructions execute once.
operation& emit_for_one_lane(machine_lowering& l, handler h);
void emit_bulk(machine_lowering& l, handler h, bulk_copy what);

}  // namespace simtlm::execution

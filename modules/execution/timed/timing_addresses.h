// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"
#include "modules/execution/operations/remote_lanes.h"
#include "modules/execution/state/warp.h"
#include "modules/program/kernel_source.h"

// Addresses of instructions for the timing model.
namespace simtlm::execution {

/// For instructions without a request: matrix loads and stores, loads of parameters. Must be called
/// before execution, because results may overwrite addresses.
void note_addresses(const warp& w, const operation* op,
                    const program::dynamic_instruction& instruction,
                    program::issue_effects& effects, program::lane_addresses& addresses);

/// For an access with a request: addresses in the resolved state space.
void note_request(const timed_request& r, program::issue_effects& effects,
                  program::lane_addresses& addresses);

/// After note_request, for an atomic with generic addresses: hardware splits it if some lanes
/// address shared memory and others global memory. The remaining access is to global memory.
/// @return lanes that address shared memory, if others address global memory
lane_mask split_off_shared_lanes(const memory_request& r, program::issue_effects& effects,
                                 program::lane_addresses& addresses);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"
#include "modules/execution/warp.h"
#include "modules/program/kernel_source.h"

// What an SM has to know of the addresses of an instruction.
namespace simtlm::execution {

/// Of instructions that leave no request: matrix loads and stores, loads of parameters. Before they
/// are executed: results may overwrite addresses.
void note_addresses(const warp& w, const operation* op,
                    const program::dynamic_instruction& instruction,
                    program::issue_effects& effects, program::lane_addresses& addresses);

/// Of an access that has left a request: addresses within the space that they turn out to be in.
void note_request(const memory_request& r, program::issue_effects& effects,
                  program::lane_addresses& addresses);

/// After note_request, of an atomic by generic addresses: hardware splits it where lanes address
/// shared memory and others global memory. What is left is an access of global memory.
/// @return lanes that address shared memory, where others address global memory
lane_mask split_off_shared_lanes(const memory_request& r, program::issue_effects& effects,
                                 program::lane_addresses& addresses);

}  // namespace simtlm::execution

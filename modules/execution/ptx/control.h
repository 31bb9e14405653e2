// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

// Control flow. Targets are indices of operations in the module.
namespace simtlm::execution {

/// bra. source[0]: target; source[1]: reconvergence point, or no_operand
const operation* branch(warp& w, const operation* op);
/// brx.idx. source[0]: index lanes (32 bits); source[1]: reconvergence point; list: targets;
/// immediate: their number
const operation* indexed_branch(warp& w, const operation* op);
/// Precedes a barrier, since sm_70: lanes wait for lanes of their warp that have not reached it,
/// and let them run. immediate: 0, or the operations up to the end of the instruction if the lanes
/// may arrive with different instructions
const operation* gather_at_barrier(warp& w, const operation* op);
/// Precedes an instruction with members of the warp (source[0]: words), since sm_70: lanes wait for
/// those members that can still arrive, and let them run.
const operation* gather_members(warp& w, const operation* op);
/// Precedes the first instruction at a reconvergence point.
const operation* reconvergence_point(warp& w, const operation* op);
/// call of a known function. source[0]: its first operation; immediate: call site
const operation* call(warp& w, const operation* op);
/// call through a pointer. source[0]: addresses (detail: their bytes); immediate: call site
const operation* call_pointer(warp& w, const operation* op);
/// call of a function without definition. immediate: the function
const operation* call_undefined(warp& w, const operation* op);
/// First operation of a device function. immediate: the function
const operation* enter_function(warp& w, const operation* op);
/// ret
const operation* return_from_function(warp& w, const operation* op);
/// exit
const operation* exit_thread(warp& w, const operation* op);
/// trap
const operation* trap(warp& w, const operation* op);
/// Reports an unsupported instruction.
const operation* refuse(warp& w, const operation* op);
/// No operation.
const operation* nothing(warp& w, const operation* op);
/// nanosleep: lets other warps run first. With timing, reports the lanes and the time that they
/// sleep (timed_request::asleep): the shortest of theirs, so that they wake up together, and at
/// most one millisecond (PTX manual, nanosleep). source[0]: words, nanoseconds; no_operand: none
const operation* give_way(warp& w, const operation* op);
/// Whether a warp has stopped at a nanosleep.
bool has_slept(const warp& w);

}  // namespace simtlm::execution

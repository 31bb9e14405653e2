// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

// Control flow. Targets are operations of the module: their index.
namespace simtlm::execution {

/// bra. source[0]: target; source[1]: where lanes meet again, or no_slot
const operation* branch(warp& w, const operation* op);
/// brx.idx. source[0]: index lanes (32 bits); source[1]: where lanes meet; list: targets;
/// immediate: how many
const operation* indexed_branch(warp& w, const operation* op);
/// Before a barrier, from sm_70 on: lanes wait for those of their warp that have not come to it,
/// and let them run.
const operation* gather_at_barrier(warp& w, const operation* op);
/// Before an instruction that names members of the warp (source[0]: words), from sm_70 on: lanes
/// wait for those that it names and that can come, and let them run.
const operation* gather_members(warp& w, const operation* op);
/// Before the first instruction of a place where lanes meet.
const operation* reconvergence_point(warp& w, const operation* op);
/// call of a known function. source[0]: its first operation; immediate: call site
const operation* call(warp& w, const operation* op);
/// call through a pointer. source[0]: address lanes (detail: their bytes); immediate: call site
const operation* call_pointer(warp& w, const operation* op);
/// call of a function that is only declared. immediate: the function
const operation* call_undefined(warp& w, const operation* op);
/// First operation of a device function. immediate: the function
const operation* enter_function(warp& w, const operation* op);
/// ret
const operation* return_from_function(warp& w, const operation* op);
/// exit
const operation* exit_thread(warp& w, const operation* op);
/// trap
const operation* trap(warp& w, const operation* op);
/// Says that an instruction is not executed.
const operation* refuse(warp& w, const operation* op);
/// Nothing happens.
const operation* nothing(warp& w, const operation* op);
/// nanosleep: other warps first.
const operation* give_way(warp& w, const operation* op);

}  // namespace simtlm::execution

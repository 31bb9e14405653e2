// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"
#include "modules/execution/state/memory_access.h"
#include "modules/ptx/operation.h"

#include <cstdint>
#include <string>

// Asynchronous copies, and mbarriers. Without timing a copy is complete immediately.
namespace simtlm::execution {

/// cp.async. source[0], immediate, detail: destination address; list: the source's immediate (two
/// words), detail, address operand, bytes (a power of two), whether the low bits of the source
/// address are the number of bytes that are not read; source[1]: bytes read, or no_operand;
/// source[2]: mask of lanes that read nothing, or no_operand
const operation* copy_asynchronously(warp& w, const operation* op);

/// Visits the ranges that it reads and writes.
void visit_copy(const warp& w, const operation* op, const range_visitor& reads,
                const range_visitor& writes);

/// Time limit of mbarrier.try_wait without one of its own, in ns. PTX calls it system-dependent; no
/// measurement is known. The timing model ends every short wait after mbarrier_config::time_limit
/// core cycles.
///
/// It does not apply to a wait in a loop that only waits: the loop would repeat it at once, and a
/// phase that is never completed is reported as a deadlock. It applies to others, because the
/// warp may first have to do what the phase depends on: a producer with one buffer tests whether
/// the next one is free before it fills the first.
constexpr std::uint32_t mbarrier_time_limit = 500;

/// An mbarrier instruction. source[0], immediate, detail: its address; destination: state (64
/// bits), mask or words; source[1]: count, state or parity; source[2]: time limit in ns, or
/// no_operand
handler mbarrier_handler(const ptx::operation& o);

/// SYNCS.PHASECHK: whether the phase in bit 31 of source[1] is complete. destination: mask.
/// @param tries  a failed wait lets other warps run, like try_wait
handler mbarrier_token_wait(bool tries);
/// Describes what a failed mbarrier wait waits for: the phase, the location of the mbarrier, and
/// the missing arrivals, e.g. "phase 0 of the mbarrier at shared address 0x400: 1 of 2 arrivals are
/// to come".
/// @param lanes  that execute it; those whose phase is complete are ignored
/// @return empty if `op` is not an mbarrier wait, or if no lane waits
std::string describe_mbarrier_wait(warp& w, const operation* op, lane_mask lanes);
/// ATOMS.ARRIVE and ARRIVES on sm_80 to sm_89, where mbarriers have a different format: machine
/// code initialises them, counts arrivals and tests the phase itself. destination: the previous
/// value (64 bits), or no_operand
const operation* arrive_at_early_mbarrier(warp& w, const operation* op);
/// SYNCS.EXCH: sets the mbarrier to source[1] (64 bits); destination: previous value, or no_operand
const operation* exchange_mbarrier(warp& w, const operation* op);

}  // namespace simtlm::execution

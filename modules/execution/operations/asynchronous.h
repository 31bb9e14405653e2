// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/memory_access.h"
#include "modules/execution/operation.h"
#include "modules/ptx/operation.h"

#include <string>

// Copies that need not wait, and the barriers in memory that tell of their end. Without time a copy
// is complete at once.
namespace simtlm::execution {

/// cp.async. source[0], immediate, detail: where to; list: source's immediate (two words), its
/// detail, its address slot, bytes; source[1]: bytes read, or no_slot; source[2]: mask of lanes
/// that read nothing, or no_slot
const operation* copy_asynchronously(warp& w, const operation* op);

/// What it reads and writes.
void visit_copy(const warp& w, const operation* op, const range_visitor& reads,
                const range_visitor& writes);

/// An mbarrier instruction. source[0], immediate, detail: its address; destination: state (64
/// bits), mask or words; source[1]: count, state or parity; source[2]: ptx::opcode
handler mbarrier_handler(const ptx::operation& o);

/// SYNCS.PHASECHK: whether the phase in bit 31 of source[1] is complete. destination: mask.
/// @param tries  a wait that fails lets other warps run, as try_wait's
handler mbarrier_token_wait(bool tries);
/// What an mbarrier wait that has failed waits for: the phase, where the mbarrier lies, and what is
/// still to come, "phase 0 of the mbarrier at shared address 0x400: 1 of 2 arrivals are to come".
/// @param lanes  that execute it; those whose phase is complete are passed over
/// @return empty: `op` is no mbarrier wait, or no lane waits
std::string describe_mbarrier_wait(warp& w, const operation* op, lane_mask lanes);
/// SYNCS.EXCH: the mbarrier's bits become those of source[1] (64 bits); destination: what they
/// were, or no_slot
const operation* exchange_mbarrier(warp& w, const operation* op);

}  // namespace simtlm::execution

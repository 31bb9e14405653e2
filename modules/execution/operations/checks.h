// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/access_flags.h"
#include "modules/execution/common/operation.h"

#include <cstdint>

// Operations that check the following instruction. They only exist in modules loaded with checks,
// and do not change state that is visible to programs.
namespace simtlm::execution {

class async_proxy;

/// Asynchronous accesses to the shared memory of a warp's block; nullptr if races are not checked.
async_proxy* proxy_of(const warp& w);

/// Precedes a fence.
const operation* note_fence(warp& w, const operation* op);
/// Precedes bar.warp.sync.
const operation* note_warp_sync(warp& w, const operation* op);
/// Precedes fence.proxy.async.
const operation* note_proxy_fence(warp& w, const operation* op);
/// Precede cp.async.bulk.commit_group and .wait_group. immediate: groups that may be pending
const operation* note_bulk_commit(warp& w, const operation* op);
const operation* note_bulk_wait(warp& w, const operation* op);
/// Precedes an operation on an mbarrier. source[0], immediate, detail: address; source[1]:
/// access_flags
const operation* note_mbarrier(warp& w, const operation* op);
/// Precedes an access to a segment of memory by each lane, which is the next operation. immediate:
/// segment_access
const operation* check_segments(warp& w, const operation* op);
/// Precedes an instruction that may read an unwritten register. source[0]: lanes that have been
/// written; immediate: the register
const operation* check_register(warp& w, const operation* op);
/// Accompanies an instruction that writes such a register. destination: its lanes
const operation* mark_register(warp& w, const operation* op);
/// At the beginning of a device function: marks its local variables as unwritten, its parameters as
/// written. immediate: the function
const operation* note_frame(warp& w, const operation* op);

}  // namespace simtlm::execution

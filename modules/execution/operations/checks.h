// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

#include <cstdint>

// Operations that look at what the instruction they stand beside is about to do. They exist in
// modules that have been loaded with checks, and change nothing that programs see.
namespace simtlm::execution {

class async_proxy;

/// What is known of asynchronous accesses to the shared memory of a warp's block; null where races
/// are not looked for.
async_proxy* proxy_of(const warp& w);

/// What an access is, in operation::source[1] of its check.
struct access_flags {
    static constexpr std::uint32_t reads = 1;
    static constexpr std::uint32_t writes = 2;
    static constexpr std::uint32_t strong = 4;  ///< does not race with others that are strong
    static constexpr std::uint32_t acquires = 8;
    static constexpr std::uint32_t releases = 16;
    static constexpr std::uint32_t wide_registers = 32;  ///< of 64 bits a lane
    /// What is loaded is stored elsewhere, and nothing else.
    static constexpr std::uint32_t copies = 64;
    /// Strong to other warps, but says nothing of the order of lanes: volatile.
    static constexpr std::uint32_t unordered_lanes = 128;
};

/// Before a fence.
const operation* note_fence(warp& w, const operation* op);
/// Before bar.warp.sync.
const operation* note_warp_sync(warp& w, const operation* op);
/// Before fence.proxy.async.
const operation* note_proxy_fence(warp& w, const operation* op);
/// Before cp.async.bulk.commit_group and .wait_group. immediate: groups that may be pending
const operation* note_bulk_commit(warp& w, const operation* op);
const operation* note_bulk_wait(warp& w, const operation* op);
/// Before an operation on an mbarrier. source[0], immediate, detail: address; source[1]:
/// access_flags
const operation* note_mbarrier(warp& w, const operation* op);
/// Before wmma.load, wmma.store, ldmatrix, cp.async, which is the next operation.
const operation* check_segments(warp& w, const operation* op);
/// Before an instruction that may read a register that nothing has written. source[0]: lanes that
/// have been written; immediate: the register
const operation* check_register(warp& w, const operation* op);
/// With an instruction that writes such a register. destination: its lanes
const operation* mark_register(warp& w, const operation* op);
/// At the beginning of a device function: its local variables are not written, its parameters are.
/// immediate: the function
const operation* note_frame(warp& w, const operation* op);

}  // namespace simtlm::execution

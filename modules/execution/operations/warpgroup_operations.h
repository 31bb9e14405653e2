// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/arithmetic/warpgroup_matrix.h"
#include "modules/execution/common/operation.h"

namespace simtlm::execution {

struct warp;

/// wgmma.fence: the products that follow read what all warps of the warpgroup have stored before
/// it. await_warpgroup(), before a product, waits for the other warps to have executed as many
/// fences; with engines the SM holds the warp at its fence instead.
const operation* arrive_at_warpgroup(warp& w, const operation* op);
const operation* await_warpgroup(warp& w, const operation* op);

/// wgmma.mma_async: the rows of one warp of the warpgroup. Complete when the next instruction
/// executes. immediate: an arithmetic::warpgroup_multiply; list: registers of D, then four of A
/// unless it is a matrix in shared memory; source[0], source[1]: descriptors of A and B; source[2]:
/// the mask of scale-d; source[3]: metadata of .sp.
const operation* multiply_warpgroup(warp& w, const operation* op);

/// wgmma.commit_group and wgmma.wait_group; immediate: groups that may be pending. A group is
/// complete when all warps of the warpgroup have reached its end: programs may then overwrite
/// operands.
const operation* commit_warpgroup(warp& w, const operation* op);
const operation* wait_for_warpgroup(warp& w, const operation* op);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operations/texture_operations.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/launch.h"
#include "modules/execution/state/thread_block.h"

// Common parts of texture fetches and surface accesses. Compiled for several instruction sets, like
// lanes.h.
namespace simtlm::execution {
inline namespace SIMTLM_ARITHMETIC_TARGET {

/// The description of an operation.
inline const texture_description& texture_description_of(const operation* op) {
    return *reinterpret_cast<const texture_description*>(op->immediate);
}

/// Whether the first coordinate is a layer.
inline bool is_layered(arithmetic::texture_geometry g) {
    using arithmetic::texture_geometry;
    return g == texture_geometry::layered_one || g == texture_geometry::layered_two ||
           g == texture_geometry::layered_cube;
}

/// A lane's 32-bit register.
inline std::uint32_t lane_word(const warp& w, operand_ref s, unsigned lane) {
    return lanes_at<std::uint32_t>(w, s)[lane];
}

/// With timing: reports the warp's accesses.
inline void note_access(warp& w, const operation* op, lane_mask lanes) {
    if (w.pending == nullptr) return;
    w.pending->op = op;
    w.pending->lanes = lanes;
}

}  // namespace SIMTLM_ARITHMETIC_TARGET
}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace simtlm::trace {

/// What a warp executes, without where its addresses begin: instructions, masks and the distances
/// between the addresses of the lanes. Warps of regular code take the same path with other bases,
/// so that a trace block keeps a pointer and a base per memory instruction instead of the whole.
struct warp_path {
    std::vector<program::dynamic_instruction> instructions;
    std::vector<std::int32_t> deltas;  ///< what the instructions' deltas point into
};

/// The paths alive, so that equal ones are kept once. Used by the decoder of one kernel.
class path_table {
public:
    /// Finds or makes the path of a decoded warp.
    /// @param instructions  of the warp; their addresses lie in `addresses`
    /// @param own           the addresses that are the warp's own are appended here; the path's
    ///                      instructions count theirs from the first appended
    std::shared_ptr<const warp_path> share(
        const std::vector<program::dynamic_instruction>& instructions,
        const std::vector<std::uint64_t>& addresses, std::vector<std::uint64_t>& own);

private:
    bool add_deltas(const std::uint64_t* addresses, std::size_t n, std::uint64_t& hash);
    void purge();

    std::unordered_multimap<std::uint64_t, std::weak_ptr<const warp_path>> paths_;
    std::size_t purge_at_ = 256;
    warp_path scratch_;  // deltas as offsets
};

}  // namespace simtlm::trace

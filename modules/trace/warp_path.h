// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace simtlm::trace {

/// The execution of a warp without the location of its addresses: instructions, masks and the
/// distances between the addresses of the lanes. Warps of regular code take the same path with
/// different bases, so that a trace block stores only a pointer, and a base per memory instruction.
struct warp_path {
    std::vector<program::dynamic_instruction> instructions;
    std::vector<std::int32_t> deltas;  ///< referenced by the instructions' `deltas`
};

/// The paths in use, so that equal ones are stored once. Used by the decoder of one kernel.
class path_table {
public:
    /// Finds or creates the path of a decoded warp.
    /// @param instructions  of the warp; their offsets refer to `addresses`
    /// @param own           receives the warp's own addresses; the offsets of the path's
    ///                      instructions are relative to the first one appended
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

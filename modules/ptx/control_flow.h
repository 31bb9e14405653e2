// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"

#include <cstdint>
#include <vector>

namespace simtlm::ptx {

/// A sequence of instructions that is only entered at the first and only left at the last one.
struct basic_block {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  ///< inclusive
    std::vector<std::uint32_t> successors;
    std::uint32_t post_dominator = no_index;  ///< immediate; no_index: the end of the function
    bool reachable = false;
};

/// Basic blocks of a function, and reconvergence points of diverged lanes.
struct control_flow {
    std::vector<basic_block> blocks;
    std::vector<std::uint32_t> block_of;  ///< block of each instruction
    /// Per instruction: where lanes that diverge there reconverge. For a branch (bra, brx): the
    /// first instruction of its block's immediate post-dominator, or no_index if lanes only
    /// reconverge at the end of the function. For a guarded call: the instruction after it. For
    /// others: no_index.
    std::vector<std::uint32_t> reconvergence;
};

/// Finds basic blocks and immediate post-dominators as in GPGPU-Sim, except that paths that end in
/// a trap or a failed assertion are ignored, because lanes cannot reconverge there. ret and exit
/// lead to the end of the function and, if guarded, also to the next instruction; calls and traps
/// are followed by the next instruction. A loop without an exit is assumed to be left from its last
/// block.
control_flow analyse_control_flow(const module& m, const function& f);

}  // namespace simtlm::ptx

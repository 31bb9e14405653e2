// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"

#include <cstdint>
#include <vector>

namespace simtlm::ptx {

/// A run of instructions entered at the first and left at the last only.
struct basic_block {
    std::uint32_t first = 0;
    std::uint32_t last = 0;  ///< inclusive
    std::vector<std::uint32_t> successors;
    std::uint32_t post_dominator = no_index;  ///< immediate; no_index: the end of the function
    bool reachable = false;
};

/// Blocks of a function and where diverged lanes meet again.
struct control_flow {
    std::vector<basic_block> blocks;
    std::vector<std::uint32_t> block_of;  ///< block of each instruction
    /// Per instruction: where lanes that part there reconverge. Of a branch (bra, brx): the first
    /// instruction of its block's immediate post-dominator, or no_index when lanes meet only at the
    /// end of the function. Of a guarded call: the instruction after it. Of others: no_index.
    std::vector<std::uint32_t> reconvergence;
};

/// Finds blocks and immediate post-dominators as GPGPU-Sim does, but that paths which end in a trap
/// or a failed assertion do not count: nobody can meet there. ret and exit lead to the end of the
/// function, and fall through too if guarded; calls and traps fall through. A loop without an exit
/// is taken to leave from its last block.
control_flow analyse_control_flow(const module& m, const function& f);

}  // namespace simtlm::ptx

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"

namespace simtlm::ptx {

/// Reorders the instructions of each basic block as a compiler of machine code does: PTX is in
/// source order, with each use directly after its load, while ptxas issues loads early and uses
/// late. List scheduling by the longest path to the end of the block, limited by the number of
/// values that registers can hold.
///
/// The results of a program are unchanged: register dependences are preserved; loads may pass
/// loads, and stores to other state spaces, but no store that may alias; instructions that order
/// memory or lanes (barriers, atomics, volatile accesses, calls, special registers with counters)
/// are not moved, and neither are labels and the last instruction of a block.
void schedule_instructions(module& m);

}  // namespace simtlm::ptx

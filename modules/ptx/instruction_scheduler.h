// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/module.h"

namespace simtlm::ptx {

/// Reorders the instructions of each basic block as a compiler of machine code does: PTX stands in
/// the order of the source, with each use right behind its load, while ptxas issues loads early and
/// uses late. List scheduling by the longest path to the end of the block; as many values are alive
/// at a time as registers can hold.
///
/// What a program computes is unchanged: registers keep their dependences; loads pass loads, and
/// stores to other state spaces, but no store that they might read; everything that orders memory
/// or lanes (barriers, atomics, volatile accesses, calls, special registers that count) keeps its
/// place. Labels and the last instruction of a block do, too.
void schedule_instructions(module& m);

}  // namespace simtlm::ptx

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/control_flow.h"
#include "modules/ptx/module.h"

#include <cstdint>
#include <vector>

namespace simtlm::ptx {

/// Storage of the virtual registers of a function: PTX is in near-SSA form, so that a kernel may
/// have thousands of registers of which only a few dozen are live at a time.
struct register_allocation {
    /// Registers of different width classes do not share storage.
    enum kind : std::uint8_t { predicate, word, double_word, quad_word, kinds };

    std::vector<std::uint32_t> index_of;  ///< by register: position of its kind
    std::uint32_t registers[kinds] = {};  ///< number of positions of each kind

    /// Kind of position for a register of a type.
    static kind kind_of(type t);
};

/// Linear-scan register allocation without spilling: registers with overlapping live intervals have
/// different positions. An interval is the range of instructions, in text order, between the first
/// and the last one at which the value may be needed, so that it is valid for any order in which
/// diverged lanes execute. The following registers have a position of their own: those that may be
/// read before they are written (and are then zero), those that are never read, and parameters and
/// results of the function.
/// @param share  false: every register has a position of its own
register_allocation allocate_registers(const function& f, const control_flow& flow, bool share);

}  // namespace simtlm::ptx

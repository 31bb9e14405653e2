// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/control_flow.h"
#include "modules/ptx/module.h"

#include <cstdint>
#include <vector>

namespace simtlm::ptx {

/// Storage for the virtual registers of a function: PTX names every value anew, so a kernel may
/// have thousands of registers of which a few dozen are alive at a time.
struct register_slots {
    /// Registers of different width classes share no storage.
    enum kind : std::uint8_t { predicate, word, double_word, quad_word, kinds };

    std::vector<std::uint32_t> slot_of;  ///< by register: a slot of its kind
    std::uint32_t slots[kinds] = {};     ///< of each kind

    static kind kind_of(type t);
};

/// Linear-scan register allocation without spilling: registers whose live intervals overlap have
/// different slots. An interval is the span of instructions, in the order of the text, between the
/// first and the last at which the value may be needed, so that no order in which diverged lanes
/// execute matters. These keep a slot to themselves: registers that may be read before they are
/// written (which are zero), that are never read, and parameters and results of the function.
/// @param share  false: every register has a slot of its own
register_slots assign_register_slots(const function& f, const control_flow& flow, bool share);

}  // namespace simtlm::ptx

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/control_flow.h"
#include "modules/ptx/module.h"

#include <cstdint>
#include <vector>

namespace simtlm::ptx {

/// Registers that are read before they are written on some path from a function's entry.
struct unwritten_registers {
    std::vector<std::uint32_t> registers;  ///< ascending
    std::vector<bool> may_read;  ///< by instruction: it may be the first to read one of them
};

/// A guarded write may not happen; a parameter in a register is written by the caller.
unwritten_registers find_unwritten_registers(const function& f, const control_flow& flow);

}  // namespace simtlm::ptx

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/multiprocessor.h"
#include "modules/program/instruction.h"

#include <string>

namespace simtlm::core {

/// Text of an instruction in its program.
struct instruction_text {
    std::string text;    ///< with its operands, "add.s32 %r1, %r2, %r3"
    std::string source;  ///< file and line of the source code, "saxpy.cu:6"; empty: unknown
};

/// @param warp  resident on the SM, of the kernel to which the instruction belongs
/// @return empty texts for the warps of a trace, which has no operands
instruction_text text_of(const multiprocessor& sm, unsigned warp,
                         const program::static_instruction& instruction);

}  // namespace simtlm::core

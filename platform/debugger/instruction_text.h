// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <string>

namespace simtlm::platform {

/// Formats a traced instruction: opcode, destinations, sources; memory operands as in "LDG.E R4,
/// [R2]".
std::string instruction_text(const program::static_instruction& i);

/// Returns a PTX instruction without its semicolon.
std::string without_end(std::string text);

}  // namespace simtlm::platform

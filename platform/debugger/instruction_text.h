// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/instruction.h"

#include <string>

namespace simtlm::platform {

/// A recorded instruction as text: opcode, destinations, sources; "LDG.E R4, [R2]" where it
/// addresses memory.
std::string instruction_text(const program::static_instruction& i);

/// PTX without its semicolon.
std::string without_end(std::string text);

}  // namespace simtlm::platform

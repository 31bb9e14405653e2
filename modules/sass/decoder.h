// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/instruction.h"

#include <string>

namespace simtlm::sass {

/// Decodes an instruction.
/// @param architecture  80 for sm_80
/// @param address       of the instruction in its section; targets of branches count from it
/// @param out           what it is
/// @return false: no instruction is known by this encoding; `out` has its word and address only
bool decode(const instruction_word& word, unsigned architecture, std::uint64_t address,
            instruction& out);

/// An instruction as nvdisasm prints it: "@!P0 IADD3 R2, P1, R4, c[0x0][0x160], RZ".
std::string to_string(const instruction& i);
/// The mnemonic with its modifiers: "LDG.E.64.SYS".
std::string full_opcode(const instruction& i);
/// Control bits in the customary form "B--2---:R-:W3:Y:S04".
std::string to_string(const control_bits& c);

}  // namespace simtlm::sass

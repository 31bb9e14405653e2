// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/sass/instruction.h"

#include <string>

namespace simtlm::sass {

/// Decodes an instruction.
/// @param architecture  80 for sm_80
/// @param address       of the instruction in its section; branch targets are relative to it
/// @param out           the decoded instruction
/// @return false if no instruction with this encoding is known; only the word and address of `out`
/// are set
bool decode(const instruction_word& word, unsigned architecture, std::uint64_t address,
            instruction& out);

/// An instruction in the format of nvdisasm: "@!P0 IADD3 R2, P1, R4, c[0x0][0x160], RZ".
std::string to_string(const instruction& i);
/// The mnemonic with its modifiers: "LDG.E.64.SYS".
std::string full_opcode(const instruction& i);
/// Control bits in the usual form "B--2---:R-:W3:Y:S04".
std::string to_string(const control_bits& c);

}  // namespace simtlm::sass

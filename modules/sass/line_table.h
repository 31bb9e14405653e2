// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::sass {

/// A row of a line table: from this address on, code stands for this line.
struct line_row {
    std::uint32_t sequence = 0;  ///< which DW_LNE_set_address it follows
    std::uint64_t address = 0;   ///< from that address
    std::uint32_t file = 0;      ///< of line_table::files
    std::uint32_t line = 0;
};

/// What a .debug_line section (DWARF version 2) says. Damage ends the reading early.
struct line_table {
    std::vector<std::string> files;
    std::vector<line_row> rows;
    std::vector<std::uint64_t> set_address_offsets;  ///< in the section, by sequence: relocated
};

line_table read_line_table(std::string_view section);

}  // namespace simtlm::sass

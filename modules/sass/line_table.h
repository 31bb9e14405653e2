// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::sass {

/// A row of a line table: the source line of the code from this address on.
struct line_row {
    std::uint32_t sequence = 0;  ///< index of the preceding DW_LNE_set_address
    std::uint64_t address = 0;   ///< relative to that address
    std::uint32_t file = 0;      ///< index into line_table::files
    std::uint32_t line = 0;
};

/// Contents of a .debug_line section (DWARF version 2). Reading stops at malformed data.
struct line_table {
    std::vector<std::string> files;
    std::vector<line_row> rows;
    std::vector<std::uint64_t>
        set_address_offsets;  ///< offsets in the section, by sequence; subject to relocation
};

line_table read_line_table(std::string_view section);

}  // namespace simtlm::sass

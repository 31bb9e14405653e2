// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simtlm::support {

/// A row of a CSV text (RFC 4180): quoted cells may contain separators, doubled quotes and line
/// breaks.
struct csv_row {
    std::vector<std::string> cells;
    std::size_t end = 0;      ///< position after the row and its line break
    bool open_quote = false;  ///< the text ends, or the line where only one is read, within quotes
};

/// Reads the row that begins at a position.
/// @param one_line  ends the row at the first line break, even within quotes
csv_row csv_row_at(std::string_view text, std::size_t begin, char separator, bool one_line);

}  // namespace simtlm::support

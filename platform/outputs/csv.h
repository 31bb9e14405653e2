// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

// What tables of comma-separated values have in common.
namespace simtlm::platform::csv {

/// In place of a value that there is none of: an empty cell.
inline constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// A text cell: between quotes, quotes inside doubled.
inline std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

}  // namespace simtlm::platform::csv

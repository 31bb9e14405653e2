// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

// Helpers for writing comma-separated values.
namespace simtlm::platform::csv {

/// Written as an empty cell, for missing values.
inline constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// Quotes a text cell and doubles the quotes inside it.
inline std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

}  // namespace simtlm::platform::csv

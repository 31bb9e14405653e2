// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config_formats.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// Removes leading and trailing white space.
std::string trimmed(std::string_view text);

/// Parses an unsigned number. @param what  description of the value, used in error messages
unsigned parse_number(std::string_view text, const std::string& what);

/// Returns whether n is a power of two.
inline bool power_of_two(unsigned n) {
    return n != 0 && (n & (n - 1)) == 0;
}

/// Maps a one-letter policy code to its value.
template <typename T>
T letter(const std::string& text, const std::string& what,
         const std::vector<std::pair<char, T>>& meanings) {
    std::string known;
    for (const auto& [c, meaning] : meanings) {
        if (text.size() == 1 && text[0] == c) return meaning;
        known += known.empty() ? "" : ", ";
        known += c;
    }
    throw format_error{fmt::format("'{}' is not a valid {}", text, what), "one of " + known};
}

}  // namespace simtlm::platform

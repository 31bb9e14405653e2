// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

namespace simtlm::trace {

/// Appends formatted text of at most 127 characters. @param format  as for printf
template <class... Values>
void append_text(std::string& text, const char* format, Values... values) {
    std::array<char, 128> buffer;
    const int n = std::snprintf(buffer.data(), buffer.size(), format, values...);
    text.append(buffer.data(), static_cast<std::size_t>(n));
}

/// A number in hexadecimal, with 0x.
inline std::string hex(std::uint64_t value) {
    std::string text;
    append_text(text, "%#" PRIx64, value);
    return value != 0 ? text : "0x0";
}

}  // namespace simtlm::trace

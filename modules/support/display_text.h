// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace simtlm::support {

/// Makes text from a file safe to print on a terminal: control characters, including those of
/// escape sequences, become \xNN. Tabs and UTF-8 are kept.
std::string printable(std::string_view text);
/// The same for text of several lines: ends of lines are kept.
std::string printable_lines(std::string_view text);
/// Returns whether printable() returns the text unchanged.
bool is_printable(std::string_view text);
/// Returns whether printable_lines() returns the text unchanged.
bool are_printable_lines(std::string_view text);

/// Demangles the name of a C++ function; any other name is returned unchanged.
std::string demangled(const std::string& name);

}  // namespace simtlm::support

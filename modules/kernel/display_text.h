// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace simtlm::kernel {

/// A text from a file as a terminal may show it: control characters, escape sequences among them,
/// become \xNN. Tabs and UTF-8 stay.
std::string printable(std::string_view text);

/// The name of a C++ function as its source has it; any other name as it is.
std::string demangled(const std::string& name);

}  // namespace simtlm::kernel

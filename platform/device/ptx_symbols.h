// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace simtlm::device {

/// The symbols of a PTX text that concern its linking.
struct ptx_symbols {
    std::vector<std::string> definitions;  ///< visible, neither .weak nor .common
    std::vector<std::string> undefined;    ///< used, but neither defined nor part of the system
};

/// Parses a PTX text. @param name  for messages
/// @throws support::user_error  if the text is not valid
ptx_symbols symbols_of_ptx(const std::string& text, const std::string& name);

}  // namespace simtlm::device

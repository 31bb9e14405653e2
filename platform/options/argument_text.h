// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace simtlm::platform {

/// Words of a command line as one text, for the environment of another process. Every word comes
/// back as it was, empty ones and those with line feeds too.
std::string packed_arguments(const std::vector<std::string>& words);
std::vector<std::string> unpacked_arguments(const std::string& text);

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace simtlm::platform {

/// Packs the words of a command line into one text, for the environment of another process, and
/// unpacks it. Words are preserved exactly, including empty ones and those with line feeds.
std::string packed_arguments(const std::vector<std::string>& words);
std::vector<std::string> unpacked_arguments(const std::string& text);

}  // namespace simtlm::platform

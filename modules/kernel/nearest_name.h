// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtlm::kernel {

/// Of some names the shortest that contains `name`, or else the one that the fewest
/// single-character edits make of it; the first of several, "" of none. For messages about a word
/// that is not known.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace simtlm::kernel

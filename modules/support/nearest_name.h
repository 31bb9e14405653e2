// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simtlm::support {

/// Finds the candidate to suggest for an unknown name: the shortest candidate that contains `name`,
/// or else the one with the smallest edit distance in single characters. The first wins a tie; ""
/// if there are no candidates.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace simtlm::support

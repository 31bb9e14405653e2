// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

namespace simtlm::platform {

/// Leaves out of a report's text what is zero and what the report before said too (--stats
/// compact). What is left is in the same words, so that scripts find it.
class compact_text {
public:
    /// The lines of the next report that are worth reading.
    std::string of(const std::string& text);

private:
    std::unordered_set<std::string> before_;
};

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

namespace simtlm::platform {

/// Removes lines from the text of a report that are zero or unchanged since the previous report
/// (--stats compact). The remaining lines are not modified, so that scripts still find them.
class compact_text {
public:
    /// Returns the relevant lines of the next report.
    std::string of(const std::string& text);

private:
    std::unordered_set<std::string> before_;
};

}  // namespace simtlm::platform

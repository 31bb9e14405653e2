// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string_view>
#include <vector>

namespace simtlm::platform {

/// Description of a statistic in the report.
struct statistic_info {
    const char* section;
    const char* name;  ///< as printed; {word} is a placeholder for one of several words
    const char* unit;
    const char* meaning;
};

/// All statistics that a report may contain, in printing order.
const std::vector<statistic_info>& statistics_table();

/// Returns the row that describes a printed name, or nullptr.
const statistic_info* find_statistic(std::string_view name);

/// Writes docs/statistics.md (--help-statistics).
void write_statistics_markdown(std::ostream& out);

}  // namespace simtlm::platform

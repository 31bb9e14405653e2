// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string_view>
#include <vector>

namespace simtlm::platform {

/// What a statistic of the report means.
struct statistic_info {
    const char* section;
    const char* name;  ///< as printed; {word} stands for one of several words
    const char* unit;
    const char* meaning;
};

/// All statistics that a report may contain, in the order in which they are printed.
const std::vector<statistic_info>& statistics_table();

/// The row that explains a printed name; nullptr if none does.
const statistic_info* find_statistic(std::string_view name);

/// --help-statistics: docs/statistics.md.
void write_statistics_markdown(std::ostream& out);

}  // namespace simtlm::platform

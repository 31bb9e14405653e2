// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// The tables of the profilers, told by their columns.
enum class profile_format {
    compute_long,     ///< Nsight Compute: a row per launch and metric
    compute_summary,  ///< Nsight Compute: a row per kernel and metric, with the mean of all
                      ///< launches
    compute_wide,     ///< Nsight Compute: a row per launch, a column per metric, a row of units
    systems_summary,  ///< Nsight Systems: a row per kernel with the total of all launches
    systems_trace     ///< Nsight Systems: a row per launch
};

/// A table in the output of a profiler.
struct profile_table {
    struct row {
        std::size_t line = 0;  ///< from 1
        std::vector<std::string> cells;
    };
    profile_format format{};
    std::vector<std::string> columns;
    std::vector<row> rows;

    /// Column of this name, or whose name begins with it and continues with a unit: "Duration"
    /// finds "Duration (ns)" and "Duration(nsec)".
    std::optional<std::size_t> column(const std::string& name) const;
    /// The cell of a column; empty if there is no such column.
    std::string cell(const row& r, const std::string& name) const;
    /// The unit of a column: "ns".
    std::string unit(std::size_t column) const;

    /// Finds all tables of a text; other lines, which the profiler or the application printed, are
    /// skipped. Cells are separated by commas, semicolons or tabs.
    /// @throws support::user_error  for a row that does not fit its table
    static std::vector<profile_table> find(const std::string& text, const std::string& file);
};

}  // namespace simtlm::platform::study

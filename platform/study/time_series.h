// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// Statistics sampled by --interval, averaged down to a number of points suitable for drawing.
struct time_series {
    /// A statistic of all units of a kind: one row per unit, one column per point; NaN: no value.
    struct heat_map {
        std::string kind, statistic;
        std::vector<std::string> units;
        std::vector<std::vector<double>> rows;
    };
    std::vector<double> cycles;  ///< core cycle at the end of each point
    /// For the whole GPU, by statistic; NaN: no value.
    std::map<std::string, std::vector<double>> whole;
    std::vector<heat_map> maps;  ///< IPC of SMs, utilisation of channels

    /// @param file    written by --interval-db or --interval-csv
    /// @param points  maximum number of points; samples within a point are averaged
    /// @throws support::user_error
    static time_series read(const std::string& file, std::size_t points);
};

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// Statistics over time that --interval has sampled, brought down to few enough points to draw.
struct time_series {
    /// A statistic of all units of a kind: a row per unit, a column per point; NaN: no value.
    struct heat_map {
        std::string kind, statistic;
        std::vector<std::string> units;
        std::vector<std::vector<double>> rows;
    };
    std::vector<double> cycles;                        ///< core cycle at the end of each point
    std::map<std::string, std::vector<double>> whole;  ///< of the GPU, by statistic; NaN: no value
    std::vector<heat_map> maps;                        ///< IPC of SMs, utilisation of channels

    /// @param file    of --interval-db or --interval-csv
    /// @param points  at most so many: what falls into one is averaged
    /// @throws kernel::user_error
    static time_series read(const std::string& file, std::size_t points);
};

}  // namespace simtlm::platform::study

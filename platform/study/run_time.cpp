// SPDX-License-Identifier: Apache-2.0
#include "platform/study/run_time.h"

#include "platform/study/kernel_analysis.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace simtlm::platform::study {

double mean_core_hz(const statistics_run& run) {
    const double megahertz = number_in(run.total(), "gpu_tot_core_clock");
    return megahertz > 0 ? megahertz * 1e6 : gpu_limits::of(run).core_hz;
}

run_time run_time::of(const statistics_run& run) {
    const double hz = mean_core_hz(run);
    if (!(hz > 0)) return {};
    std::vector<std::pair<double, double>> intervals;
    for (const json& kernel : run.kernels()) {
        const double start = number_in(kernel, "start_cycle"), end = number_in(kernel, "end_cycle");
        if (end >= start) intervals.emplace_back(start, end + 1);
    }
    std::sort(intervals.begin(), intervals.end());
    double busy = 0, until = 0;
    for (const auto& [start, end] : intervals) {
        busy += std::max(0.0, end - std::max(start, until));
        until = std::max(until, end);
    }
    return {busy / hz, std::max(0.0, run.cycles() - busy) / hz};
}

}  // namespace simtlm::platform::study

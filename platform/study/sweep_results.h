// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/sweep_engine.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// A run of a sweep and its results.
struct sweep_result {
    const sweep_run* run = nullptr;
    std::optional<sweep_outcome> outcome;  ///< empty if it has not been executed
    std::map<std::string, double> values;  ///< values of the plan's statistics

    double cycles() const;
    bool ok() const { return outcome && outcome->ok(); }
};

/// Reads the results of the runs of a plan.
std::vector<sweep_result> results_of(const sweep_plan& plan);

/// CSV with one row per run: workload, preset, configuration, axes, statistics, time, memory,
/// failure.
std::string results_csv(const sweep_plan& plan, const std::vector<sweep_result>& results);
/// The results as a Markdown table for a terminal.
std::string results_table(const sweep_plan& plan, const std::vector<sweep_result>& results);

/// A plot and its file name without extension.
struct sweep_plot {
    std::string name, title;
    std::string svg;
};
/// Speed-ups over the baseline by workload, cycles over each numeric axis, and simulated over
/// measured cycles; plots without data are omitted.
std::vector<sweep_plot> results_plots(const sweep_plan& plan,
                                      const std::vector<sweep_result>& results);

/// A self-contained HTML page with plots, table and failures.
std::string results_page(const sweep_plan& plan, const std::vector<sweep_result>& results);

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/sweep_engine.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::platform::study {

/// A run of a sweep and what it gave.
struct sweep_result {
    const sweep_run* run = nullptr;
    std::optional<sweep_outcome> outcome;  ///< without: it has not run
    std::map<std::string, double> values;  ///< of the plan's statistics

    double cycles() const;
    bool ok() const { return outcome && outcome->ok(); }
};

/// Reads what the runs of a plan have left.
std::vector<sweep_result> results_of(const sweep_plan& plan);

/// A row per run: workload, preset, configuration, axes, statistics, time, memory, failure.
std::string results_csv(const sweep_plan& plan, const std::vector<sweep_result>& results);
/// The same for a terminal, as a Markdown table.
std::string results_table(const sweep_plan& plan, const std::vector<sweep_result>& results);

/// A drawing and the name of its file, without suffix.
struct sweep_plot {
    std::string name, title;
    std::string svg;
};
/// Speed-ups over the baseline by workload, cycles over each numeric axis, and simulated against
/// measured cycles, as far as there is something to draw.
std::vector<sweep_plot> results_plots(const sweep_plan& plan,
                                      const std::vector<sweep_result>& results);

/// One HTML page that needs nothing else: plots, table, failures.
std::string results_page(const sweep_plan& plan, const std::vector<sweep_result>& results);

}  // namespace simtlm::platform::study

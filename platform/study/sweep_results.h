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
    /// The plan's statistics, `time_us` (kernels were executing) and `launch_us` (the rest).
    std::map<std::string, double> values;

    /// A value; 0 if there is none.
    double value(const std::string& name) const;
    /// What speed-ups compare.
    double cost(sweep_metric metric) const;
    bool ok() const { return outcome && outcome->ok(); }
};

/// Reads the results of the runs of a plan.
std::vector<sweep_result> results_of(const sweep_plan& plan);

/// Notes about options without effect that runs have printed, each once.
std::vector<std::string> ineffective_options(const std::vector<sweep_result>& results);

/// CSV with one row per run: workload, preset, configuration, axes, statistics, time, memory,
/// failure.
std::string results_csv(const sweep_plan& plan, const std::vector<sweep_result>& results);
/// The results as a Markdown table for a terminal.
std::string results_table(const sweep_plan& plan, const std::vector<sweep_result>& results);

/// Writes the page of simtlm-report, report.html, into the folder of each run that has finished and
/// has no page yet. @throws support::user_error  if one cannot be written
void write_run_reports(const std::vector<sweep_result>& results);

/// A self-contained HTML page with plots, table and failures.
std::string results_page(const sweep_plan& plan, const std::vector<sweep_result>& results);

}  // namespace simtlm::platform::study

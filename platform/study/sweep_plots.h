// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/sweep_results.h"

#include <string>
#include <vector>

namespace simtlm::platform::study {

/// A plot and its file name without extension.
struct sweep_plot {
    std::string name, title;
    std::string svg;
};

/// Speed-ups over the baseline by workload and over each axis, heat maps of each pair of axes, the
/// plots and the Pareto front that the plan names, and simulated over measured cycles; plots
/// without data are omitted.
std::vector<sweep_plot> results_plots(const sweep_plan& plan,
                                      const std::vector<sweep_result>& results);

/// "by execution time", ...
const char* name_of(sweep_metric metric);

/// A level of an axis as it is shown: a switch without a value is 1.
std::string value_text(const std::string& value);

/// Text with characters replaced that have a meaning in HTML and SVG.
std::string escaped(const std::string& text);

}  // namespace simtlm::platform::study

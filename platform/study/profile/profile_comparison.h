// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/comparison.h"
#include "platform/study/profile/kernel_profile.h"
#include "platform/study/profile/profile_metrics.h"
#include "platform/study/statistics_run.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform::study {

/// Options of a comparison with a profile; tolerances and globs apply to names of metrics.
struct profile_comparison_options {
    comparison_options common;
    double clock = 0;            ///< SM clock of the measurement, Hz; 0: that of the profile
    bool launch_latency = true;  ///< simulated cycles include the launch latency
    bool each_launch = false;    ///< compare launches one by one instead of their means
};

/// A metric of a kernel: means over its launches, or sums in the total; empty: no value.
struct compared_value {
    std::size_t metric = 0;  ///< index of profile_comparison::metrics
    std::optional<double> measured, simulated;
    bool within = false;  ///< within its tolerance

    /// Difference divided by the measured value; empty if a value is missing or zero was measured.
    std::optional<double> error() const;
    bool complete() const { return measured && simulated; }
};

/// Launches of a kernel on both sides, or on one.
struct compared_kernel {
    std::string name, grid, block;
    double measured_launches = 0, simulated_launches = 0;
    double clock = 0;                           ///< at which times are compared, Hz
    std::optional<double> measured, simulated;  ///< time of a launch, s
    std::vector<compared_value> values;
    /// Times of single launches in order, s, where both sides have the same number.
    std::vector<std::pair<double, double>> launches;

    bool paired() const { return measured_launches > 0 && simulated_launches > 0; }
    std::optional<double> error() const;
    /// Of all launches, for the order and the totals.
    double total_measured() const { return measured.value_or(0) * measured_launches; }
};

/// Mean and worst error of the times of kernels.
struct error_summary {
    double mean = 0, worst = 0;
    std::size_t kernels = 0, omitted = 0;
};

/// Measured and simulated kernels. Longest kernels first.
struct profile_comparison {
    std::string profile_file, profile_kind;
    std::size_t profile_launches = 0, profile_metrics = 0;
    std::uint64_t other_rows = 0;
    double clock = 0, run_clock = 0;  ///< mean at which times are compared; of the run, Hz
    std::string clock_origin;         ///< "of the profile", "of the run", "of --clock"
    double launch_latency = 0;        ///< in simulated cycles, mean of a launch; 0: not included
    std::vector<matched_metric> metrics;
    std::vector<compared_kernel> kernels, only_measured, only_simulated;
    compared_kernel total;  ///< of the paired kernels; launches are those measured
    std::map<std::string, std::string> metrics_only_measured;  ///< with the reason or ""
    std::vector<std::string> metrics_only_simulated;           ///< of the table

    bool differ() const;
    error_summary errors() const;
};

/// @throws support::user_error  if a pattern matches no metric
profile_comparison compare_profile(const kernel_profile& profile, const statistics_run& run,
                                   const profile_comparison_options& options);

/// @param most  maximum number of metrics per kernel and of names per list; 0: all
std::string profile_comparison_text(const statistics_run& run, const profile_comparison& c,
                                    std::size_t most);
/// Schema simtlm-profile-comparison, docs/studies.md.
json profile_comparison_json(const statistics_run& run, const profile_comparison& c);
/// A self-contained HTML page.
std::string profile_comparison_page(const statistics_run& run, const profile_comparison& c);

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform::study {

/// Maximum difference of two values that count as equal: at most `absolute`, or at most `relative`
/// times the larger magnitude.
struct tolerance {
    double relative = 0;
    double absolute = 0;

    bool accepts(double a, double b) const;
};

/// Tolerances by statistic name; the last matching pattern applies.
class tolerance_table {
public:
    /// @param text  relative tolerance: "2%", "0.02", or "GLOB=2%"
    /// @throws support::user_error
    void add_relative(const std::string& text);
    /// @param text  absolute tolerance: "10" or "GLOB=10"
    void add_absolute(const std::string& text);

    tolerance of(const std::string& statistic) const;
    /// The given patterns, to check that each matches something.
    std::vector<std::string> patterns() const;

private:
    struct rule {
        std::string pattern;
        std::optional<double> relative, absolute;
    };
    std::vector<rule> rules_;
};

/// Options of a comparison.
struct comparison_options {
    tolerance_table tolerances;
    std::vector<std::string> only;    ///< globs of statistics; empty: all
    std::vector<std::string> ignore;  ///< globs of statistics
    /// Match kernels by name and occurrence instead of their position in the list.
    bool match_names = false;

    /// Whether a statistic is to be compared.
    bool selects(const std::string& statistic) const;
    /// Rejects a pattern that matches nothing, since it is probably misspelt.
    /// @param names  of all statistics
    /// @throws support::user_error
    void check_patterns(const std::set<std::string>& names) const;
};

/// A statistic whose two values differ.
struct statistic_difference {
    std::string name;
    std::string unit;
    double a = 0, b = 0;
    bool within = false;  ///< within its tolerance

    /// Magnitude of the difference divided by the larger magnitude: 0 to 2.
    double relative() const;
};

/// A pair of matching kernels, or a kernel of only one of the runs.
struct kernel_difference {
    std::optional<kernel_key> a, b;
    double cycles_a = 0, cycles_b = 0;
    std::size_t compared = 0;   ///< number of compared statistics
    std::size_t one_sided = 0;  ///< number of printed values of only one of the runs; not compared
    std::vector<statistic_difference> differences;  ///< most relevant first

    bool beyond() const;  ///< one-sided, or a statistic exceeds its tolerance
    const kernel_key& key() const { return a ? *a : *b; }
};

/// An option whose values in the runs A and B differ.
struct option_difference {
    std::string name, a, b;
};

/// Differences between run A and run B.
struct comparison {
    std::vector<option_difference> options;
    std::vector<kernel_difference> kernels;
    kernel_difference total;  ///< keys unset
    std::string ended_a, ended_b;

    bool differ() const;
};

/// @throws support::user_error  if a pattern matches no statistic of either run
comparison compare(const statistics_run& a, const statistics_run& b,
                   const comparison_options& options);

/// Formats a comparison as text. @param most  maximum number of differences per kernel; 0: all
std::string comparison_text(const statistics_run& a, const statistics_run& b, const comparison& c,
                            std::size_t most);
/// Formats a comparison as JSON: schema simtlm-difference, docs/studies.md.
json comparison_json(const statistics_run& a, const statistics_run& b, const comparison& c);

}  // namespace simtlm::platform::study

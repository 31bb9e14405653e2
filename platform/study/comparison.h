// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/study/statistics_run.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform::study {

/// How far two values may lie apart and still count as equal: at most `absolute`, or at most
/// `relative` times the greater of their magnitudes.
struct tolerance {
    double relative = 0;
    double absolute = 0;

    bool accepts(double a, double b) const;
};

/// Tolerances by name of statistic; of several patterns that fit, the last one counts.
class tolerance_table {
public:
    /// @param text  "2%", "0.02", or "GLOB=2%": relative
    /// @throws kernel::user_error
    void add_relative(const std::string& text);
    /// @param text  "10" or "GLOB=10"
    void add_absolute(const std::string& text);

    tolerance of(const std::string& statistic) const;
    /// Patterns that were given, for a check that each fits something.
    std::vector<std::string> patterns() const;

private:
    struct rule {
        std::string pattern;
        std::optional<double> relative, absolute;
    };
    std::vector<rule> rules_;
};

/// What is compared.
struct comparison_options {
    tolerance_table tolerances;
    std::vector<std::string> only;    ///< globs of statistics; empty: all
    std::vector<std::string> ignore;  ///< globs of statistics
    /// Kernels with the same name and occurrence are compared, whatever their place in the list.
    bool match_names = false;
};

/// A statistic that has two values.
struct statistic_difference {
    std::string name;
    std::string unit;
    double a = 0, b = 0;
    bool within = false;  ///< its tolerance

    /// Magnitude of the difference over the greater magnitude: 0 to 2.
    double relative() const;
};

/// A kernel of two runs, or what only one of them has.
struct kernel_difference {
    std::optional<kernel_key> a, b;
    double cycles_a = 0, cycles_b = 0;
    std::size_t compared = 0;   ///< statistics
    std::size_t one_sided = 0;  ///< printed figures that only one of the runs has; not compared
    std::vector<statistic_difference> differences;  ///< most relevant first

    bool beyond() const;  ///< one-sided, or some statistic lies beyond its tolerance
    const kernel_key& key() const { return a ? *a : *b; }
};

struct option_difference {
    std::string name, a, b;
};

/// What has changed from run A to run B.
struct comparison {
    std::vector<option_difference> options;
    std::vector<kernel_difference> kernels;
    kernel_difference total;  ///< keys unset
    std::string ended_a, ended_b;

    bool differ() const;
};

/// @throws kernel::user_error when a pattern fits no statistic of either run
comparison compare(const statistics_run& a, const statistics_run& b,
                   const comparison_options& options);

/// For people. @param most  differences told of each kernel; 0: all
std::string comparison_text(const statistics_run& a, const statistics_run& b, const comparison& c,
                            std::size_t most);
/// For programs: schema simtlm-difference, docs/studies.md.
json comparison_json(const statistics_run& a, const statistics_run& b, const comparison& c);

}  // namespace simtlm::platform::study

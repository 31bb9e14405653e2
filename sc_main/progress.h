// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm {

/// Progress of a run.
struct run_position {
    std::uint64_t kernels_done = 0;
    std::uint64_t ctas_done = 0;
    std::uint64_t cycles = 0;  ///< core cycles
    std::uint64_t thread_instructions = 0;
    std::uint64_t warp_instructions = 0;
    std::vector<std::string> running;  ///< names of the running kernels
};

/// The progress line on stderr: one line that is overwritten on a terminal; elsewhere, if
/// requested, a new line each time.
class progress {
public:
    using clock = std::chrono::steady_clock;

    /// @param kernels, ctas  of the whole run; 0: unknown
    progress(const platform::run_config& config, std::uint64_t kernels, std::uint64_t ctas);
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    bool enabled() const { return enabled_; }
    /// Returns whether it is time for an update.
    bool due() const { return enabled_ && clock::now() >= next_; }
    void show(const run_position& position);
    /// Removes the line, so that other text can be printed on stderr.
    void clear();
    /// Removes the line permanently.
    void end();
    /// Removes the line if stdout is the same terminal, until restore().
    void clear_line();
    /// Shows the previous line again, so that it stays visible between short kernels.
    void restore();

private:
    bool terminal_;
    bool stdout_is_terminal_;
    bool enabled_;
    bool shown_ = false;
    std::chrono::seconds period_;
    std::uint64_t kernels_, ctas_;
    clock::time_point started_ = clock::now();
    clock::time_point next_;
    clock::time_point last_ = started_;
    std::uint64_t last_warp_instructions_ = 0;
    std::string line_;  ///< last line shown
};

/// Joins the leading parts of a line that fit into a width. @param width  0: unlimited
std::string fitting(const std::vector<std::string>& parts, std::size_t width);

/// Names of kernels for one line: demangled, without arguments, at most three.
std::string names_of(const std::vector<std::string>& kernels);

/// Formats a number with three to four digits: "850", "12.3 k", "4.56 M".
std::string short_number(double value);
/// Formats a duration: "42 s", "3 min 20 s", "2 h 5 min".
std::string short_time(double seconds);

}  // namespace simtlm

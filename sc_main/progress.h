// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/config/config.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm {

/// How far a run is.
struct run_position {
    std::uint64_t kernels_done = 0;
    std::uint64_t ctas_done = 0;
    std::uint64_t cycles = 0;  ///< core cycles
    std::uint64_t thread_instructions = 0;
    std::uint64_t warp_instructions = 0;
    std::vector<std::string> running;  ///< names of the kernels that run
};

/// The progress line on stderr: on a terminal one line that is written again and again, elsewhere,
/// when asked for, a line each time.
class progress {
public:
    using clock = std::chrono::steady_clock;

    /// @param kernels, ctas  of the whole run; 0: not known
    progress(const platform::run_config& config, std::uint64_t kernels, std::uint64_t ctas);
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    bool enabled() const { return enabled_; }
    /// It is time for another line.
    bool due() const { return enabled_ && clock::now() >= next_; }
    void show(const run_position& position);
    /// Takes the line away for good, so that something else can be said on stderr.
    void clear();
    /// Takes the line away; there will be none any more.
    void end();
    /// Takes the line away where stdout goes to the same terminal, until restore().
    void make_room();
    /// Shows the line again that was there before, so that it stays visible between short kernels.
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
    std::string line_;  ///< shown last
};

/// The parts of a line that fit into a width, the first ones first. @param width  0: any
std::string fitting(const std::vector<std::string>& parts, std::size_t width);

/// Names of kernels for a line: demangled, without arguments, at most three of them.
std::string names_of(const std::vector<std::string>& kernels);

/// "850", "12.3 k", "4.56 M": three digits or a little more.
std::string short_number(double value);
/// "42 s", "3 min 20 s", "2 h 5 min".
std::string short_time(double seconds);

}  // namespace simtlm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_statistics.h"
#include "platform/report/report.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// Collects the figures and the text of a report side by side.
class report_writer {
public:
    /// Prints text that is no figure.
    template <typename... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        append(format, fmt::make_format_args(arguments...));
    }
    /// "name = value"
    void count(const std::string& name, std::uint64_t value, const char* indent = "");
    /// "name =       0.1234"
    void real(const std::string& name, double value);
    /// A figure that is printed in a way of its own, or with others in a row.
    void add(std::string name, std::uint64_t value);
    void add(std::string name, double value);
    void add_row(std::string name, std::vector<std::uint64_t> values);
    /// Characters printed so far.
    std::size_t printed() const { return report_.text.size(); }
    /// Takes back what was printed after so many characters; figures stay.
    void unprint(std::size_t after) { report_.text.resize(after); }
    report take() { return std::move(report_); }

private:
    /// Formats at the end of the text: here alone, not wherever something is printed.
    void append(fmt::string_view format, fmt::format_args arguments);

    report report_;
};

inline double ratio(double a, double b) {
    return b != 0 ? a / b : 0;
}
inline double ratio(std::uint64_t a, std::uint64_t b) {
    return ratio(static_cast<double>(a), static_cast<double>(b));
}

/// The totals of a kind of cache: NAME_total_cache_accesses and so on.
void write_cache(report_writer& out, const std::string& name, const cache::cache_statistics& s,
                 const char* indent);
/// Accesses by type and outcome: NAME[GLOBAL_ACC_R][HIT], ...
void write_breakdown(report_writer& out, const std::string& name, const cache::cache_statistics& s);
/// Attempts by type and the resource that was missing, those that occurred.
void write_fail_breakdown(report_writer& out, const std::string& name,
                          const cache::cache_statistics& s);
/// How busy the ports were: NAME_data_port_util, NAME_fill_port_util.
void write_ports(report_writer& out, const std::string& name, const cache::cache_statistics& s,
                 const char* indent);

/// Latencies of memory accesses, and the accesses by bank.
void write_memory(report_writer& out, gpu& device);
/// Every DRAM channel, and their sum.
void write_channels(report_writer& out, gpu& device);

}  // namespace simtlm::platform

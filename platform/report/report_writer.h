// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_statistics.h"
#include "platform/report/report.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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
    /// Prints text as it is.
    void text(std::string_view t) { text_.append(t.data(), t.data() + t.size()); }
    /// Prints a number, right-aligned where it has fewer digits than the width. For tables: print()
    /// has to read its format every time.
    void number(std::uint64_t value, unsigned width = 0);
    /// Prints a number with six digits behind the point, as number() does.
    void fixed(double value, unsigned width = 0);
    /// "name = value"
    void count(std::string name, std::uint64_t value, std::string_view indent = {});
    /// "name =       0.1234"
    void real(std::string name, double value);
    /// A figure that is printed in a way of its own, or with others in a row.
    void add(std::string name, std::uint64_t value);
    void add(std::string name, double value);
    void add_row(std::string name, std::vector<std::uint64_t> values);
    /// Characters printed so far.
    std::size_t printed() const { return text_.size(); }
    /// Takes back what was printed after so many characters; figures stay.
    void unprint(std::size_t after) { text_.resize(after); }
    report take() {
        report_.text.assign(text_.data(), text_.size());
        return std::move(report_);
    }

private:
    /// Formats at the end of the text: here alone, not wherever something is printed.
    void append(fmt::string_view format, fmt::format_args arguments);

    // Text goes to the report in the end: a string is filled with zeros wherever it grows.
    fmt::memory_buffer text_;
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

/// What all DRAM channels have counted.
memory::dram_statistics sum_of_channels(gpu& device);
/// Latencies of memory accesses, and the accesses by bank. @param all  sum_of_channels()
void write_memory(report_writer& out, gpu& device, const memory::dram_statistics& all);
/// Every DRAM channel, and their sum.
void write_channels(report_writer& out, gpu& device, const memory::dram_statistics& all);

}  // namespace simtlm::platform

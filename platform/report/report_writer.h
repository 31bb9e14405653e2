// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_statistics.h"
#include "platform/gpu/gpu_blocks.h"
#include "platform/report/report.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtlm::platform {

/// Collects the values and the text of a report, in place of what the report contained. Both are
/// complete after finish(); a report that is written again needs no new memory.
class report_writer {
public:
    explicit report_writer(report& into);

    /// Prints text that is not a value.
    template <typename... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        append(format, fmt::make_format_args(arguments...));
    }
    /// The same with a FMT_COMPILE format, which is not parsed on every call; for tables.
    template <typename Format, typename... Arguments,
              typename = std::enable_if_t<fmt::detail::is_compiled_string<Format>::value>>
    void print(const Format& format, const Arguments&... arguments) {
        fmt::memory_buffer formatted;
        fmt::format_to(fmt::appender(formatted), format, arguments...);
        text({formatted.data(), formatted.size()});
    }
    /// Appends text verbatim.
    void text(std::string_view t) { std::copy(t.begin(), t.end(), extend(t.size())); }
    /// Prints a part of the text again. @param from  @param to  as returned by printed()
    void repeat(std::size_t from, std::size_t to) {
        char* const at = extend(to - from);
        std::copy(&report_.text[from], &report_.text[to], at);
    }
    /// Prints a number, right-aligned to the width. Faster than print(), which parses its format on
    /// every call; for tables.
    void number(std::uint64_t value, unsigned width = 0);
    /// Prints a label, directly followed by a number.
    void labelled(std::string_view label, std::uint64_t value) {
        text(label);
        number(value);
    }
    /// Prints a number with six decimals, like number().
    void fixed(double value, unsigned width = 0);
    /// Adds a value and prints "name = value".
    void count(std::string_view name, std::uint64_t value, std::string_view indent = {});
    /// Adds a value and prints "name =       0.1234".
    void real(std::string_view name, double value);
    /// Adds a value that the caller prints itself, for example in a row with others.
    void add(std::string_view name, std::uint64_t value);
    void add(std::string_view name, double value);
    void add_row(std::string name, std::vector<std::uint64_t> values);
    /// Number of characters printed so far.
    std::size_t printed() const { return printed_; }
    /// Truncates the text to a number of characters; values are kept.
    void unprint(std::size_t after) { printed_ = after; }
    /// Ends the text and the values.
    void finish() {
        report_.text.resize(printed_);
        report_.report_values.resize(added_);
    }

private:
    /// Adds blanks in front of a number of less than `width` characters.
    void right_aligned(std::string_view digits, unsigned width);
    /// Appends a number of one digit, right-aligned; most cells of a table are 0.
    void one_digit(char digit, unsigned width);
    /// Adds characters to the text. @return where they begin
    char* extend(std::size_t characters) {
        const std::size_t from = printed_;
        printed_ += characters;
        if (printed_ > report_.text.size()) grow();
        return &report_.text[from];
    }
    /// Makes room for what is printed.
    void grow();
    /// Adds a value in place of that of the previous report, which has the same name as a rule.
    void add(std::string_view name, double value, bool whole);
    /// Formats and appends; not inlined into every caller.
    void append(fmt::string_view format, fmt::format_args arguments);

    report& report_;
    // The text's size is that of its room, so that characters are written without initialising
    // them first.
    std::size_t printed_ = 0;
    std::size_t added_ = 0;  // values
};

/// a / b, or 0 if b is 0.
inline double ratio(double a, double b) {
    return b != 0 ? a / b : 0;
}
inline double ratio(std::uint64_t a, std::uint64_t b) {
    return ratio(static_cast<double>(a), static_cast<double>(b));
}

/// Writes the totals of a kind of cache: NAME_total_cache_accesses and so on.
void write_cache(report_writer& out, const std::string& name, const cache::cache_statistics& s,
                 const char* indent);
/// Writes accesses by type and outcome: NAME[GLOBAL_ACC_R][HIT], ...
void write_breakdown(report_writer& out, const std::string& name, const cache::cache_statistics& s);
/// Writes failed attempts by type and missing resource, for those that occurred.
void write_fail_breakdown(report_writer& out, const std::string& name,
                          const cache::cache_statistics& s);
/// Writes port utilisation: NAME_data_port_util, NAME_fill_port_util.
void write_ports(report_writer& out, const std::string& name, const cache::cache_statistics& s,
                 const char* indent);

/// Writes power and energy since the previous report and since the start, if they are modelled.
/// @param before  energies at the previous report
void write_power(report_writer& out, gpu& device, std::uint64_t cycles,
                 const power::energy_statistics& before, std::uint64_t cycles_before);

/// The counters of every DRAM channel.
using channel_counts = std::vector<const memory::dram_statistics*>;
/// Brings the counters of the channels up to date. @return them, valid until the next step
channel_counts counts_of_channels(gpu& device);
/// Sum of the counters of all DRAM channels.
memory::dram_statistics sum_of_channels(const channel_counts& channels);
/// Writes latencies of memory accesses, and the accesses by bank. @param all  sum_of_channels()
void write_memory(report_writer& out, gpu& device, const channel_counts& channels,
                  const memory::dram_statistics& all);
/// Writes the counters of every DRAM channel and their sum.
void write_channels(report_writer& out, gpu& device, const channel_counts& channels,
                    const memory::dram_statistics& all);

}  // namespace simtlm::platform

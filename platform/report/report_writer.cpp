// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report_writer.h"

#include <algorithm>
#include <cmath>

namespace simtlm::platform {

void report_writer::append(fmt::string_view format, fmt::format_args arguments) {
    fmt::vformat_to(fmt::appender(text_), format, arguments);
}

void report_writer::right_aligned(std::string_view digits, unsigned width) {
    const std::size_t blanks = digits.size() < width ? width - digits.size() : 0;
    char* const at = std::fill_n(extend(blanks + digits.size()), blanks, ' ');
    std::copy_n(digits.data(), digits.size(), at);
}

void report_writer::number(std::uint64_t value, unsigned width) {
    if (value < 10) {  // most cells of a table are 0
        const char digit = static_cast<char>('0' + value);
        return right_aligned({&digit, 1}, width);
    }
    const fmt::format_int digits(value);
    right_aligned({digits.data(), digits.size()}, width);
}

void report_writer::fixed(double value, unsigned width) {
    fmt::basic_memory_buffer<char, 32> digits;
    if (value == 0 && !std::signbit(value))
        digits.append(std::string_view("0.000000"));  // most values of an idle channel
    else
        fmt::format_to(fmt::appender(digits), FMT_COMPILE("{:.6f}"), value);
    right_aligned({digits.data(), digits.size()}, width);
}

void report_writer::count(std::string name, std::uint64_t value, std::string_view indent) {
    text(indent);
    text(name);
    text(" = ");
    number(value);
    text("\n");
    add(std::move(name), value);
}

void report_writer::real(std::string name, double value) {
    text(name);
    fmt::format_to(fmt::appender(text_), FMT_COMPILE(" = {:12.4f}\n"), value);
    add(std::move(name), value);
}

void report_writer::add(std::string name, std::uint64_t value) {
    report_.report_values.push_back({std::move(name), static_cast<double>(value), true});
}

void report_writer::add(std::string name, double value) {
    report_.report_values.push_back({std::move(name), value, false});
}

void report_writer::add_row(std::string name, std::vector<std::uint64_t> values) {
    report_.rows.push_back({std::move(name), std::move(values)});
}

std::string host_time_text(const report& r, double seconds, double core_hertz) {
    const auto whole = std::max<std::uint64_t>(static_cast<std::uint64_t>(seconds), 1);
    const double elapsed = std::max(seconds, 1e-3);
    const std::uint64_t minutes = whole / 60, hours = minutes / 60;
    const double cycle_rate = r.value("gpu_tot_sim_cycle") / elapsed;
    const double instruction_rate = r.value("gpu_tot_sim_insn") / elapsed;
    std::string text =
        fmt::format("\n\ngpgpu_simulation_time = {} days, {} hrs, {} min, {} sec ({} sec)\n",
                    hours / 24, hours % 24, minutes % 60, whole % 60, whole);
    text += fmt::format("gpgpu_simulation_rate = {:.0f} (inst/sec)\n", instruction_rate);
    text += fmt::format("gpgpu_simulation_rate = {:.0f} (cycle/sec)\n", cycle_rate);
    text += fmt::format("gpgpu_silicon_slowdown = {:.0f}x\n",
                        cycle_rate != 0 ? core_hertz / cycle_rate : 0);
    text += fmt::format("gpu_total_sim_rate={:.0f}\n\n", instruction_rate);
    return text;
}

}  // namespace simtlm::platform

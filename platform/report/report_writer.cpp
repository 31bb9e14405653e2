// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

namespace simtlm::platform {

namespace {

__extension__ typedef unsigned __int128 uint128;

/// 1,000,000 times a value, rounded to an integer as "%.6f" rounds: exactly, half to even.
/// @return empty for values that are negative (also -0), 2^43 or more, or not a number
std::optional<std::uint64_t> rounded_millionths(double value) {
    constexpr double limit = 8796093022208.0;  // 2^43: a million times it has less than 64 bits
    if (std::signbit(value) || !(value < limit)) return std::nullopt;
    if (value == 0) return 0;
    int exponent = 0;
    constexpr int mantissa_bits = 53;
    const auto mantissa =
        static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), mantissa_bits));
    const uint128 product = uint128{mantissa} * 1'000'000;  // of less than 73 bits
    const int shift = mantissa_bits - exponent;             // value = mantissa / 2^shift, shift > 0
    constexpr int product_bits = 74;
    if (shift > product_bits) return 0;
    auto whole = static_cast<std::uint64_t>(product >> shift);
    const uint128 rest = product & ((uint128{1} << shift) - 1), half = uint128{1} << (shift - 1);
    if (rest > half || (rest == half && (whole & 1) != 0)) ++whole;
    return whole;
}

}  // namespace

void report_writer::append(fmt::string_view format, fmt::format_args arguments) {
    fmt::memory_buffer formatted;
    fmt::vformat_to(fmt::appender(formatted), format, arguments);
    text({formatted.data(), formatted.size()});
}

report_writer::report_writer(report& into) : report_(into) {
    report_.rows.clear();
}

void report_writer::grow() {
    constexpr std::size_t step = 4096;  // the string's capacity grows by a factor
    report_.text.resize(printed_ + step);
}

void report_writer::right_aligned(std::string_view digits, unsigned width) {
    const std::size_t blanks = digits.size() < width ? width - digits.size() : 0;
    char* const at = extend(blanks + digits.size());
    std::memset(at, ' ', blanks);
    std::memcpy(at + blanks, digits.data(), digits.size());
}

void report_writer::one_digit(char digit, unsigned width) {
    constexpr std::size_t field = 16;
    if (width > field) return right_aligned({&digit, 1}, width);
    const std::size_t size = std::max(width, 1u);
    char* const at = extend(field);
    std::memset(at, ' ', field);  // of constant size: one instruction
    at[size - 1] = digit;
    printed_ -= field - size;
}

void report_writer::number(std::uint64_t value, unsigned width) {
    if (value < 10) return one_digit(static_cast<char>('0' + value), width);
    const fmt::format_int digits(value);
    right_aligned({digits.data(), digits.size()}, width);
}

void report_writer::fixed(double value, unsigned width) {
    const std::optional<std::uint64_t> millionths = rounded_millionths(value);
    if (!millionths) {
        fmt::basic_memory_buffer<char, 32> digits;
        fmt::format_to(fmt::appender(digits), FMT_COMPILE("{:.6f}"), value);
        return right_aligned({digits.data(), digits.size()}, width);
    }
    constexpr unsigned decimals = 6;
    std::array<char, 24> text{};
    auto fraction = static_cast<std::uint32_t>(*millionths % 1'000'000);
    char* at = text.data() + text.size();
    for (unsigned i = 0; i < decimals; ++i, fraction /= 10)
        *--at = static_cast<char>('0' + fraction % 10);
    *--at = '.';
    const fmt::format_int whole(*millionths / 1'000'000);
    at -= whole.size();
    std::memcpy(at, whole.data(), whole.size());
    right_aligned({at, static_cast<std::size_t>(text.data() + text.size() - at)}, width);
}

void report_writer::count(std::string_view name, std::uint64_t value, std::string_view indent) {
    text(indent);
    text(name);
    text(" = ");
    number(value);
    text("\n");
    add(name, value);
}

void report_writer::real(std::string_view name, double value) {
    text(name);
    print(FMT_COMPILE(" = {:12.4f}\n"), value);
    add(name, value);
}

void report_writer::add(std::string_view name, std::uint64_t value) {
    add(name, static_cast<double>(value), true);
}

void report_writer::add(std::string_view name, double value) {
    add(name, value, false);
}

void report_writer::add(std::string_view name, double value, bool whole) {
    if (added_ == report_.report_values.size()) report_.report_values.emplace_back();
    report_value& v = report_.report_values[added_++];
    if (v.name != name) v.name = name;
    v.value = value;
    v.whole = whole;
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

// SPDX-License-Identifier: Apache-2.0
#include "platform/report/report_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::platform {

void report_writer::append(fmt::string_view format, fmt::format_args arguments) {
    // A string that is formatted into directly is filled with zeros wherever it grows.
    fmt::memory_buffer line;
    fmt::vformat_to(fmt::appender(line), format, arguments);
    report_.text.append(line.data(), line.size());
}

void report_writer::count(const std::string& name, std::uint64_t value, const char* indent) {
    print("{}{} = {}\n", indent, name, value);
    add(name, value);
}

void report_writer::real(const std::string& name, double value) {
    print("{} = {:12.4f}\n", name, value);
    add(name, value);
}

void report_writer::add(std::string name, std::uint64_t value) {
    report_.figures.push_back({std::move(name), static_cast<double>(value), true});
}

void report_writer::add(std::string name, double value) {
    report_.figures.push_back({std::move(name), value, false});
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

// SPDX-License-Identifier: Apache-2.0
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace simtlm::platform {

namespace {

constexpr std::string_view model_enabled = "-power_simulation_enabled";
constexpr std::string_view xml_file = "-accelwattch_xml_file";
constexpr std::string_view table_file = "--energy-table";
constexpr std::string_view power_limit = "--power-limit";
constexpr std::string_view limit_interval = "--power-limit-interval";
constexpr std::string_view temperature = "--temperature";
constexpr std::string_view cooling = "--cooling";
constexpr std::string_view steady_definition = "-steady_state_definition";

/// The energies: those of -accelwattch_xml_file if it is given, else those of the preset or of a
/// table of the user's own, else of -accelwattch_xml_file under its default name.
power::energy_table table_of(const option_values& v) {
    const std::string& file = v.text(table_file);
    std::error_code ignored;
    const bool by_default = file.empty() && std::filesystem::exists(v.text(xml_file), ignored);
    if (v.given(xml_file) || by_default) return power::read_accelwattch_xml(v.text(xml_file));
    if (file.empty())
        v.fail(model_enabled, "the energies of this GPU are not known",
               "--energy-table FILE (docs/power.md) or -accelwattch_xml_file FILE");
    return power::is_xml(file) ? power::read_accelwattch_xml(file) : power::read_energy_table(file);
}

void read_steady_state(const option_values& v, power_config& p) {
    const std::vector<std::string> parts = split(v.text(steady_definition), ':');
    const auto deviation = parts.size() == 2 ? parse_real(parts[0]) : std::nullopt;
    const auto windows = parts.size() == 2 ? parse_integer(parts[1]) : std::nullopt;
    if (!deviation || !windows || !(*deviation >= 0) || *windows < 1 || *windows > 1000000)
        v.fail(steady_definition, "is not DEVIATION:SAMPLES",
               "such as 8:4, watts and a number of samples");
    p.steady_deviation = *deviation;
    p.steady_windows = static_cast<unsigned>(*windows);
}

void read_hardware(const option_values& v, power_config& p) {
    p.hardware_file = v.text("-hw_perf_file_name");
    p.hardware_benchmark = v.text("-hw_perf_bench_name");
    if (p.mode == power_mode::simulation) return;
    if (p.hardware_benchmark.empty())
        v.fail("-power_simulation_mode", "needs the name of the benchmark in the file of counters",
               "-hw_perf_bench_name NAME");
    power::find_hardware_counts(p.hardware_file, p.hardware_benchmark, {});
    for (unsigned c = 0; c < power::hardware_counters; ++c)
        p.simulated[c] =
            p.mode == power_mode::hybrid &&
            v.flag(fmt::format("-accelwattch_hybrid_perfsim_{}",
                               hardware_counter_name(static_cast<power::hardware_counter>(c))));
    p.accumulates = v.flag("-aggregate_power_stats");
}

/// A number of an option. @throws support::user_error  if it is not between two others
double real_of(const option_values& v, std::string_view name, const std::string& text, double least,
               double most) {
    const auto number = parse_real(text);
    if (!number || !(*number >= least) || *number > most)
        v.fail(name,
               "\"" + text + "\" is not a number from " + fmt::format("{:g} to {:g}", least, most),
               "see docs/options.md");
    return *number;
}

void read_temperature(const option_values& v, power_config& p) {
    constexpr double coldest = -55, hottest = 150;
    if (!v.text(temperature).empty())
        p.at.celsius = real_of(v, temperature, v.text(temperature), coldest, hottest);
    if (v.text(cooling).empty()) return;
    const std::vector<std::string> parts = split(v.text(cooling), ':');
    if (parts.size() != 3)
        v.fail(cooling, "is not RESISTANCE:CAPACITANCE:AMBIENT", "such as 0.1:2:30");
    power::thermal_node::settings& c = p.cooling.emplace();
    c.resistance = real_of(v, cooling, parts[0], 0, 100);
    c.capacitance = real_of(v, cooling, parts[1], 0, 1e6);
    c.ambient = real_of(v, cooling, parts[2], coldest, hottest);
    if (!p.at.celsius) p.at.celsius = p.table.reference_celsius;
}

void read_limit(const option_values& v, const clock_config& clocks, power_config& p) {
    const std::string& text = v.text(power_limit);
    if (text.empty()) return;
    const bool of_board = text == "board";
    if (of_board && p.table.cap_watts == 0)
        v.fail(power_limit, "the energy table has no limit of the board", "a number of watts");
    if (p.table.curve.empty())
        v.fail(power_limit, "the energy table has no voltage curve",
               "rows VOLTAGE,MHZ,VOLTS,V (docs/power.md)");
    if (!v.text("--checkpoint").empty() || !v.text("--resume").empty() ||
        v.flag("-checkpoint_option") || v.flag("-resume_option"))
        v.fail(power_limit, "clocks are not part of a checkpoint", "omit one of the options");
    constexpr double max_watts = 1e6, min_interval = 1, max_interval = 1e6, micro = 1e-6;
    power::clock_governor::settings& how = p.limit.emplace();
    how.limit_watts = of_board ? p.table.cap_watts : real_of(v, power_limit, text, 1, max_watts);
    how.interval =
        micro * real_of(v, limit_interval, v.text(limit_interval), min_interval, max_interval);
    how.highest = clocks.core;
    // Windows, after which the clock may change, are not longer than control intervals.
    p.window = std::min(p.window, std::max<std::uint64_t>(
                                      1, static_cast<std::uint64_t>(how.interval * clocks.core)));
}

}  // namespace

void read_power(const option_values& v, gpu_config& config) {
    power_config& p = config.power;
    p.enabled = v.flag(model_enabled);
    if (!p.enabled) return;
    p.mode = choice<power_mode>(v, "-power_simulation_mode", 2);
    p.table = table_of(v);
    constexpr double mega = 1e6;
    p.at.hertz = config.clocks.core;
    const std::string& sampling = v.text("-gpgpu_runtime_stat");
    const auto window = parse_integer(sampling.substr(0, sampling.find(':')));
    p.window = window && *window > 0 ? static_cast<std::uint64_t>(*window) : p.window;
    read_temperature(v, p);
    read_limit(v, config.clocks, p);
    if (v.flag("-dvfs_enabled") || p.limit)
        p.at.volts = p.table.curve.empty() ? 1 : p.table.volts_at(config.clocks.core / mega);
    if (config.core == "classic") p.result_buses = config.cores.sm.write_back.width;
    p.lanes_gated = v.flag("-gpgpu_clock_gated_lanes");
    power_files& files = config.run.power;
    files.report = v.text("--power-report");
    const std::filesystem::path folder = std::filesystem::path(files.report).parent_path();
    if (v.flag("-power_trace_enabled")) {
        files.trace = folder / "power_trace.log.gz";
        files.metrics = folder / "metric_trace.log.gz";
    }
    if (v.flag("-steady_power_levels_enabled"))
        files.steady_states = folder / "steady_state.log.gz";
    p.dumps_windows = v.flag("-power_per_cycle_dump");
    p.trace_level = v.number("-power_trace_zlevel", 0, 9);
    read_steady_state(v, p);
    read_hardware(v, p);
}

}  // namespace simtlm::platform

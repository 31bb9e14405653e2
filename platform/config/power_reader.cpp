// SPDX-License-Identifier: Apache-2.0
#include "platform/config/readers.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>

namespace simtlm::platform {

namespace {

constexpr std::string_view model_enabled = "-power_simulation_enabled";
constexpr std::string_view xml_file = "-accelwattch_xml_file";
constexpr std::string_view table_file = "--energy-table";
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

}  // namespace

void read_power(const option_values& v, gpu_config& config) {
    power_config& p = config.power;
    p.enabled = v.flag(model_enabled);
    if (!p.enabled) return;
    p.mode = choice<power_mode>(v, "-power_simulation_mode", 2);
    p.table = table_of(v);
    constexpr double mega = 1e6;
    if (v.flag("-dvfs_enabled"))
        p.volts = p.table.curve.empty() ? 1 : p.table.volts_at(config.clocks.core / mega);
    const std::string& sampling = v.text("-gpgpu_runtime_stat");
    const auto window = parse_integer(sampling.substr(0, sampling.find(':')));
    p.window = window && *window > 0 ? static_cast<std::uint64_t>(*window) : p.window;
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

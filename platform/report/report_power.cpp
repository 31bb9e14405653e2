// SPDX-License-Identifier: Apache-2.0
#include "platform/gpu/gpu_blocks.h"
#include "platform/report/report_writer.h"

namespace simtlm::platform {

namespace {

constexpr double pico = 1e-12;

/// Writes the figures of an interval: NAME_power, NAME_energy, NAME_energy_delay.
void write_interval(report_writer& out, const std::string& name, std::uint64_t picojoules,
                    double seconds) {
    const double joules = static_cast<double>(picojoules) * pico;
    const auto value = [&](const char* what, double number) {
        out.print("{}_{} = {:.6g}\n", name, what, number);
        out.add(name + "_" + what, number);
    };
    value("power", ratio(joules, seconds));
    value("energy", joules);
    value("energy_delay", joules * seconds);
}

}  // namespace

void write_power(report_writer& out, gpu& device, std::uint64_t cycles,
                 const power::energy_statistics& before, std::uint64_t cycles_before) {
    power::energy_meter* const meter = device.power();
    if (meter == nullptr) return;
    const power::clock_history& clock = meter->clock();
    const power::energy_statistics& now = meter->statistics();
    const double seconds = clock.seconds(cycles_before, cycles);
    out.print("\n========= Power =========\npower_table = {}\n", meter->table().status);
    write_interval(out, "gpu", now.total - before.total, seconds);
    write_interval(out, "gpu_tot", now.total, clock.seconds(0, cycles));
    const auto value = [&out](const char* name, double number) {
        out.print("{} = {:.6g}\n", name, number);
        out.add(name, number);
    };
    constexpr double mega = 1e6;
    value("gpu_core_clock", clock.mean_hertz(cycles_before, cycles) / mega);
    value("gpu_tot_core_clock", clock.mean_hertz(0, cycles) / mega);
    if (meter->now().celsius) value("gpu_temperature", *meter->now().celsius);
    for (unsigned c = 0; c < power::components; ++c) {
        const std::uint64_t taken = now.by_component[c] - before.by_component[c];
        const double watts = ratio(static_cast<double>(taken) * pico, seconds);
        const std::string name = fmt::format("gpu_power[{}]", power::component_label(c));
        out.print("{} = {:.6g}\n", name, watts);
        out.add(name, watts);
    }
}

}  // namespace simtlm::platform

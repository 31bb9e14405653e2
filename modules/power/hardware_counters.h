// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/power/activity.h"

#include <array>
#include <string>
#include <string_view>

namespace simtlm::power {

/// What a profiler counted of a kernel on hardware, for -power_simulation_mode 1 and 2: the columns
/// of AccelWattch's hw_perf.csv after the names, in this order.
enum class hardware_counter : std::uint8_t {
    l1_read_hits,
    l1_read_misses,
    l1_write_hits,
    l1_write_misses,
    constant_accesses,
    shared_accesses,
    dram_reads,
    dram_writes,
    l2_read_hits,
    l2_read_misses,
    l2_write_hits,
    l2_write_misses,
    network_flits,
    pipeline_duty,
    idle_sms,
    cycles,
    voltage,
};
inline constexpr unsigned hardware_counters = 17;

/// The end of the option -accelwattch_hybrid_perfsim_NAME.
constexpr std::string_view hardware_counter_name(hardware_counter c) {
    constexpr std::string_view names[hardware_counters] = {
        "L1_RH",   "L1_RM",     "L1_WH",       "L1_WM",  "CC_ACC", "SHARED_ACC",
        "DRAM_RD", "DRAM_WR",   "L2_RH",       "L2_RM",  "L2_WH",  "L2_WM",
        "NOC",     "PIPE_DUTY", "NUM_SM_IDLE", "CYCLES", "VOLTAGE"};
    return names[static_cast<unsigned>(c)];
}

/// The counters of a kernel.
struct hardware_counts {
    std::array<double, hardware_counters> of{};
    double operator[](hardware_counter c) const { return of[static_cast<unsigned>(c)]; }
};

/// Finds a kernel in a file: the row with its name, else the first row of the benchmark.
/// @throws support::user_error  if the file cannot be read or has no row of the benchmark
hardware_counts find_hardware_counts(const std::string& file, const std::string& benchmark,
                                     const std::string& kernel);

/// Replaces counts of a simulated kernel by those of hardware.
/// @param simulated  counters that remain those of the simulation
/// @param sms        of the GPU
void replace_counts(activity_counts& a, const hardware_counts& by,
                    const std::array<bool, hardware_counters>& simulated, unsigned sms);

}  // namespace simtlm::power

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/power/activity.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace simtlm::power {

/// Which units an interval used: static power depends on it (AccelWattch, section 4.5).
enum class unit_mix : std::uint8_t {
    integer,  ///< additions and multiplications
    integer_fp32,
    integer_fp32_fp64,
    integer_fp32_special,
    integer_fp32_texture,
    integer_fp32_tensor,
    light,             ///< neither functional units nor memory
    integer_add,       ///< additions only
    integer_multiply,  ///< multiplications only
    any,               ///< other mixes
    shared_memory,     ///< memory only
    l1_cache,
    l2_cache,
};
inline constexpr unsigned unit_mixes = 13;

/// The name in a table and, after "static_", in AccelWattch's XML files: cat1.
constexpr std::string_view unit_mix_name(unit_mix m) {
    constexpr std::string_view names[unit_mixes] = {
        "cat1",   "cat2",   "cat3",    "cat4",   "cat5", "cat6", "light",
        "intadd", "intmul", "geomean", "shared", "l1",   "l2"};
    return names[static_cast<unsigned>(m)];
}

/// Static power of all SMs, in watts.
struct static_watts {
    double first_lane = 0;  ///< with one active lane per warp
    double added_lane = 0;  ///< for each further one
};

/// The energies of a GPU: what docs/power.md calls an energy table.
struct energy_table {
    /// Energy of one event.
    struct term {
        component part = component::other;
        activity per = activity::cycles;  ///< if `counter` is empty
        std::string counter;              ///< KIND.COUNTER[.CELL] as in docs/statistics.md
        double picojoules = 0;
    };
    /// A point of the voltage curve.
    struct operating_point {
        double megahertz = 0, volts = 0;
    };
    std::vector<term> terms;
    std::array<static_watts, unit_mixes> of_mix{};
    double constant_watts = 0;           ///< clock tree and board, independent of activity
    double idle_sm_watts = 0;            ///< of one SM without a thread block
    double memory_controller_watts = 0;  ///< without accesses
    double reference_volts = 1;          ///< at which the energies hold
    double reference_celsius = 65;       ///< temperature of the die at which they hold
    double leakage_doubling = 43;     ///< kelvin by which a die that leaks twice as much is hotter
    bool board_on_core_rail = false;  ///< memory and board depend on the core's voltage, too
    std::vector<operating_point> curve;  ///< core clock and voltage, by rising clock; may be empty
    double cap_watts = 0;                ///< limit of the board; 0: unknown
    std::string status = "estimated";    ///< or "validated"
    /// What a counter of the report is multiplied by: AccelWattch scales those of functional units.
    std::array<double, activities> report_scale{};

    energy_table() { report_scale.fill(1); }
    /// The voltage at a core clock, by linear interpolation; the reference without a curve.
    double volts_at(double megahertz) const;
    /// Whether the energies of a component depend on the voltage of the core.
    bool is_on_core_rail(component c) const {
        return board_on_core_rail ||
               (group_of(c) != component_group::dram && group_of(c) != component_group::constant);
    }
    /// Its energies at a voltage, relative to those of the table: leakage is proportional to the
    /// voltage, other energies to its square.
    double voltage_factor(component c, double volts) const;
    /// The leakage at a temperature, relative to that of the table.
    double leakage_factor(double celsius) const;
};

/// Reads a table in CSV: component,per,value,unit,source.
/// @throws support::user_error  naming file and line
energy_table read_energy_table(const std::string& file);

/// Whether a file is XML rather than CSV, judged by its beginning. @throws support::user_error
bool is_xml(const std::string& file);

/// Reads an XML file of AccelWattch. Its factors apply to the energies per access that McPAT
/// computes for the GPU that every published file describes.
/// @throws support::user_error  for other files, and for files that describe another GPU
energy_table read_accelwattch_xml(const std::string& file);

}  // namespace simtlm::power

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/power/activity_reader.h"
#include "modules/power/energy_table.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/counter_table.h"
#include "modules/support/statistics.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simtlm::power {

/// Energy by component.
using energies = std::array<double, components>;

/// Sum over the components.
double sum_of(const energies& e);

/// Static power of an interval: the mix of units it used selects first and added lanes.
/// @return watts, with all SMs active
double static_power(const energy_table& table, const activity_counts& a);

/// Energy of an interval in picojoules.
/// @param a        activity of the interval
/// @param also     increases of the table's further counters, in the order of its terms
/// @param volts    supply voltage; 0: that at which the table holds
energies energy_of(const energy_table& table, const gpu_parameters& parameters,
                   const activity_counts& a, const std::vector<double>& also, double volts);

/// Energies of a GPU since the start of the simulation.
struct energy_statistics {
    std::array<std::uint64_t, components> by_component{};  ///< picojoules
    std::uint64_t total = 0;                               ///< their sum
};
inline std::string component_label(unsigned c) {
    return std::string(component_name(static_cast<component>(c)));
}
inline constexpr support::counter<energy_statistics> energy_counters[] = {
    support::count<&energy_statistics::by_component>("energy", "pJ", "taken, by component",
                                                     component_label),
    support::count<&energy_statistics::total>("total_energy", "pJ", "taken by the whole GPU"),
};
constexpr const auto& counters_of(const energy_statistics*) {
    return energy_counters;
}
static_assert(support::covers(energy_counters));

/// Accounts for the energy of a GPU from the counters that its blocks keep anyway.
///
/// Simulated time is divided into windows, over each of which the power is taken as constant.
/// Energies within a window are estimated from its part so far, so that they may be read at any
/// time; where a window ends does not depend on when they are read.
class energy_meter {
public:
    /// A window, or several.
    struct window {
        std::uint64_t from = 0, to = 0;  ///< core cycles, half open
        activity_counts activity;
        energies picojoules{};
        double seconds = 0;
        double watts() const { return seconds > 0 ? sum_of(picojoules) * 1e-12 / seconds : 0; }
    };

    /// Receives the windows, in order.
    struct window_watcher {
        virtual ~window_watcher() = default;
        virtual void window_ended(const window& w) = 0;
    };

    /// @param volts  supply voltage; 0: that at which the table holds
    energy_meter(energy_table table, const gpu_parameters& parameters, double volts);

    /// Takes the counters to read. @param list  of all blocks
    /// @throws support::user_error  if a counter of the table does not exist
    void bind(support::statistics list);
    bool is_bound() const { return reader_.has_value(); }

    /// Accounts for the energy up to now. The counters of all blocks must be up to date.
    /// @param core_cycles  since the start of the simulation
    void observe(std::uint64_t core_cycles);
    /// The same, and ends the window, unless it is empty.
    void end_window(std::uint64_t core_cycles);
    /// @param watcher  must outlive this object; nullptr: none
    void watch(window_watcher* watcher) { watcher_ = watcher; }

    /// Saves or restores the energies so far. Call at the end of a window.
    void checkpoint(support::archive& a);

    const energy_statistics& statistics() const { return statistics_; }
    const energy_table& table() const { return table_; }
    const gpu_parameters& parameters() const { return parameters_; }
    double volts() const { return volts_; }

private:
    void measure(std::uint64_t core_cycles);

    const energy_table table_;
    const gpu_parameters parameters_;
    const double volts_;
    support::statistics blocks_;
    std::optional<activity_reader> reader_;
    std::uint64_t start_ = 0;   ///< of the current window, core cycle
    activity_counts at_start_;  ///< of the current window
    std::vector<double> also_at_start_;
    energies ended_{};  ///< of the windows that have ended
    window now_;
    energy_statistics statistics_;
    window_watcher* watcher_ = nullptr;
};

}  // namespace simtlm::power

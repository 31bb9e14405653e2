// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/power/activity_reader.h"
#include "modules/power/clock_history.h"
#include "modules/power/energy_table.h"
#include "modules/power/thermal_node.h"
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

/// Energy of the events of an interval in picojoules, at the table's voltage: neither constant nor
/// static. @param also  increases of the table's further counters, in the order of its terms
energies event_energy(const energy_table& table, const activity_counts& a,
                      const std::vector<double>& also);

/// What the energies of an interval depend on besides its activity.
struct operating_point {
    double hertz = 1e9;               ///< core clock
    double volts = 0;                 ///< of the core; 0: that at which the table holds
    std::optional<double> celsius{};  ///< of the die; none: that at which the table holds
};

/// Scales energies that hold at the table's voltage and temperature to others.
void scale(energies& e, const energy_table& table, const operating_point& at);

/// Energy of an interval in picojoules.
/// @param a     activity of the interval
/// @param also  see event_energy()
energies energy_of(const energy_table& table, const gpu_parameters& parameters,
                   const activity_counts& a, const std::vector<double>& also,
                   const operating_point& at);

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
        operating_point at;
        /// Watts of a component.
        double watts(component c) const {
            return seconds > 0 ? picojoules[static_cast<unsigned>(c)] * 1e-12 / seconds : 0;
        }
        /// Watts of a group of components.
        double watts(component_group g) const {
            double sum = 0;
            for (unsigned c = 0; c < components; ++c)
                if (group_of(static_cast<component>(c)) == g)
                    sum += watts(static_cast<component>(c));
            return sum;
        }
        double watts() const { return seconds > 0 ? sum_of(picojoules) * 1e-12 / seconds : 0; }
    };

    /// Receives the windows, in order.
    struct window_watcher {
        virtual ~window_watcher() = default;
        virtual void window_ended(const window& w) = 0;
    };

    /// @param at       at the start of the simulation
    /// @param cooling  of a die whose temperature follows its power
    /// @pre `at` has a temperature if there is a cooling
    energy_meter(energy_table table, const gpu_parameters& parameters, const operating_point& at,
                 const std::optional<thermal_node::settings>& cooling = {});

    /// Takes the counters to read. @param list  of all blocks
    /// @throws support::user_error  if a counter of the table does not exist
    void bind(support::statistics list);
    bool is_bound() const { return reader_.has_value(); }

    /// Accounts for the energy up to now. The counters of all blocks must be up to date.
    /// @param core_cycles  since the start of the simulation
    void observe(std::uint64_t core_cycles);
    /// The same, and ends the window, unless it is empty.
    void end_window(std::uint64_t core_cycles);
    /// Calls a watcher after each window, until unwatch(), in the order of these calls.
    void watch(window_watcher& watcher) { watchers_.push_back(&watcher); }
    void unwatch(window_watcher& watcher);
    /// The last window that has ended.
    const window& last() const { return last_; }

    /// Measures the events of some blocks, too.
    /// @param name  hierarchical: of a block, with those below it
    /// @return the number for part_watts()
    unsigned follow(const std::string& name);
    /// Watts of the events of these blocks in the last window that has ended. All blocks together
    /// have the events of the GPU.
    double part_watts(unsigned part) const { return parts_[part].watts; }

    /// Saves or restores the energies so far. Call at the end of a window.
    void checkpoint(support::archive& a);

    /// The clock and the voltage change. Call at the end of a window.
    void change_clock(double hertz, double volts);
    const clock_history& clock() const { return clock_; }
    const operating_point& now() const { return at_; }

    const energy_statistics& statistics() const { return statistics_; }
    const energy_table& table() const { return table_; }
    const gpu_parameters& parameters() const { return parameters_; }

private:
    /// Blocks that are measured separately.
    struct part {
        std::string name;
        std::optional<activity_reader> reader;  ///< once bound
        activity_counts counted;                ///< at the end of the last window
        std::vector<double> also_counted;
        double watts = 0;
    };

    void measure(std::uint64_t core_cycles);
    void measure(part& p);
    void bind(part& p);
    std::vector<std::string> counters_of_table() const;

    const energy_table table_;
    const gpu_parameters parameters_;
    operating_point at_;
    clock_history clock_;
    std::optional<thermal_node> die_;
    support::statistics blocks_;
    std::optional<activity_reader> reader_;
    std::uint64_t start_ = 0;   ///< of the current window, core cycle
    activity_counts at_start_;  ///< of the current window
    std::vector<double> also_at_start_;
    energies ended_{};  ///< of the windows that have ended
    window now_, last_;
    std::vector<part> parts_;
    energy_statistics statistics_;
    std::vector<window_watcher*> watchers_;
};

}  // namespace simtlm::power

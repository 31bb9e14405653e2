// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/power/energy_meter.h"

namespace simtlm::power {

/// Chooses the core clock of a GPU with a power limit, as the firmware of a board does
/// (nvidia-smi --power-limit).
///
/// At the end of a control interval it takes the highest clock at which the work of this interval
/// would have stayed within the limit: events of the core's voltage domain are assumed to occur in
/// proportion to the clock, those of memory at an unchanged rate. Where the assumption fails, the
/// next interval corrects it.
class clock_governor {
public:
    struct settings {
        double limit_watts = 0;
        double interval = 20e-6;  ///< seconds; lasts until the end of a window
        double highest = 1e9;     ///< clock without a limit, Hz
        double step = 15e6;       ///< between clocks, Hz: that of NVIDIA's boards since Ampere
    };

    /// @param table  must outlive this object; has a voltage curve
    clock_governor(const energy_table& table, const settings& how);

    /// The chosen clock, Hz.
    double hertz() const { return hertz_; }
    /// Adds a window, which ran at this clock. @return whether the clock changes
    bool add(const energy_meter::window& w);

private:
    double watts_at(double hertz) const;

    const energy_table& table_;
    const settings how_;
    double lowest_;  ///< Hz
    double hertz_;
    energies picojoules_{};  ///< of the interval
    double seconds_ = 0;     ///< of the interval
};

}  // namespace simtlm::power

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace simtlm::power {

/// The temperature of a die with one thermal resistance to its surroundings and one heat capacity.
class thermal_node {
public:
    struct settings {
        double resistance = 0;   ///< kelvin per watt
        double capacitance = 0;  ///< joules per kelvin; 0: the temperature follows at once
        double ambient = 25;     ///< degrees Celsius
    };
    /// @param celsius  at the start
    thermal_node(const settings& how, double celsius) : how_(how), celsius_(celsius) {}

    double celsius() const { return celsius_; }
    /// Takes constant power for a time.
    void heat(double watts, double seconds) {
        const double steady = how_.ambient + how_.resistance * watts;
        const double constant = how_.resistance * how_.capacitance;
        const double left = constant > 0 ? std::exp(-seconds / constant) : 0;
        celsius_ = steady + (celsius_ - steady) * left;
    }

private:
    settings how_;
    double celsius_;
};

}  // namespace simtlm::power

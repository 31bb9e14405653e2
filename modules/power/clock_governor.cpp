// SPDX-License-Identifier: Apache-2.0
#include "modules/power/clock_governor.h"

#include <algorithm>

namespace simtlm::power {

namespace {
constexpr double mega = 1e6;
/// So that control intervals have many cycles.
constexpr double min_megahertz = 50;
}  // namespace

clock_governor::clock_governor(const energy_table& table, const settings& how)
    : table_(table),
      how_(how),
      lowest_(std::min(std::max(table.curve.front().megahertz, min_megahertz) * mega, how.highest)),
      hertz_(how.highest) {}

/// The power at another clock, from the energies of the interval.
double clock_governor::watts_at(double hertz) const {
    const double before = table_.volts_at(hertz_ / mega), after = table_.volts_at(hertz / mega);
    double sum = 0;
    for (unsigned c = 0; c < components; ++c) {
        const auto part = static_cast<component>(c);
        const bool is_rate = table_.is_on_core_rail(part) && !has_constant_power(part);
        sum += picojoules_[c] * (is_rate ? hertz / hertz_ : 1) *
               table_.voltage_factor(part, after) / table_.voltage_factor(part, before);
    }
    return sum * 1e-12 / seconds_;
}

bool clock_governor::add(const energy_meter::window& w) {
    for (unsigned c = 0; c < components; ++c) picojoules_[c] += w.picojoules[c];
    seconds_ += w.seconds;
    constexpr double rounding = 1e-9;
    if (seconds_ < how_.interval * (1 - rounding)) return false;
    double chosen = how_.highest;
    while (chosen > lowest_ && watts_at(chosen) > how_.limit_watts)
        chosen = std::max(lowest_, chosen - how_.step);
    picojoules_ = {};
    seconds_ = 0;
    const bool changes = chosen != hertz_;
    hertz_ = chosen;
    return changes;
}

}  // namespace simtlm::power

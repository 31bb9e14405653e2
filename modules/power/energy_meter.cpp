// SPDX-License-Identifier: Apache-2.0
#include "modules/power/energy_meter.h"

#include "modules/support/archive.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace simtlm::power {

namespace {

constexpr double pico = 1e-12;

double of_part(const activity_counts& a, std::initializer_list<activity> which) {
    double sum = 0;
    for (const activity x : which) sum += a[x];
    return sum;
}

/// The mix of units of an interval.
unit_mix mix_of(const activity_counts& a) {
    const bool add = a[activity::integer] > 0;
    const bool multiply = of_part(a, {activity::integer_multiply24, activity::integer_multiply32,
                                      activity::integer_multiply, activity::integer_divide}) > 0;
    const bool integer = add || multiply;
    const bool fp32 =
        of_part(a, {activity::fp32, activity::fp32_multiply, activity::fp32_divide}) > 0;
    const bool fp64 =
        of_part(a, {activity::fp64, activity::fp64_multiply, activity::fp64_divide}) > 0;
    const bool special = of_part(a, {activity::square_root, activity::logarithm, activity::sine,
                                     activity::exponential}) > 0;
    const bool tensor = a[activity::tensor] > 0, texture = a[activity::texture] > 0;
    const int others = int{fp64} + int{special} + int{tensor} + int{texture};
    if (integer && fp32 && others <= 1)
        return fp64      ? unit_mix::integer_fp32_fp64
               : special ? unit_mix::integer_fp32_special
               : tensor  ? unit_mix::integer_fp32_tensor
               : texture ? unit_mix::integer_fp32_texture
                         : unit_mix::integer_fp32;
    if (integer && !fp32 && others == 0)
        return !multiply ? unit_mix::integer_add
               : !add    ? unit_mix::integer_multiply
                         : unit_mix::integer;
    if (integer || fp32 || others != 0) return unit_mix::any;
    if (of_part(a, {activity::l1_read_hits, activity::l1_read_misses, activity::l1_write_hits,
                    activity::l1_write_misses}) > 0)
        return unit_mix::l1_cache;
    if (a[activity::shared_accesses] > 0) return unit_mix::shared_memory;
    if (of_part(a, {activity::l2_read_hits, activity::l2_read_misses, activity::l2_write_hits,
                    activity::l2_write_misses}) > 0)
        return unit_mix::l2_cache;
    return unit_mix::light;
}

}  // namespace

double sum_of(const energies& e) {
    double sum = 0;
    for (const double x : e) sum += x;
    return sum;
}

double static_power(const energy_table& table, const activity_counts& a) {
    const static_watts& w = table.of_mix[static_cast<unsigned>(mix_of(a))];
    if (a.unit_warps <= 0) return w.first_lane;
    const double lanes = std::ceil(a.unit_lanes / a.unit_warps);
    return w.first_lane + std::max(0.0, lanes - 1) * w.added_lane;
}

void scale(energies& e, const energy_table& table, const operating_point& at) {
    for (unsigned c = 0; c < components; ++c) {
        const auto part = static_cast<component>(c);
        if (at.volts > 0) e[c] *= table.voltage_factor(part, at.volts);
        if (at.celsius && group_of(part) == component_group::leakage)
            e[c] *= table.leakage_factor(*at.celsius);
    }
}

energies event_energy(const energy_table& table, const activity_counts& a,
                      const std::vector<double>& also) {
    energies e{};
    auto further = also.begin();
    for (const energy_table::term& t : table.terms)
        e[static_cast<unsigned>(t.part)] +=
            t.picojoules * (t.counter.empty() ? a[t.per] : *further++);
    return e;
}

energies energy_of(const energy_table& table, const gpu_parameters& parameters,
                   const activity_counts& a, const std::vector<double>& also,
                   const operating_point& at) {
    energies e = event_energy(table, a, also);
    const auto of = [&e](component c) -> double& { return e[static_cast<unsigned>(c)]; };
    const double picoseconds = a[activity::cycles] / at.hertz / pico;
    const double sm_cycles = a[activity::cycles] * parameters.sms;
    const double active = sm_cycles > 0 ? std::max(0.0, 1 - a[activity::idle_sms] / sm_cycles) : 0;
    of(component::constant) += table.constant_watts * picoseconds;
    of(component::memory_controller) += table.memory_controller_watts * picoseconds;
    of(component::idle_sms) += table.idle_sm_watts * (1 - active) * parameters.sms * picoseconds;
    of(component::static_power) += static_power(table, a) * active * picoseconds;
    scale(e, table, at);
    return e;
}

energy_meter::energy_meter(energy_table table, const gpu_parameters& parameters,
                           const operating_point& at,
                           const std::optional<thermal_node::settings>& cooling)
    : table_(std::move(table)), parameters_(parameters), at_(at), clock_(at.hertz) {
    if (cooling) die_.emplace(*cooling, *at.celsius);
}

std::vector<std::string> energy_meter::counters_of_table() const {
    std::vector<std::string> counters;
    for (const energy_table::term& t : table_.terms)
        if (!t.counter.empty()) counters.push_back(t.counter);
    return counters;
}

void energy_meter::bind(support::statistics list) {
    blocks_ = std::move(list);
    const std::vector<std::string> also = counters_of_table();
    reader_.emplace(blocks_, parameters_, also);
    also_at_start_.resize(also.size());
    for (part& p : parts_) bind(p);
}

void energy_meter::bind(part& p) {
    p.reader.emplace(blocks_, parameters_, counters_of_table(), p.name);
    p.also_counted.resize(also_at_start_.size());
    if (start_ != 0) measure(p);  // what was counted before is not measured
}

unsigned energy_meter::follow(const std::string& name) {
    parts_.push_back({name, {}, {}, {}, 0});
    if (reader_) bind(parts_.back());
    return static_cast<unsigned>(parts_.size() - 1);
}

void energy_meter::unwatch(window_watcher& watcher) {
    watchers_.erase(std::remove(watchers_.begin(), watchers_.end(), &watcher), watchers_.end());
}

/// Measures the window that has ended for some blocks. Time is no event, so that it is left out.
void energy_meter::measure(part& p) {
    activity_counts now = p.reader->read(0);
    now[activity::idle_sms] = 0;
    std::vector<double> also = p.reader->read_also();
    std::vector<double> increase = also;
    for (std::size_t i = 0; i < also.size(); ++i) increase[i] -= p.also_counted[i];
    p.also_counted = std::move(also);
    activity_counts window = now;
    window -= std::exchange(p.counted, now);
    energies e = event_energy(table_, window, increase);
    scale(e, table_, last_.at);
    p.watts = last_.seconds > 0 ? sum_of(e) * pico / last_.seconds : 0;
}

void energy_meter::measure(std::uint64_t core_cycles) {
    now_.from = start_;
    now_.to = core_cycles;
    now_.activity = reader_->read(core_cycles);
    now_.activity -= at_start_;
    std::vector<double> also = reader_->read_also();
    for (std::size_t i = 0; i < also.size(); ++i) also[i] -= also_at_start_[i];
    now_.at = at_;
    now_.picojoules = energy_of(table_, parameters_, now_.activity, also, at_);
    now_.seconds = now_.activity[activity::cycles] / at_.hertz;
    statistics_.total = 0;
    for (unsigned c = 0; c < components; ++c) {
        // An estimate within a window may have been higher.
        std::uint64_t& shown = statistics_.by_component[c];
        shown = std::max(shown, static_cast<std::uint64_t>(ended_[c] + now_.picojoules[c]));
        statistics_.total += shown;
    }
}

void energy_meter::change_clock(double hertz, double volts) {
    at_.hertz = hertz;
    at_.volts = volts;
    clock_.change(start_, hertz);
}

void energy_meter::observe(std::uint64_t core_cycles) {
    if (reader_) measure(core_cycles);
}

void energy_meter::checkpoint(support::archive& a) {
    const std::size_t also = also_at_start_.size();
    a.block("power");
    a(start_, at_start_.of, at_start_.unit_lanes, at_start_.unit_warps, also_at_start_, ended_,
      statistics_.by_component, statistics_.total);
    if (is_bound()) also_at_start_.resize(also);
}

void energy_meter::end_window(std::uint64_t core_cycles) {
    if (!reader_ || core_cycles == start_) return;
    measure(core_cycles);
    start_ = core_cycles;
    at_start_ = reader_->read(core_cycles);
    also_at_start_ = reader_->read_also();
    for (unsigned c = 0; c < components; ++c) ended_[c] += now_.picojoules[c];
    last_ = now_;
    if (die_) {
        die_->heat(last_.watts(), last_.seconds);
        at_.celsius = die_->celsius();
    }
    for (part& p : parts_) measure(p);
    for (window_watcher* w : watchers_) w->window_ended(last_);
}

}  // namespace simtlm::power

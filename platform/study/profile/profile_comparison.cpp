// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/profile_comparison.h"

#include "platform/study/profile/kernel_pairing.h"
#include "platform/study/profile/kernel_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace simtlm::platform::study {

namespace {

/// Mean of values with weights; those that are missing do not count.
class weighted_mean {
public:
    void add(std::optional<double> value, double weight) {
        if (!value || std::isnan(*value)) return;
        sum_ += *value * weight;
        weight_ += weight;
    }
    std::optional<double> value() const {
        return weight_ > 0 ? std::optional<double>(sum_ / weight_) : std::nullopt;
    }

private:
    double sum_ = 0, weight_ = 0;
};

/// Compares pairs of kernels.
class profile_comparer {
public:
    profile_comparer(const kernel_profile& profile, const statistics_run& run,
                     const profile_comparison_options& options)
        : profile_(profile), run_(run), options_(options) {}

    profile_comparison compare() {
        describe();
        choose_metrics();
        for (const kernel_pair& p : pair_kernels(profile_, run_, options_.each_launch)) {
            compared_kernel k = compare(p);
            (k.paired()           ? c_.kernels
             : p.measured.empty() ? c_.only_simulated
                                  : c_.only_measured)
                .push_back(std::move(k));
        }
        for (auto* list : {&c_.kernels, &c_.only_measured})
            std::stable_sort(list->begin(), list->end(), [](const auto& a, const auto& b) {
                return a.total_measured() > b.total_measured();
            });
        add_up();
        list_missing();
        return std::move(c_);
    }

private:
    void describe() {
        c_.profile_file = profile_.file;
        c_.profile_kind = profile_.kind;
        c_.profile_launches = profile_.launches.size();
        c_.profile_metrics = profile_.metrics.size();
        c_.other_rows = profile_.other_rows;
        const json& document = run_.document();
        if (const auto gpu = document.find("gpu"); gpu != document.end() && gpu->is_object())
            if (const auto clocks = gpu->find("clock_hz");
                clocks != gpu->end() && clocks->is_object())
                c_.run_clock = number_in(*clocks, "core");
        weighted_mean all, latency;
        for (const measured_launch& l : profile_.launches) all.add(clock_of(l), l.launches);
        c_.clock = options_.clock > 0 ? options_.clock : all.value().value_or(c_.run_clock);
        c_.clock_origin = options_.clock > 0 ? "of --clock"
                          : all.value()      ? "of the profile"
                                             : "of the run";
        for (const json& k : run_.kernels())
            latency.add(number_in(k, "start_cycle") - number_in(k, "launched_at"), 1);
        if (options_.launch_latency) c_.launch_latency = latency.value().value_or(0);
    }

    /// SM clock of a measured launch, from its frequency or from its cycles and its time.
    std::optional<double> clock_of(const measured_launch& l) const {
        for (const char* metric :
             {"gpc__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second",
              "sm__cycles_elapsed.avg.per_second"})
            if (const double hz = profile_.value(l, metric); hz > 0) return hz;
        const double hz = measured_cycles(l) / profile_.value(l, "gpu__time_duration.sum");
        return hz > 0 && std::isfinite(hz) ? std::optional<double>(hz) : std::nullopt;
    }
    double measured_cycles(const measured_launch& l) const {
        for (const char* metric : {"gpc__cycles_elapsed.max", "sm__cycles_elapsed.max",
                                   "gpc__cycles_elapsed.avg", "sm__cycles_elapsed.avg"})
            if (const double cycles = profile_.value(l, metric); cycles > 0) return cycles;
        return std::nan("");
    }

    void choose_metrics() {
        c_.metrics_only_measured = profile_.unread;
        c_.metrics = match_metrics(profile_.metrics, c_.metrics_only_measured);
        std::set<std::string> names;
        for (const matched_metric& m : c_.metrics) names.insert(m.name);
        options_.common.check_patterns(names);
        c_.metrics.erase(std::remove_if(c_.metrics.begin(), c_.metrics.end(),
                                        [&](const matched_metric& m) {
                                            return !options_.common.selects(m.name);
                                        }),
                         c_.metrics.end());
    }

    compared_kernel compare(const kernel_pair& p) {
        compared_kernel k;
        k.name = p.name;
        k.grid = p.grid;
        k.block = p.block;
        weighted_mean clock, time;
        for (const std::size_t i : p.measured) {
            const measured_launch& l = profile_.launches[i];
            k.measured_launches += l.launches;
            clock.add(clock_of(l), l.launches);
        }
        k.simulated_launches = static_cast<double>(p.simulated.size());
        k.clock = options_.clock > 0 ? options_.clock : clock.value().value_or(c_.clock);
        std::vector<std::optional<double>> measured_times, simulated_times;
        for (const std::size_t i : p.measured)
            measured_times.push_back(time_of(profile_.launches[i], k.clock));
        k.measured = mean_of_measured(p, [&](std::size_t i) { return measured_times[i]; });
        std::vector<weighted_mean> simulated(c_.metrics.size());
        for (const std::size_t i : p.simulated) {
            const kernel_statistics s(run_, run_.kernels()[i], k.clock, options_.launch_latency);
            const auto lookup = [&](const std::string& name) { return s.value(name); };
            simulated_times.push_back(time_of(s, k.clock));
            time.add(simulated_times.back(), 1);
            for (std::size_t m = 0; k.paired() && m < simulated.size(); ++m)
                simulated[m].add(c_.metrics[m].simulated.value(lookup), 1);
        }
        k.simulated = time.value();
        add_launches(p, measured_times, simulated_times, k);
        if (k.paired()) add_values(p, simulated, k);
        return k;
    }
    std::optional<double> time_of(const measured_launch& l, double clock) const {
        const double duration = profile_.value(l, "gpu__time_duration.sum");
        const double time = std::isnan(duration) ? measured_cycles(l) / clock : duration;
        return std::isfinite(time) ? std::optional<double>(time) : std::nullopt;
    }
    static std::optional<double> time_of(const kernel_statistics& s, double clock) {
        const auto cycles = s.value("cycles");
        return cycles && clock > 0 ? std::optional<double>(*cycles / clock) : std::nullopt;
    }
    template <typename Of>
    std::optional<double> mean_of_measured(const kernel_pair& p, Of&& of) const {
        weighted_mean mean;
        for (std::size_t i = 0; i < p.measured.size(); ++i)
            mean.add(of(i), profile_.launches[p.measured[i]].launches);
        return mean.value();
    }
    void add_launches(const kernel_pair& p, const std::vector<std::optional<double>>& measured,
                      const std::vector<std::optional<double>>& simulated,
                      compared_kernel& k) const {
        if (k.measured_launches != k.simulated_launches || measured.size() != simulated.size())
            return;
        for (std::size_t i = 0; i < measured.size(); ++i)
            if (measured[i] && simulated[i] && profile_.launches[p.measured[i]].launches == 1)
                k.launches.emplace_back(*measured[i], *simulated[i]);
    }
    void add_values(const kernel_pair& p, const std::vector<weighted_mean>& simulated,
                    compared_kernel& k) const {
        for (std::size_t m = 0; m < c_.metrics.size(); ++m) {
            const matched_metric& metric = c_.metrics[m];
            compared_value v;
            v.metric = m;
            v.measured = mean_of_measured(p, [&](std::size_t i) {
                const measured_launch& l = profile_.launches[p.measured[i]];
                return metric.measured.value([&](const std::string& name) -> std::optional<double> {
                    const double value = profile_.value(l, name);
                    return std::isnan(value) ? std::nullopt : std::optional<double>(value);
                });
            });
            v.simulated = simulated[m].value();
            v.within =
                v.complete() &&
                options_.common.tolerances.of(metric.name).accepts(*v.measured, *v.simulated);
            if (v.measured || v.simulated) k.values.push_back(v);
        }
    }

    /// Adds up times and counts over all measured launches of the paired kernels.
    void add_up() {
        compared_kernel& t = c_.total;
        t.name = "total";
        std::map<std::size_t, compared_value> sums;
        for (const compared_kernel& k : c_.kernels) {
            if (!k.measured || !k.simulated) continue;
            t.measured_launches += k.measured_launches;
            t.simulated_launches += k.simulated_launches;
            t.measured = t.measured.value_or(0) + k.total_measured();
            t.simulated = t.simulated.value_or(0) + *k.simulated * k.measured_launches;
        }
        for (const compared_kernel& k : c_.kernels)
            for (const compared_value& v : k.values) {
                if (!c_.metrics[v.metric].adds || !v.complete()) continue;
                compared_value& sum = sums[v.metric];
                sum.metric = v.metric;
                sum.measured = sum.measured.value_or(0) + *v.measured * k.measured_launches;
                sum.simulated = sum.simulated.value_or(0) + *v.simulated * k.measured_launches;
            }
        for (auto& [metric, v] : sums) {
            v.within = options_.common.tolerances.of(c_.metrics[metric].name)
                           .accepts(*v.measured, *v.simulated);
            t.values.push_back(v);
        }
    }

    /// Metrics of the table that the profile lacks, and those for which the run has no value.
    void list_missing() {
        std::set<std::string> listed;
        for (const matched_metric& m : c_.metrics) listed.insert(m.name);
        for (const metric_section& s : metric_sections())
            for (const profile_metric& row : s.metrics) {
                std::string name = row.names;
                const bool sum = name.find('+') != std::string::npos;
                if (!sum) name = name.substr(0, name.find(' '));
                const bool found =
                    std::any_of(listed.begin(), listed.end(), [&](const std::string& l) {
                        return l == name || (!sum && same_counter(l, name, row.names));
                    });
                if (!found && options_.common.selects(name))
                    c_.metrics_only_simulated.push_back(name);
            }
        std::vector<bool> simulated(c_.metrics.size());
        for (const compared_kernel& k : c_.kernels)
            for (const compared_value& v : k.values)
                if (v.simulated) simulated[v.metric] = true;
        if (c_.kernels.empty()) return;
        for (std::size_t m = 0; m < simulated.size(); ++m)
            if (!simulated[m])
                c_.metrics_only_measured.emplace(c_.metrics[m].name, "the run has no value for it");
    }
    /// Whether a metric is one of a row's: any of its names, with any suffix.
    static bool same_counter(const std::string& metric, const std::string& name,
                             const std::string& names) {
        const auto stem = [](const std::string& m) {
            const std::string base = m.substr(0, m.find('.'));
            return base.rfind("smsp__", 0) == 0 ? base.substr(4) : base;
        };
        const bool is_counter = name.find('.') == std::string::npos;
        return (is_counter && stem(metric) == stem(name)) ||
               (" " + names + " ").find(" " + metric + " ") != std::string::npos;
    }

    const kernel_profile& profile_;
    const statistics_run& run_;
    const profile_comparison_options& options_;
    profile_comparison c_;
};

std::optional<double> relative_error(std::optional<double> measured,
                                     std::optional<double> simulated) {
    if (!measured || !simulated || *measured == 0) return std::nullopt;
    return (*simulated - *measured) / std::fabs(*measured);
}

}  // namespace

std::optional<double> compared_value::error() const {
    return relative_error(measured, simulated);
}

std::optional<double> compared_kernel::error() const {
    return relative_error(measured, simulated);
}

bool profile_comparison::differ() const {
    if (!only_measured.empty() || !only_simulated.empty()) return true;
    const auto beyond = [](const compared_kernel& k) {
        return std::any_of(k.values.begin(), k.values.end(),
                           [](const compared_value& v) { return v.complete() && !v.within; });
    };
    return std::any_of(kernels.begin(), kernels.end(), beyond);
}

error_summary profile_comparison::errors() const {
    error_summary s;
    for (const compared_kernel& k : kernels) {
        const auto e = k.error();
        if (!e) continue;
        ++s.kernels;
        s.mean += std::fabs(*e);
        if (std::fabs(*e) > std::fabs(s.worst)) s.worst = *e;
    }
    if (s.kernels != 0) s.mean /= static_cast<double>(s.kernels);
    s.omitted = kernels.size() - s.kernels + only_measured.size();
    return s;
}

profile_comparison compare_profile(const kernel_profile& profile, const statistics_run& run,
                                   const profile_comparison_options& options) {
    return profile_comparer(profile, run, options).compare();
}

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/profile_metrics.h"

#include "platform/study/statistics_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

namespace simtlm::platform::study {

namespace {

/// Roll-ups of a counter C of N units: "l1tex__t_sectors.avg.per_second".
struct roll_up {
    const char* suffix;
    const char* unit;       ///< after the unit of the counter
    const char* simulated;  ///< C, N, and A: cycles in which the units are active, summed
    bool adds;
};
constexpr roll_up roll_ups[] = {{"", "", "(C)", true},
                                {".sum", "", "(C)", true},
                                {".avg", " per unit", "(C) / N", true},
                                {".sum.per_second", "/s", "(C) / seconds", false},
                                {".avg.per_second", "/s per unit", "(C) / N / seconds", false},
                                {".sum.per_cycle_active", "/cycle", "(C) * N / A", false},
                                {".avg.per_cycle_active", "/cycle", "(C) / A", false},
                                {".sum.per_cycle_elapsed", "/cycle", "(C) / K", false},
                                {".avg.per_cycle_elapsed", "/cycle", "(C) / N / K", false}};

/// Hardware units by the prefix of a metric: their number, and their active and elapsed cycles
/// where these are core cycles.
struct metric_unit {
    std::string_view prefix;
    const char* number;
    const char* active;
    const char* elapsed;
};
constexpr metric_unit metric_units[] = {
    {"sm__", "gpu.sms", "sm.cycles", "cycles"},
    {"l1tex__", "gpu.sms", "sm.cycles", "cycles"},
    {"smsp__", "(gpu.sms * gpu.schedulers_per_sm)", "schedulers", "cycles"},
    {"lts__", "gpu.l2_slices", nullptr, nullptr},
    {"dram__", "gpu.memory_channels", nullptr, nullptr}};

/// The expression of a roll-up; empty if simtlm cannot tell.
std::string rolled_up(const roll_up& r, const char* counter, const std::string& metric) {
    const auto* const u =
        std::find_if(std::begin(metric_units), std::end(metric_units),
                     [&](const metric_unit& m) { return metric.rfind(m.prefix, 0) == 0; });
    std::string text;
    for (const char* c = r.simulated; *c != '\0'; ++c) {
        const bool of_unit = *c == 'N' || *c == 'A' || *c == 'K';
        if (of_unit && u == std::end(metric_units)) return {};
        const char* const part = *c == 'C'   ? counter
                                 : *c == 'N' ? u->number
                                 : *c == 'A' ? u->active
                                 : *c == 'K' ? u->elapsed
                                             : "";
        if (part == nullptr) return {};
        if (*part != '\0')
            text += part;
        else
            text += *c;
    }
    return text;
}

std::vector<std::string> words_of(const char* names) {
    std::istringstream in(names);
    return {std::istream_iterator<std::string>(in), {}};
}

/// The same count is a metric of the SM and of its sub-partitions: sm__x and smsp__x.
std::string other_level(const std::string& metric) {
    if (metric.rfind("smsp__", 0) == 0) return "sm__" + metric.substr(6);
    if (metric.rfind("sm__", 0) == 0) return "smsp__" + metric.substr(4);
    return metric;
}

/// Matches the metrics of a profile with the rows of the table.
class matcher {
public:
    explicit matcher(const std::vector<std::string>& metrics) {
        for (const std::string& m : metrics)
            present_[m.substr(0, m.find('.'))].insert(m), all_.insert(m);
    }

    std::vector<matched_metric> match() {
        for (const metric_section& s : metric_sections()) {
            section_ = s.title;
            for (const profile_metric& row : s.metrics) {
                if (std::string_view(row.names).find('+') != std::string_view::npos)
                    add_sum(row);
                else if (row.what == profile_metric::kind::counter)
                    for (const std::string& n : words_of(row.names)) add_roll_ups(row, n);
                else
                    for (const std::string& n : words_of(row.names)) add_value(row, n);
            }
        }
        return std::move(matched_);
    }
    bool has_matched(const std::string& metric) const { return taken_.count(metric) != 0; }

private:
    void add(const profile_metric& row, const std::string& name, const std::string& unit, bool adds,
             const std::string& measured, const std::string& simulated) {
        matched_.push_back({section_, name, unit, adds, row.note[0] == '~',
                            metric_expression(measured), metric_expression(simulated)});
        taken_.insert(name);
    }
    void add_sum(const profile_metric& row) {
        const metric_expression measured(row.names);
        const auto names = measured.names();
        if (!std::all_of(names.begin(), names.end(),
                         [&](const std::string& n) { return all_.count(n) != 0; }))
            return;
        add(row, row.names, row.unit, false, row.names, row.simulated);
        taken_.insert(names.begin(), names.end());
    }
    void add_value(const profile_metric& row, const std::string& name) {
        const bool adds = row.what == profile_metric::kind::total;
        if (all_.count(name) != 0) add(row, name, row.unit, adds, name, row.simulated);
        // A ratio may be given in percent, and the other way round.
        const auto ends = [&](std::string_view with) {
            return name.size() > with.size() &&
                   name.compare(name.size() - with.size(), with.size(), with) == 0;
        };
        const std::string stem = name.substr(0, name.rfind('.'));
        if (ends(".ratio") && all_.count(stem + ".pct") != 0)
            add(row, stem + ".pct", "%", false, stem + ".pct",
                fmt::format("100 * ({})", row.simulated));
        if (ends(".pct") && all_.count(stem + ".ratio") != 0)
            add(row, stem + ".ratio", "", false, stem + ".ratio",
                fmt::format("({}) / 100", row.simulated));
    }
    void add_roll_ups(const profile_metric& row, const std::string& counter) {
        // Cycles are those of a unit; counts of an SM are the sum of those of its sub-partitions.
        const bool cycles = row.unit == std::string_view("cycles");
        for (const std::string& base :
             std::set<std::string>{counter, cycles ? counter : other_level(counter)}) {
            const auto at = present_.find(base);
            if (at == present_.end()) continue;
            for (const roll_up& r : roll_ups) {
                const std::string name = base + r.suffix;
                if (at->second.count(name) == 0 || has_matched(name)) continue;
                const std::string simulated = rolled_up(r, row.simulated, name);
                if (!simulated.empty())
                    add(row, name, std::string(row.unit) + r.unit, r.adds, name, simulated);
            }
        }
    }

    std::map<std::string, std::set<std::string>> present_;  ///< by name without suffix
    std::set<std::string> all_, taken_;
    std::string section_;
    std::vector<matched_metric> matched_;
};

}  // namespace

std::string canonical_metric(const std::string& name, const std::string& unit) {
    const std::string base = name.substr(0, name.find('.'));
    for (const metric_alias& a : metric_aliases()) {
        if (*a.unit != '\0' && a.unit != unit) continue;
        if (a.name == name) return a.metric;
        // A counter that other versions name differently, with any roll-up.
        if (a.name == base && std::string_view(a.metric).find('.') == std::string_view::npos)
            return a.metric + name.substr(base.size());
    }
    return name;
}

std::vector<matched_metric> match_metrics(const std::vector<std::string>& metrics,
                                          std::map<std::string, std::string>& unmatched) {
    matcher all(metrics);
    std::vector<matched_metric> matched = all.match();
    for (const std::string& m : metrics) {
        if (all.has_matched(m)) continue;
        const auto gaps = metric_gaps();
        const auto* const gap = std::find_if(gaps.begin(), gaps.end(), [&](const metric_gap& g) {
            return glob_matches(g.pattern, m);
        });
        unmatched.emplace(m, gap != gaps.end() ? gap->reason : "");
    }
    return matched;
}

}  // namespace simtlm::platform::study

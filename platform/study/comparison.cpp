// SPDX-License-Identifier: Apache-2.0
#include "platform/study/comparison.h"

#include "modules/support/error.h"
#include "modules/support/nearest_name.h"
#include "modules/support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace simtlm::platform::study {

namespace {

/// Splits "GLOB=VALUE"; without a glob, the value applies to everything. Names do not contain '='.
std::pair<std::string, std::string> pattern_and_value(const std::string& text) {
    const std::size_t at = text.rfind('=');
    if (at == std::string::npos) return {"*", text};
    return {text.substr(0, at), text.substr(at + 1)};
}

double number_of(const char* option, const std::string& text, bool percent) {
    std::string digits = text;
    double scale = 1;
    if (percent && !digits.empty() && digits.back() == '%') {
        digits.pop_back();
        scale = 0.01;
    }
    char* end = nullptr;
    const double value = support::read_double(digits.c_str(), &end);
    if (digits.empty() || *end != '\0' || !(value >= 0) || !std::isfinite(value))
        throw support::user_error(option, fmt::format("'{}' is not a tolerance", text),
                                  percent ? "write 2%, 0.02, or GLOB=2%" : "write 10 or GLOB=10");
    return value * scale;
}

using named_values = std::map<std::string, double>;

/// Unit of a counter; for a cell, the unit of its counter.
std::string unit_of(const std::string& name, const std::map<std::string, std::string>& units) {
    const auto at = units.find(name);
    if (at != units.end()) return at->second;
    const std::size_t first = name.find('.');
    const std::size_t second = first == std::string::npos ? first : name.find('.', first + 1);
    if (second == std::string::npos) return {};
    const auto counter = units.find(name.substr(0, second));
    return counter != units.end() ? counter->second : std::string();
}

/// Order of the values shown first in the table.
int rank_of(const std::string& name) {
    static const std::vector<std::string> first = {"gpu_sim_cycle", "gpu_tot_sim_cycle",
                                                   "gpu_ipc",       "gpu_tot_ipc",
                                                   "gpu_sim_insn",  "gpu_tot_sim_insn"};
    const auto at = std::find(first.begin(), first.end(), name);
    return static_cast<int>(at - first.begin());
}

/// Sort key: large relative changes of large numbers first, cells of an array after whole counters.
double weight_of(const statistic_difference& d) {
    const double size = std::log2(1 + std::max(std::fabs(d.a), std::fabs(d.b)));
    const bool is_cell = std::count(d.name.begin(), d.name.end(), '.') > 1;
    return d.relative() * size * (is_cell ? 0.1 : 1);
}

/// @param absent_is_zero  for counters: a missing one is zero
void compare_values(const named_values& a, const named_values& b,
                    const std::map<std::string, std::string>& units,
                    const comparison_options& options, bool absent_is_zero,
                    kernel_difference& into) {
    std::set<std::string> names;
    for (const auto& [name, value] : a) names.insert(name);
    for (const auto& [name, value] : b) names.insert(name);
    for (const std::string& name : names) {
        if (!options.selects(name)) continue;
        const auto in_a = a.find(name), in_b = b.find(name);
        if (!absent_is_zero && (in_a == a.end() || in_b == b.end())) {
            ++into.one_sided;
            continue;
        }
        ++into.compared;
        const double va = in_a != a.end() ? in_a->second : 0;
        const double vb = in_b != b.end() ? in_b->second : 0;
        if (va == vb) continue;
        into.differences.push_back(
            {name, unit_of(name, units), va, vb, options.tolerances.of(name).accepts(va, vb)});
    }
    std::stable_sort(into.differences.begin(), into.differences.end(),
                     [](const statistic_difference& x, const statistic_difference& y) {
                         if (x.within != y.within) return y.within;
                         const int rx = rank_of(x.name), ry = rank_of(y.name);
                         if (rx != ry) return rx < ry;
                         return weight_of(x) > weight_of(y);
                     });
}

/// Keys of a run's kernels for matching with the kernels of another run.
std::vector<std::string> matching_keys(const statistics_run& run, bool by_name) {
    std::map<std::string, unsigned> occurrences;
    std::vector<std::string> keys;
    for (const json& k : run.kernels()) {
        const kernel_key key = kernel_key::of(k);
        const std::uint64_t number = key.list_number != 0 ? key.list_number : key.launch_uid;
        keys.push_back(by_name ? fmt::format("{}#{}", key.name, ++occurrences[key.name])
                               : fmt::format("{} {}", number, key.name));
    }
    return keys;
}

/// Cumulative values of the run, without those of its last kernel alone (gpu_sim_cycle is dropped,
/// gpu_tot_sim_cycle is kept).
named_values values_of_run(named_values all) {
    const std::string of_all = "gpu_tot_", of_last = "gpu_";
    for (auto at = all.begin(); at != all.end();) {
        const bool last = at->first.rfind(of_last, 0) == 0 &&
                          all.count(of_all + at->first.substr(of_last.size())) != 0;
        at = last ? all.erase(at) : std::next(at);
    }
    return all;
}

double cycles_of(const json& kernel) {
    return kernel.value("gpu_sim_cycle", 0.0);
}

}  // namespace

bool tolerance::accepts(double a, double b) const {
    const double apart = std::fabs(a - b);
    return apart <= absolute || apart <= relative * std::max(std::fabs(a), std::fabs(b));
}

void tolerance_table::add_relative(const std::string& text) {
    const auto [pattern, value] = pattern_and_value(text);
    rules_.push_back({pattern, number_of("--threshold", value, true), std::nullopt});
}

void tolerance_table::add_absolute(const std::string& text) {
    const auto [pattern, value] = pattern_and_value(text);
    rules_.push_back({pattern, std::nullopt, number_of("--absolute", value, false)});
}

tolerance tolerance_table::of(const std::string& statistic) const {
    tolerance t;
    for (const rule& r : rules_) {
        if (!glob_matches(r.pattern, statistic)) continue;
        if (r.relative) t.relative = *r.relative;
        if (r.absolute) t.absolute = *r.absolute;
    }
    return t;
}

std::vector<std::string> tolerance_table::patterns() const {
    std::vector<std::string> all;
    for (const rule& r : rules_) all.push_back(r.pattern);
    return all;
}

bool comparison_options::selects(const std::string& name) const {
    const auto fits = [&](const std::string& glob) { return glob_matches(glob, name); };
    if (!only.empty() && std::none_of(only.begin(), only.end(), fits)) return false;
    return std::none_of(ignore.begin(), ignore.end(), fits);
}

void comparison_options::check_patterns(const std::set<std::string>& names) const {
    std::vector<std::string> patterns = tolerances.patterns();
    patterns.insert(patterns.end(), only.begin(), only.end());
    patterns.insert(patterns.end(), ignore.begin(), ignore.end());
    for (const std::string& p : patterns) {
        if (std::any_of(names.begin(), names.end(),
                        [&](const std::string& n) { return glob_matches(p, n); }))
            continue;
        const std::vector<std::string> all(names.begin(), names.end());
        throw support::user_error(
            "command line", fmt::format("no statistic matches '{}'", p),
            names.empty() ? "" : fmt::format("did you mean {}?", support::nearest_name(p, all)));
    }
}

double statistic_difference::relative() const {
    const double greater = std::max(std::fabs(a), std::fabs(b));
    return greater == 0 ? 0 : std::fabs(a - b) / greater;
}

bool kernel_difference::beyond() const {
    if (a.has_value() != b.has_value()) return true;
    return std::any_of(differences.begin(), differences.end(),
                       [](const statistic_difference& d) { return !d.within; });
}

bool comparison::differ() const {
    return ended_a != ended_b || total.beyond() ||
           std::any_of(kernels.begin(), kernels.end(),
                       [](const kernel_difference& k) { return k.beyond(); });
}

comparison compare(const statistics_run& a, const statistics_run& b,
                   const comparison_options& options) {
    comparison c;
    c.ended_a = a.ended();
    c.ended_b = b.ended();
    const auto options_a = model_options(a), options_b = model_options(b);
    std::set<std::string> option_names;
    for (const auto& [name, value] : options_a) option_names.insert(name);
    for (const auto& [name, value] : options_b) option_names.insert(name);
    for (const std::string& name : option_names) {
        const auto in_a = options_a.find(name), in_b = options_b.find(name);
        const std::string va = in_a != options_a.end() ? in_a->second : "not there";
        const std::string vb = in_b != options_b.end() ? in_b->second : "not there";
        if (va != vb) c.options.push_back({name, va, vb});
    }

    auto units = units_of(a);
    units.merge(units_of(b));
    std::set<std::string> names;
    const auto note = [&](const named_values& values) {
        for (const auto& [name, value] : values) names.insert(name);
    };

    const auto keys_a = matching_keys(a, options.match_names);
    const auto keys_b = matching_keys(b, options.match_names);
    std::map<std::string, std::size_t> place_in_b;
    for (std::size_t i = 0; i < keys_b.size(); ++i) place_in_b.emplace(keys_b[i], i);
    std::vector<bool> taken(keys_b.size());
    for (std::size_t i = 0; i < keys_a.size(); ++i) {
        kernel_difference k;
        k.a = kernel_key::of(a.kernels()[i]);
        k.cycles_a = cycles_of(a.kernels()[i]);
        const named_values values_a = statistics_of_kernel(a.kernels()[i]);
        note(values_a);
        const auto at = place_in_b.find(keys_a[i]);
        if (at != place_in_b.end() && !taken[at->second]) {
            taken[at->second] = true;
            const json& other = b.kernels()[at->second];
            k.b = kernel_key::of(other);
            k.cycles_b = cycles_of(other);
            const named_values values_b = statistics_of_kernel(other);
            note(values_b);
            compare_values(values_a, values_b, units, options, true, k);
        }
        c.kernels.push_back(std::move(k));
    }
    for (std::size_t i = 0; i < keys_b.size(); ++i) {
        if (taken[i]) continue;
        kernel_difference k;
        k.b = kernel_key::of(b.kernels()[i]);
        k.cycles_b = cycles_of(b.kernels()[i]);
        note(statistics_of_kernel(b.kernels()[i]));
        c.kernels.push_back(std::move(k));
    }
    const named_values total_a = statistics_of_total(a), total_b = statistics_of_total(b);
    note(total_a);
    note(total_b);
    options.check_patterns(names);
    compare_values(values_of_run(total_a), values_of_run(total_b), units, options, false, c.total);
    c.total.cycles_a = a.cycles();
    c.total.cycles_b = b.cycles();
    return c;
}

}  // namespace simtlm::platform::study

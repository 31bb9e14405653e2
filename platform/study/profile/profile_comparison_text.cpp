// SPDX-License-Identifier: Apache-2.0
#include "modules/support/display_text.h"
#include "platform/study/profile/profile_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace simtlm::platform::study {

namespace {

constexpr std::size_t name_width = 46;
constexpr double mega = 1e6;

/// A value in a unit that is easy to read.
std::pair<double, std::string> readable_unit(double value, const std::string& unit) {
    if (unit == "s") return {value * mega, "us"};
    if (unit == "Hz") return {value / mega, "MHz"};
    if (unit == "bytes/s") return {value / 1e9, "GB/s"};
    return {value, unit};
}

std::string text_of(std::optional<double> value, const std::string& unit) {
    return value ? readable_number(readable_unit(*value, unit).first) : "-";
}

std::string error_of(std::optional<double> measured, std::optional<double> simulated) {
    return measured && simulated ? readable_change(*measured, *simulated) : "-";
}

std::string plural(double n, const std::string& one) {
    return fmt::format("{} {}{}", readable_number(n), one,
                       n == 1            ? ""
                       : one == "launch" ? "es"
                                         : "s");
}

std::string size_of(const compared_kernel& k) {
    return k.grid.empty() ? std::string() : fmt::format(" <{}, {}>", k.grid, k.block);
}

/// Whether several kernels have a name, so that it needs the size to be told apart.
std::string title_of(const compared_kernel& k, const std::vector<compared_kernel>& among) {
    const auto same = std::count_if(among.begin(), among.end(),
                                    [&](const compared_kernel& o) { return o.name == k.name; });
    return support::printable(k.name) + (same > 1 ? size_of(k) : "");
}

std::string head_of(const statistics_run& run, const profile_comparison& c) {
    std::string text = fmt::format(
        "measured   {}: {}, {}, {}\nsimulated  {}: {}, {}, {} core cycles, {}\n\n", c.profile_file,
        c.profile_kind, plural(static_cast<double>(c.profile_launches), "row"),
        plural(static_cast<double>(c.profile_metrics), "metric"), run.file(), run.presets(),
        plural(static_cast<double>(run.kernels().size()), "kernel"), readable_number(run.cycles()),
        run.ended());
    text += fmt::format("Simulated times are cycles at the SM clock {}, {:.0f} MHz", c.clock_origin,
                        c.clock / mega);
    if (std::fabs(c.clock - c.run_clock) > 0.005 * c.clock)
        text += fmt::format(" (that of the run is {:.0f} MHz)", c.run_clock / mega);
    text += c.launch_latency > 0 ? fmt::format(", with {} cycles of launch latency.\n",
                                               readable_number(std::round(c.launch_latency)))
                                 : ", without launch latency.\n";
    if (c.clock_origin == "of the run") text += "The profile has no clock; --clock MHZ gives it.\n";
    if (c.other_rows != 0)
        text += fmt::format("Not compared: {} of memory operations.\n",
                            plural(static_cast<double>(c.other_rows), "row"));
    return text;
}

std::string launches_of(const compared_kernel& k) {
    return k.measured_launches == k.simulated_launches
               ? readable_number(k.measured_launches)
               : fmt::format("{} / {}", readable_number(k.measured_launches),
                             readable_number(k.simulated_launches));
}

std::string kernel_row(const std::string& title, const compared_kernel& k) {
    return fmt::format("{:<{}} {:>11} {:>14} {:>14} {:>10}\n", shortened(title, name_width),
                       name_width, launches_of(k), text_of(k.measured, "s"),
                       text_of(k.simulated, "s"), error_of(k.measured, k.simulated));
}

/// The metrics of a kernel with the largest errors, in the order of the table.
std::string details_of(const std::string& title, const compared_kernel& k,
                       const std::vector<matched_metric>& metrics, std::size_t most) {
    const auto weight = [](const compared_value& v) {
        if (!v.complete() || v.within) return 0.0;
        return std::fabs(v.error().value_or(1));
    };
    std::vector<const compared_value*> shown;
    for (const compared_value& v : k.values)
        if (v.complete() && (most == 0 || !v.within)) shown.push_back(&v);
    if (shown.empty()) return {};
    const std::size_t all = shown.size();
    if (most != 0 && all > most) {
        std::stable_sort(shown.begin(), shown.end(),
                         [&](const auto* a, const auto* b) { return weight(*a) > weight(*b); });
        shown.resize(most);
        std::sort(shown.begin(), shown.end());
    }
    std::string text = fmt::format("\n{}\n", title);
    for (const compared_value* v : shown) {
        const matched_metric& m = metrics[v->metric];
        const std::string unit = readable_unit(0, m.unit).second;
        text += fmt::format("  {:<{}} {:>14} {:>14} {:>10}{} {}\n", shortened(m.name, 68), 68,
                            text_of(v->measured, m.unit), text_of(v->simulated, m.unit),
                            error_of(v->measured, v->simulated), m.approximate ? "~" : " ", unit);
    }
    if (shown.size() < all) text += fmt::format("  ... and {} more\n", all - shown.size());
    return text;
}

std::string metrics_text(const profile_comparison& c, std::size_t most) {
    std::string text;
    for (const compared_kernel& k : c.kernels)
        text += details_of(title_of(k, c.kernels), k, c.metrics, most);
    if (c.kernels.size() > 1) text += details_of("total of all launches", c.total, c.metrics, most);
    if (text.empty()) return text;
    return fmt::format("\n{:<70} {:>14} {:>14} {:>10}\n", "mean of a launch", "measured",
                       "simulated", "error") +
           text;
}

std::string one_sided(const std::string& title, const std::vector<compared_kernel>& kernels) {
    if (kernels.empty()) return {};
    std::string text = fmt::format("\n{}:\n", title);
    for (const compared_kernel& k : kernels) {
        const double launches = k.measured_launches + k.simulated_launches;
        const auto time = k.measured ? k.measured : k.simulated;
        text += fmt::format("  {}{}: {}", shortened(support::printable(k.name), 68), size_of(k),
                            plural(launches, "launch"));
        if (time) text += fmt::format(", {} us", text_of(*time * launches, "s"));
        text += "\n";
    }
    return text;
}

/// @param names  with the reason or ""
template <typename Names>
std::string names_text(const std::string& title, const Names& names, std::size_t most) {
    if (names.empty()) return {};
    std::string text = fmt::format("\n{} ({}):\n", title, names.size());
    std::size_t shown = 0;
    for (const auto& [name, reason] : names) {
        if (most != 0 && shown++ == most) {
            text += fmt::format("  ... and {} more (--all lists them)\n", names.size() - most);
            break;
        }
        text += "  " + support::printable(name) + (reason.empty() ? "" : ": " + reason) + "\n";
    }
    return text;
}

json json_of(std::optional<double> v) {
    return v ? json(*v) : json(nullptr);
}

json json_of(const compared_kernel& k, const std::vector<matched_metric>& metrics) {
    json j = {{"name", k.name},
              {"grid", k.grid},
              {"block", k.block},
              {"measured_launches", k.measured_launches},
              {"simulated_launches", k.simulated_launches},
              {"measured_seconds", json_of(k.measured)},
              {"simulated_seconds", json_of(k.simulated)},
              {"error", json_of(k.error())}};
    j["launches"] = json::array();
    for (const auto& [measured, simulated] : k.launches)
        j["launches"].push_back({measured, simulated});
    j["metrics"] = json::array();
    for (const compared_value& v : k.values)
        j["metrics"].push_back({{"metric", metrics[v.metric].name},
                                {"measured", json_of(v.measured)},
                                {"simulated", json_of(v.simulated)},
                                {"error", json_of(v.error())},
                                {"within", v.within}});
    return j;
}

json json_of(const std::vector<compared_kernel>& kernels,
             const std::vector<matched_metric>& metrics) {
    json list = json::array();
    for (const compared_kernel& k : kernels) list.push_back(json_of(k, metrics));
    return list;
}

}  // namespace

std::string profile_comparison_text(const statistics_run& run, const profile_comparison& c,
                                    std::size_t most) {
    std::string text = head_of(run, c);
    text += fmt::format("\n{:<{}} {:>11} {:>14} {:>14} {:>10}\n", "kernel", name_width, "launches",
                        "measured us", "simulated us", "error");
    for (const compared_kernel& k : c.kernels) text += kernel_row(title_of(k, c.kernels), k);
    text += kernel_row("total", c.total);
    const error_summary e = c.errors();
    if (e.kernels != 0)
        text += fmt::format("mean absolute error {:.1f} %, worst {:+.1f} %, {}, {} left out\n",
                            100 * e.mean, 100 * e.worst,
                            plural(static_cast<double>(e.kernels), "kernel"), e.omitted);
    text += one_sided("Only in the profile", c.only_measured);
    text += one_sided("Only in the run", c.only_simulated);
    const bool has_counters = c.metrics.size() > 2;  // besides the time and the registers
    if (has_counters || most == 0) text += metrics_text(c, most);
    text += names_text("Metrics only in the profile", c.metrics_only_measured, most);
    std::vector<std::pair<std::string, std::string>> not_measured;
    for (const std::string& name : c.metrics_only_simulated) not_measured.emplace_back(name, "");
    if (!has_counters && most != 0)
        return text + fmt::format("\nMetrics that the profile lacks ({}; --all lists them)\n",
                                  not_measured.size());
    return text + names_text("Metrics that the profile lacks", not_measured, most);
}

json profile_comparison_json(const statistics_run& run, const profile_comparison& c) {
    json j;
    j["schema"] = {{"name", "simtlm-profile-comparison"}, {"version", 1}};
    j["measured"] = {{"file", c.profile_file},
                     {"kind", c.profile_kind},
                     {"launches", c.profile_launches},
                     {"other_rows", c.other_rows}};
    j["simulated"] = {{"file", run.file()},
                      {"presets", run.document()["provenance"].value("presets", json::array())},
                      {"kernels", run.kernels().size()},
                      {"cycles", run.cycles()},
                      {"ended", run.ended()}};
    j["clock_hz"] = c.clock;
    j["clock_origin"] = c.clock_origin;
    j["run_clock_hz"] = c.run_clock;
    j["launch_latency"] = c.launch_latency;
    const error_summary e = c.errors();
    j["errors"] = {
        {"mean", e.mean}, {"worst", e.worst}, {"kernels", e.kernels}, {"omitted", e.omitted}};
    j["differ"] = c.differ();
    j["metrics"] = json::array();
    for (const matched_metric& m : c.metrics)
        j["metrics"].push_back({{"section", m.section},
                                {"name", m.name},
                                {"unit", m.unit},
                                {"adds", m.adds},
                                {"approximate", m.approximate}});
    j["kernels"] = json_of(c.kernels, c.metrics);
    j["total"] = json_of(c.total, c.metrics);
    j["only_measured"] = {{"kernels", json_of(c.only_measured, c.metrics)},
                          {"metrics", c.metrics_only_measured}};
    j["only_simulated"] = {{"kernels", json_of(c.only_simulated, c.metrics)},
                           {"metrics", c.metrics_only_simulated}};
    return j;
}

}  // namespace simtlm::platform::study

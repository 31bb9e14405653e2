// SPDX-License-Identifier: Apache-2.0
#include "platform/study/sweep_results.h"

#include "modules/support/error.h"
#include "modules/support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace simtlm::platform::study {

namespace {

namespace fs = std::filesystem;

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

std::string value_text(const std::string& value) {
    return value == "\1" ? "1" : value;
}

/// Which columns are shown: presets and configurations only if there are several.
struct row_layout {
    bool presets = false, configurations = false;

    explicit row_layout(const sweep_plan& plan) {
        for (const sweep_run& r : plan.runs) {
            presets = presets || !r.preset.empty();
            configurations = configurations || !r.configuration.empty();
        }
    }
};

std::vector<std::string> heads(const sweep_plan& plan) {
    const row_layout layout(plan);
    std::vector<std::string> names = {"workload"};
    if (layout.presets) names.emplace_back("preset");
    if (layout.configurations) names.emplace_back("configuration");
    names.insert(names.end(), plan.axes.begin(), plan.axes.end());
    names.insert(names.end(), plan.statistics.begin(), plan.statistics.end());
    names.insert(names.end(), {"wall_s", "peak_kB", "failure"});
    return names;
}

std::vector<std::string> cells(const sweep_plan& plan, const sweep_result& r, bool readable) {
    const row_layout layout(plan);
    std::vector<std::string> row = {r.run->workload};
    if (layout.presets) row.push_back(r.run->preset);
    if (layout.configurations) row.push_back(r.run->configuration);
    for (const auto& [name, value] : r.run->axes) row.push_back(value_text(value));
    for (const std::string& s : plan.statistics) {
        const auto at = r.values.find(s);
        row.push_back(at == r.values.end() ? ""
                      : readable           ? readable_number(at->second)
                                           : fmt::format("{}", at->second));
    }
    row.push_back(r.outcome ? fmt::format("{:.2f}", r.outcome->wall) : "");
    row.push_back(r.outcome ? fmt::format("{}", r.outcome->peak_kb) : "");
    row.push_back(!r.outcome ? "not run" : r.outcome->message);
    return row;
}

// ---- drawing --------------------------------------------------------------------------------

constexpr const char* colours[] = {"#0b68cb", "#d9793a", "#2a9d6a", "#8e4ec6",
                                   "#c2298a", "#8a6d00", "#4b7f9f", "#a34d4d"};
const char* colour_of(std::size_t i) {
    return colours[i % std::size(colours)];
}

class drawing {
public:
    drawing(double width, double height, const std::string& what)
        : text_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} "
                            "{1:.0f}\" width=\"{0:.0f}\" role=\"img\" aria-label=\"{2}\" "
                            "font-family=\"system-ui, sans-serif\" font-size=\"11\" "
                            "fill=\"#70747c\">\n",
                            width, height, escaped(what))) {}
    void line(double x1, double y1, double x2, double y2, const char* colour, double width = 1,
              const char* more = "") {
        text_ += fmt::format(
            "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
            "stroke-width=\"{}\"{}/>\n",
            x1, y1, x2, y2, colour, width, more);
    }
    void rect(double x, double y, double w, double h, const char* colour,
              const std::string& title) {
        text_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"1.5\" "
            "fill=\"{}\"><title>{}</title></rect>\n",
            x, y, w, std::max(h, 0.5), colour, escaped(title));
    }
    void dot(double x, double y, const char* colour, const std::string& title) {
        text_ += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}</title></circle>\n",
            x, y, colour, escaped(title));
    }
    void text(double x, double y, const std::string& t, const char* anchor = "start",
              const std::string& more = {}) {
        text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x,
                             y, anchor, more, escaped(t));
    }
    std::string finish() { return text_ + "</svg>\n"; }

private:
    std::string text_;
};

/// Approximate upper bound of the width of a text.
double width_of(const std::string& text) {
    constexpr double character = 6.2;
    return character * static_cast<double>(text.size());
}

std::string abridged(const std::string& text, std::size_t most) {
    return text.size() > most ? text.substr(0, most - 3) + "..." : text;
}

void legend(drawing& d, double x, double y, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double at = y + 16 * static_cast<double>(i);
        d.rect(x, at - 8, 9, 9, colour_of(i), names[i]);
        d.text(x + 15, at, abridged(names[i], 90));
    }
}

/// Tick positions of a linear scale from 0 to at least `most`.
std::vector<double> ticks(double most) {
    const double rough = most / 5, power = std::pow(10, std::floor(std::log10(rough)));
    double step = power;
    for (const double m : {1.0, 2.0, 5.0, 10.0})
        if (m * power >= rough) {
            step = m * power;
            break;
        }
    std::vector<double> all;
    for (double v = 0; v < most + step; v += step) all.push_back(v);
    return all;
}

std::vector<std::string> unique(const sweep_plan& plan, std::string sweep_run::*field) {
    std::vector<std::string> names;
    for (const sweep_run& r : plan.runs)
        if (std::find(names.begin(), names.end(), r.*field) == names.end())
            names.push_back(r.*field);
    return names;
}

const sweep_result* find(const std::vector<sweep_result>& results, const std::string& workload,
                         const std::string& series) {
    for (const sweep_result& r : results)
        if (r.run->workload == workload && r.run->series == series) return &r;
    return nullptr;
}

double geometric_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += std::log(v);
    return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

std::optional<sweep_plot> speed_ups(const sweep_plan& plan,
                                    const std::vector<sweep_result>& results) {
    std::vector<std::string> series = unique(plan, &sweep_run::series);
    if (series.size() < 2 || series.size() > 24) return std::nullopt;
    const std::vector<std::string> workloads = unique(plan, &sweep_run::workload);
    std::vector<std::string> groups = workloads;
    if (groups.size() > 1) groups.emplace_back("geometric mean");
    std::vector<std::vector<double>> bars(series.size());
    double most = 1;
    for (std::size_t s = 0; s < series.size(); ++s) {
        std::vector<double> good;
        for (const std::string& w : workloads) {
            const sweep_result* base = find(results, w, plan.baseline);
            const sweep_result* r = find(results, w, series[s]);
            const bool both =
                base != nullptr && r != nullptr && base->cycles() > 0 && r->cycles() > 0;
            bars[s].push_back(both ? base->cycles() / r->cycles() : 0);
            if (both) good.push_back(bars[s].back());
            most = std::max(most, bars[s].back());
        }
        if (groups.size() > workloads.size()) bars[s].push_back(geometric_mean(good));
    }
    const auto n = static_cast<double>(series.size());
    double label = 0;
    for (const std::string& g : groups) label = std::max(label, width_of(abridged(g, 24)));
    const double bar = std::max(4.0, std::min(18.0, 260 / n));
    const double group = std::max(bar * n, label) + 22;
    const double left = 46, top = 14, height = 200;
    const double width = std::max(560.0, left + group * static_cast<double>(groups.size()) + 10);
    const auto scale = ticks(most);
    const auto y = [&](double v) { return top + height * (1 - v / scale.back()); };
    drawing d(width, top + height + 44 + 16 * n, "Speed-up over " + plan.baseline + " by workload");
    for (const double t : scale) {
        d.line(left, y(t), width - 6, y(t), "#e0e0dc");
        d.text(left - 7, y(t) + 4, fmt::format("{:g}", t), "end");
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const double x = left + group * static_cast<double>(g) + (group - bar * n) / 2;
        for (std::size_t s = 0; s < series.size(); ++s)
            if (bars[s][g] > 0)
                d.rect(x + bar * static_cast<double>(s), y(bars[s][g]), bar - 1.5,
                       y(0) - y(bars[s][g]), colour_of(s),
                       fmt::format("{}, {}: {:.3f}", groups[g], series[s], bars[s][g]));
        d.text(x + bar * n / 2, top + height + 16, abridged(groups[g], 24), "middle");
    }
    d.line(left, y(1), width - 6, y(1), "#70747c", 1, " stroke-dasharray=\"3 3\"");
    legend(d, left, top + height + 44, series);
    return sweep_plot{"speedup", "Speed-up over " + plan.baseline, d.finish()};
}

bool number(const std::string& text, double& value) {
    char* end = nullptr;
    value = support::read_double(text.c_str(), &end);
    return !text.empty() && *end == '\0';
}

/// Plot of cycles over a numeric axis, relative to its first value: one line per workload and
/// setting of the other axes.
std::optional<sweep_plot> scaling(const sweep_plan& plan, const std::vector<sweep_result>& results,
                                  std::size_t axis) {
    std::map<std::string, std::vector<std::pair<double, double>>> lines;
    std::vector<std::string> names;
    for (const sweep_result& r : results) {
        double x = 0;
        if (!number(r.run->axes[axis].second, x) || x <= 0) return std::nullopt;
        if (r.cycles() <= 0) continue;
        std::string name = r.run->workload;
        for (const std::string& part : {r.run->preset, r.run->configuration})
            if (!part.empty()) name += " " + part;
        for (std::size_t a = 0; a < r.run->axes.size(); ++a)
            if (a != axis)
                name += " " + r.run->axes[a].first + " " + value_text(r.run->axes[a].second);
        if (lines.count(name) == 0) names.push_back(name);
        lines[name].emplace_back(x, r.cycles());
    }
    double x0 = 1e300, x1 = 0, most = 1;
    for (auto& [name, points] : lines) {
        std::sort(points.begin(), points.end());
        x0 = std::min(x0, points.front().first);
        x1 = std::max(x1, points.back().first);
        for (const auto& p : points) most = std::max(most, points.front().second / p.second);
    }
    if (x1 <= x0 || names.size() > 24) return std::nullopt;
    const double left = 46, top = 14, width = 560, height = 240, right = 14;
    const auto scale = ticks(most);
    const auto x = [&](double v) {
        return left + (width - left - right) * std::log(v / x0) / std::log(x1 / x0);
    };
    const auto y = [&](double v) { return top + height * (1 - v / scale.back()); };
    const std::string option = plan.axes[axis];
    drawing d(width, top + height + 58 + 16 * static_cast<double>(names.size()),
              "Speed-up over the least value of " + option);
    for (const double t : scale) {
        d.line(left, y(t), width - right, y(t), "#e0e0dc");
        d.text(left - 7, y(t) + 4, fmt::format("{:g}", t), "end");
    }
    std::set<double> values;
    for (const auto& [name, points] : lines)
        for (const auto& p : points) values.insert(p.first);
    for (const double v : values) d.text(x(v), top + height + 16, fmt::format("{:g}", v), "middle");
    d.text((left + width) / 2, top + height + 33, option, "middle");
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto& points = lines[names[i]];
        const double base = points.front().second;
        for (std::size_t p = 0; p < points.size(); ++p) {
            const double px = x(points[p].first), py = y(base / points[p].second);
            if (p != 0)
                d.line(x(points[p - 1].first), y(base / points[p - 1].second), px, py, colour_of(i),
                       1.6);
            d.dot(px, py, colour_of(i),
                  fmt::format("{}, {} {:g}: {:.3f}", names[i], option, points[p].first,
                              base / points[p].second));
        }
    }
    legend(d, left, top + height + 58, names);
    std::string file = "scaling" + option;
    return sweep_plot{file, "Speed-up over the least value of " + option, d.finish()};
}

std::optional<sweep_plot> correlation(const sweep_plan& plan,
                                      const std::vector<sweep_result>& results) {
    struct point {
        double measured, simulated;
        std::size_t series;
        std::string name;
    };
    const std::vector<std::string> series = unique(plan, &sweep_run::series);
    std::vector<point> points;
    for (const sweep_result& r : results) {
        const auto m = plan.measured.find(r.run->workload);
        if (m == plan.measured.end() || r.cycles() <= 0 || m->second <= 0) continue;
        const auto s = std::find(series.begin(), series.end(), r.run->series) - series.begin();
        points.push_back({m->second, r.cycles(), static_cast<std::size_t>(s), r.run->workload});
    }
    if (points.empty()) return std::nullopt;
    double low = 1e300, high = 0;
    for (const point& p : points) {
        low = std::min({low, p.measured, p.simulated});
        high = std::max({high, p.measured, p.simulated});
    }
    low = std::pow(10, std::floor(std::log10(low)));
    high = std::pow(10, std::ceil(std::log10(high) + 1e-9));
    const double left = 28 + width_of(readable_number(high)), top = 14, side = 380;
    const auto at = [&](double v) { return std::log(v / low) / std::log(high / low); };
    const auto x = [&](double v) { return left + side * at(v); };
    const auto y = [&](double v) { return top + side * (1 - at(v)); };
    std::vector<std::string> names;
    for (std::size_t s = 0; s < series.size(); ++s) {
        double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, error = 0;
        for (const point& p : points) {
            if (p.series != s) continue;
            const double a = std::log(p.measured), b = std::log(p.simulated);
            ++n, sx += a, sy += b, sxx += a * a, syy += b * b, sxy += a * b;
            error += std::fabs(p.simulated / p.measured - 1);
        }
        const double spread = std::sqrt((sxx - sx * sx / n) * (syy - sy * sy / n));
        names.push_back(n == 0
                            ? series[s]
                            : fmt::format("{}: mean error {:.1f} %{}", series[s], 100 * error / n,
                                          n > 2 && spread > 0
                                              ? fmt::format(", correlation of logarithms {:.3f}",
                                                            (sxy - sx * sy / n) / spread)
                                              : ""));
    }
    drawing d(left + side + 160, top + side + 56 + 16 * static_cast<double>(names.size()),
              "Simulated against measured cycles");
    for (double v = low; v <= high * 1.01; v *= 10) {
        d.line(x(v), top, x(v), top + side, "#e0e0dc");
        d.line(left, y(v), left + side, y(v), "#e0e0dc");
        d.text(x(v), top + side + 16, readable_number(v), "middle");
        d.text(left - 7, y(v) + 4, readable_number(v), "end");
    }
    d.line(x(low), y(low), x(high), y(high), "#70747c", 1, " stroke-dasharray=\"3 3\"");
    d.text(left + side / 2, top + side + 33, "measured cycles", "middle");
    d.text(14, top + side / 2, "simulated cycles", "middle",
           fmt::format(" transform=\"rotate(-90 14 {:.0f})\"", top + side / 2));
    for (const point& p : points)
        d.dot(x(p.measured), y(p.simulated), colour_of(p.series),
              fmt::format("{}: measured {}, simulated {} ({:+.1f} %)", p.name,
                          readable_number(p.measured), readable_number(p.simulated),
                          100 * (p.simulated / p.measured - 1)));
    legend(d, left, top + side + 56, names);
    return sweep_plot{"correlation", "Simulated against measured cycles", d.finish()};
}

}  // namespace

double sweep_result::cycles() const {
    const auto at = values.find("gpu_tot_sim_cycle");
    return at != values.end() ? at->second : 0;
}

std::vector<sweep_result> results_of(const sweep_plan& plan) {
    std::vector<sweep_result> results;
    for (const sweep_run& r : plan.runs) {
        sweep_result one;
        one.run = &r;
        one.outcome = outcome_of(r);
        if (one.ok() && r.wants_statistics) {
            try {
                const auto run =
                    statistics_run::read((fs::path(r.folder) / "statistics.json").string());
                const auto all = statistics_of_total(run);
                for (const std::string& s : plan.statistics)
                    if (const auto at = all.find(s); at != all.end()) one.values[s] = at->second;
                if (run.ended() != "finished")
                    one.outcome->message = "ended as '" + run.ended() + "'";
            } catch (const support::user_error& e) {
                one.outcome->message = e.what();
            }
        }
        results.push_back(std::move(one));
    }
    return results;
}

std::string results_csv(const sweep_plan& plan, const std::vector<sweep_result>& results) {
    std::string text;
    const auto row = [&](const std::vector<std::string>& list) {
        for (std::size_t i = 0; i < list.size(); ++i)
            text += (i == 0 ? "" : ",") + csv_cell(list[i]);
        text += '\n';
    };
    row(heads(plan));
    for (const sweep_result& r : results) row(cells(plan, r, false));
    return text;
}

std::string results_table(const sweep_plan& plan, const std::vector<sweep_result>& results) {
    std::vector<std::vector<std::string>> rows = {heads(plan)};
    for (const sweep_result& r : results) rows.push_back(cells(plan, r, true));
    std::vector<std::size_t> widths(rows[0].size(), 3);
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < rows[r].size(); ++i)
            text += fmt::format("| {:<{}} ", rows[r][i], widths[i]);
        text += "|\n";
        if (r != 0) continue;
        for (const std::size_t w : widths) text += "|" + std::string(w + 2, '-');
        text += "|\n";
    }
    return text;
}

std::vector<sweep_plot> results_plots(const sweep_plan& plan,
                                      const std::vector<sweep_result>& results) {
    std::vector<sweep_plot> plots;
    if (auto p = speed_ups(plan, results)) plots.push_back(std::move(*p));
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
        if (auto p = scaling(plan, results, a)) plots.push_back(std::move(*p));
    if (auto p = correlation(plan, results)) plots.push_back(std::move(*p));
    return plots;
}

std::string results_page(const sweep_plan& plan, const std::vector<sweep_result>& results) {
    const auto failed = std::count_if(results.begin(), results.end(),
                                      [](const sweep_result& r) { return !r.ok(); });
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"><title>simtlm sweep</title><style>"
        ":root{--bg:#fbfbfa;--ink:#1c2024;--soft:#60646c;--line:#e4e4e0;--bad:#c2410c}"
        "@media(prefers-color-scheme:dark){:root{--bg:#111214;--ink:#edeef0;--soft:#b0b4ba;"
        "--line:#2b2d32;--bad:#ec6142}svg{background:#fbfbfa;border-radius:8px;padding:8px}}"
        "body{margin:0 auto;max-width:1200px;padding:26px 28px 60px;background:var(--bg);"
        "color:var(--ink);font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}"
        "h1{font-size:22px;font-weight:620;letter-spacing:-.015em}h2{font-size:16px;margin:34px 0 "
        "10px;font-weight:620}table{border-collapse:collapse;font-size:13px}th{color:var(--soft);"
        "font-weight:500;text-align:left;border-bottom:1px solid var(--line)}th,td{padding:4px "
        "14px "
        "4px "
        "0;white-space:nowrap}.bad{color:var(--bad)}.soft{color:var(--soft)}.wide{overflow-x:auto}"
        "svg{max-width:100%;height:auto}</style></head><body>\n";
    page += fmt::format("<h1>Sweep</h1><p class=\"soft\">{} runs{}; speed-ups are over {}</p>\n",
                        results.size(), failed != 0 ? fmt::format(", {} failed", failed) : "",
                        escaped(plan.baseline));
    for (const sweep_plot& p : results_plots(plan, results))
        page += "<h2>" + escaped(p.title) + "</h2>\n<div class=\"wide\">" + p.svg + "</div>\n";
    page += "<h2>Runs</h2><div class=\"wide\"><table><thead><tr>";
    for (const std::string& h : heads(plan)) page += "<th scope=\"col\">" + escaped(h) + "</th>";
    page += "</tr></thead><tbody>\n";
    for (const sweep_result& r : results) {
        page += r.ok() ? "<tr>" : "<tr class=\"bad\">";
        for (const std::string& c : cells(plan, r, true)) page += "<td>" + escaped(c) + "</td>";
        page += "</tr>\n";
    }
    return page + "</tbody></table></div></body></html>\n";
}

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#include "platform/study/sweep_plots.h"

#include "modules/support/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace simtlm::platform::study {

namespace {

constexpr std::size_t max_series = 24;

/// Colours of up to `max_series` series, all different.
std::string colour_of(std::size_t i) {
    constexpr const char* first[] = {"#0b68cb", "#d9793a", "#2a9d6a", "#8e4ec6",
                                     "#c2298a", "#8a6d00", "#4b7f9f", "#a34d4d"};
    if (i < std::size(first)) return first[i];
    constexpr double golden_angle = 137.508;
    return fmt::format("hsl({:.0f}, 62%, {}%)",
                       std::fmod(golden_angle * static_cast<double>(i), 360), i % 2 == 0 ? 32 : 62);
}

class drawing {
public:
    drawing(double width, double height, const std::string& what)
        : text_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} "
                            "{1:.0f}\" width=\"{0:.0f}\" role=\"img\" aria-label=\"{2}\" "
                            "font-family=\"system-ui, sans-serif\" font-size=\"11\" "
                            "fill=\"#70747c\">\n",
                            width, height, escaped(what))) {}
    void line(double x1, double y1, double x2, double y2, const std::string& colour,
              double width = 1, const char* more = "") {
        text_ += fmt::format(
            "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
            "stroke-width=\"{}\"{}/>\n",
            x1, y1, x2, y2, colour, width, more);
    }
    void rect(double x, double y, double w, double h, const std::string& colour,
              const std::string& title) {
        text_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"1.5\" "
            "fill=\"{}\"><title>{}</title></rect>\n",
            x, y, w, std::max(h, 0.5), colour, escaped(title));
    }
    void dot(double x, double y, const std::string& colour, const std::string& title) {
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

double widest(const std::vector<std::string>& texts) {
    double most = 0;
    for (const std::string& t : texts) most = std::max(most, width_of(t));
    return most;
}

/// Names of series, which stay different if they are shortened.
void legend(drawing& d, double x, double y, const std::vector<std::string>& names) {
    std::set<std::string> shown;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double at = y + 16 * static_cast<double>(i);
        std::string name = shortened(names[i], 90);
        if (!shown.insert(name).second) name = fmt::format("{} ({})", name, i + 1);
        d.rect(x, at - 8, 9, 9, colour_of(i), names[i]);
        d.text(x + 15, at, name);
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
        if (r.run->workload == workload && r.run->label == series) return &r;
    return nullptr;
}

double geometric_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += std::log(v);
    return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

/// The baseline's cost divided by that of a run; 0 if there is none.
double speed_up(const sweep_plan& plan, const std::vector<sweep_result>& results,
                const sweep_result& r) {
    for (const sweep_result& base : results)
        if (base.run->workload == r.run->workload && base.run->series == plan.baseline) {
            const double cost = r.cost(plan.metric);
            return cost > 0 ? base.cost(plan.metric) / cost : 0;
        }
    return 0;
}

std::string title_of(const sweep_plan& plan) {
    return fmt::format("Speed-up over {} ({})", plan.baseline, name_of(plan.metric));
}

std::optional<sweep_plot> speed_ups(const sweep_plan& plan,
                                    const std::vector<sweep_result>& results) {
    std::vector<std::string> series = unique(plan, &sweep_run::label);
    if (series.size() < 2 || series.size() > 24) return std::nullopt;
    const std::vector<std::string> workloads = unique(plan, &sweep_run::workload);
    std::vector<std::string> groups = workloads;
    if (groups.size() > 1) groups.emplace_back("geometric mean");
    std::vector<std::vector<double>> bars(series.size());
    double most = 1;
    for (std::size_t s = 0; s < series.size(); ++s) {
        std::vector<double> good;
        for (const std::string& w : workloads) {
            const sweep_result* r = find(results, w, series[s]);
            bars[s].push_back(r != nullptr ? speed_up(plan, results, *r) : 0);
            if (bars[s].back() > 0) good.push_back(bars[s].back());
            most = std::max(most, bars[s].back());
        }
        if (groups.size() > workloads.size()) bars[s].push_back(geometric_mean(good));
    }
    const auto n = static_cast<double>(series.size());
    double label = 0;
    for (const std::string& g : groups) label = std::max(label, width_of(shortened(g, 24)));
    const double bar = std::max(4.0, std::min(18.0, 260 / n));
    const double group = std::max(bar * n, label) + 22;
    const double left = 46, top = 14, height = 200;
    const double width = std::max(560.0, left + group * static_cast<double>(groups.size()) + 10);
    const auto scale = ticks(most);
    const auto y = [&](double v) { return top + height * (1 - v / scale.back()); };
    drawing d(width, top + height + 44 + 16 * n, title_of(plan) + " by workload");
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
        d.text(x + bar * n / 2, top + height + 16, shortened(groups[g], 24), "middle");
    }
    d.line(left, y(1), width - 6, y(1), "#70747c", 1, " stroke-dasharray=\"3 3\"");
    legend(d, left, top + height + 44, series);
    return sweep_plot{"speedup", title_of(plan), d.finish()};
}

bool number(const std::string& text, double& value) {
    char* end = nullptr;
    value = support::read_double(text.c_str(), &end);
    return !text.empty() && *end == '\0';
}

/// The levels of an axis in the order of the specification.
std::vector<std::string> levels_of(const sweep_plan& plan, std::size_t axis) {
    std::vector<std::string> levels;
    for (const sweep_run& r : plan.runs)
        if (const std::string level = value_text(r.axes[axis].second);
            std::find(levels.begin(), levels.end(), level) == levels.end())
            levels.push_back(level);
    return levels;
}

/// The horizontal scale of a plot: an axis with numbers (logarithmic), an axis with names (their
/// positions), or a statistic.
class horizontal_scale {
public:
    horizontal_scale(const sweep_plan& plan, const std::vector<sweep_result>& results,
                     std::string name)
        : name_(std::move(name)) {
        const auto at = std::find(plan.axes.begin(), plan.axes.end(), name_);
        if (at == plan.axes.end()) {
            for (const sweep_result& r : results) last_ = std::max(last_, r.value(name_));
            const std::vector<double> marks = last_ > 0 ? ticks(last_) : std::vector<double>{0, 1};
            for (const double t : marks) marks_.emplace_back(t, fmt::format("{:g}", t));
            last_ = marks.back();
            return;
        }
        axis_ = static_cast<std::size_t>(at - plan.axes.begin());
        levels_ = levels_of(plan, *axis_);
        double value = 0;
        logarithmic_ = std::all_of(levels_.begin(), levels_.end(), [&](const std::string& l) {
            return number(l, value) && value > 0;
        });
        for (std::size_t i = 0; i < levels_.size(); ++i)
            marks_.emplace_back(position(levels_[i]), levels_[i]);
        const auto ends = std::minmax_element(marks_.begin(), marks_.end());
        first_ = ends.first->first;
        last_ = ends.second->first;
    }

    const std::optional<std::size_t>& axis() const { return axis_; }
    bool usable() const { return last_ > first_; }
    double value_of(const sweep_result& r) const {
        return axis_ ? position(value_text(r.run->axes[*axis_].second)) : r.value(name_);
    }
    /// Place from 0 to 1.
    double place(double value) const {
        return logarithmic_ ? std::log(value / first_) / std::log(last_ / first_)
                            : (value - first_) / (last_ - first_);
    }
    /// Values with a label.
    const std::vector<std::pair<double, std::string>>& marks() const { return marks_; }

private:
    double position(const std::string& level) const {
        double value = 0;
        if (logarithmic_ && number(level, value)) return value;
        return static_cast<double>(std::find(levels_.begin(), levels_.end(), level) -
                                   levels_.begin());
    }

    std::string name_;
    std::optional<std::size_t> axis_;
    std::vector<std::string> levels_;
    std::vector<std::pair<double, std::string>> marks_;
    bool logarithmic_ = false;
    double first_ = 0, last_ = 0;
};

/// A point of a plot, in the units of its scales.
struct plot_point {
    double x, y;
    std::string what;
};

/// Draws series of points over a horizontal scale, connected if it is an axis.
std::string draw_series(const std::string& title, const horizontal_scale& scale,
                        const std::string& x_name, const std::vector<std::string>& names,
                        const std::map<std::string, std::vector<plot_point>>& series) {
    double most = 0;
    for (const auto& [name, points] : series)
        for (const plot_point& p : points) most = std::max(most, p.y);
    const auto vertical = ticks(most > 0 ? most : 1);
    const double left = 60, top = 14, width = 560, height = 240, right = 30;
    const auto x = [&](double v) { return left + (width - left - right) * scale.place(v); };
    const auto y = [&](double v) { return top + height * (1 - v / vertical.back()); };
    drawing d(width, top + height + 58 + 16 * static_cast<double>(names.size()), title);
    for (const double t : vertical) {
        d.line(left, y(t), width - right, y(t), "#e0e0dc");
        d.text(left - 7, y(t) + 4, t >= 1e6 ? fmt::format("{:.3g}", t) : fmt::format("{:g}", t),
               "end");
    }
    for (const auto& [value, label] : scale.marks())
        d.text(x(value), top + height + 16, shortened(label, 16), "middle");
    d.text((left + width) / 2, top + height + 33, x_name, "middle");
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::vector<plot_point>& points = series.at(names[i]);
        for (std::size_t p = 0; p < points.size(); ++p) {
            if (p != 0 && scale.axis())
                d.line(x(points[p - 1].x), y(points[p - 1].y), x(points[p].x), y(points[p].y),
                       colour_of(i), 1.6);
            d.dot(x(points[p].x), y(points[p].y), colour_of(i), points[p].what);
        }
    }
    legend(d, left, top + height + 58, names);
    return d.finish();
}

/// What distinguishes a run from those of other lines along an axis.
std::string line_of(const sweep_plan& plan, const sweep_run& run, std::size_t along) {
    std::string name = run.workload;
    for (std::string sweep_run::*field : {&sweep_run::preset, &sweep_run::configuration})
        if (unique(plan, field).size() > 1) name += " " + run.*field;
    for (std::size_t a = 0; a < run.axes.size(); ++a)
        if (a != along && levels_of(plan, a).size() > 1)
            name += " " + run.axes[a].first + " " + value_text(run.axes[a].second);
    return name;
}

/// A quantity over an axis or a statistic: one series per workload and setting of the other axes.
/// @param y  a statistic; empty: the speed-up over the first level of the axis
std::optional<sweep_plot> curve(const sweep_plan& plan, const std::vector<sweep_result>& results,
                                const std::string& x, const std::string& y) {
    const horizontal_scale scale(plan, results, x);
    if (!scale.usable()) return std::nullopt;
    std::map<std::string, std::vector<plot_point>> series;
    std::vector<std::string> names;
    for (const sweep_result& r : results) {
        const double value = y.empty() ? r.cost(plan.metric) : r.value(y);
        if (!r.ok() || (y.empty() && !(value > 0))) continue;
        const std::string name = scale.axis() ? line_of(plan, *r.run, *scale.axis()) : r.run->label;
        if (series.count(name) == 0) names.push_back(name);
        series[name].push_back({scale.value_of(r), value, r.run->workload + " " + r.run->series});
    }
    if (names.empty() || names.size() > max_series) return std::nullopt;
    for (auto& [name, points] : series) {
        std::sort(points.begin(), points.end(),
                  [](const plot_point& a, const plot_point& b) { return a.x < b.x; });
        if (!y.empty()) continue;
        const double base = points.front().y;
        for (plot_point& p : points) p.y = base / p.y;
    }
    for (auto& [name, points] : series)
        for (plot_point& p : points) p.what += fmt::format(": {:.4g}", p.y);
    const std::string title =
        y.empty() ? fmt::format("Speed-up over the first level of {} ({})", x, name_of(plan.metric))
                  : y + " over " + x;
    return sweep_plot{y.empty() ? "scaling" + (x[0] == '-' ? x : "-" + x) : y + "-over-" + x, title,
                      draw_series(title, scale, x, names, series)};
}

/// Mean speed-ups over the baseline by the levels of two axes; the mean is that of all workloads
/// and of all levels of the other axes.
std::optional<sweep_plot> heat_map(const sweep_plan& plan, const std::vector<sweep_result>& results,
                                   std::size_t across, std::size_t down) {
    const std::vector<std::string> columns = levels_of(plan, across), rows = levels_of(plan, down);
    if (columns.size() < 2 || rows.size() < 2 || columns.size() * rows.size() > 400)
        return std::nullopt;
    std::map<std::pair<std::string, std::string>, std::vector<double>> cells;
    for (const sweep_result& r : results)
        if (const double s = speed_up(plan, results, r); s > 0)
            cells[{value_text(r.run->axes[across].second), value_text(r.run->axes[down].second)}]
                .push_back(s);
    if (cells.size() < 4) return std::nullopt;
    double low = 1e300, high = 0;
    for (const auto& [at, all] : cells) {
        low = std::min(low, geometric_mean(all));
        high = std::max(high, geometric_mean(all));
    }
    std::vector<std::string> short_rows, short_columns;
    for (const std::string& r : rows) short_rows.push_back(shortened(r, 24));
    for (const std::string& c : columns) short_columns.push_back(shortened(c, 16));
    const double left = widest(short_rows) + 24, top = 40, height = 30;
    const double width = std::max(62.0, widest(short_columns) + 10);
    const std::string title =
        fmt::format("{} by {} and {}", title_of(plan), plan.axes[across], plan.axes[down]);
    drawing d(std::max(left + width * static_cast<double>(columns.size()) + 8,
                       left + width_of(plan.axes[across])),
              top + height * static_cast<double>(rows.size()) + 8, title);
    d.text(left, 14, plan.axes[across]);
    d.text(0, top - 8, shortened(plan.axes[down], 40));
    for (std::size_t c = 0; c < columns.size(); ++c)
        d.text(left + width * (static_cast<double>(c) + .5), top - 8, short_columns[c], "middle");
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double y = top + height * static_cast<double>(r);
        d.text(left - 8, y + height / 2 + 4, short_rows[r], "end");
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const auto at = cells.find({columns[c], rows[r]});
            if (at == cells.end()) continue;
            const double mean = geometric_mean(at->second);
            const double share = high > low ? (mean - low) / (high - low) : 1;
            const double x = left + width * static_cast<double>(c);
            d.rect(x, y, width - 2, height - 2,
                   fmt::format("hsl(211, 85%, {:.0f}%)", 94 - 54 * share),
                   fmt::format("{} {}, {} {}: {:.3f}", plan.axes[across], columns[c],
                               plan.axes[down], rows[r], mean));
            d.text(x + width / 2 - 1, y + height / 2 + 3, fmt::format("{:.3g}", mean), "middle",
                   share > .5 ? " fill=\"#fff\"" : " fill=\"#1c2024\"");
        }
    }
    return sweep_plot{
        fmt::format("heatmap{}{}{}", plan.axes[across][0] == '-' ? "" : "-", plan.axes[across],
                    plan.axes[down][0] == '-' ? plan.axes[down] : "-" + plan.axes[down]),
        title, d.finish()};
}

/// Two costs of each series, as means of all workloads, and the series for which no other is better
/// in one and not worse in the other.
std::optional<sweep_plot> pareto_front(const sweep_plan& plan,
                                       const std::vector<sweep_result>& results) {
    const horizontal_scale scale(plan, results, plan.pareto->x);
    const horizontal_scale other(plan, results, plan.pareto->y);
    std::vector<plot_point> points;
    for (const std::string& label : unique(plan, &sweep_run::label)) {
        double x = 0, y = 0, n = 0;
        for (const sweep_result& r : results)
            if (r.run->label == label && r.ok())
                ++n, x += scale.value_of(r), y += other.value_of(r);
        if (n > 0) points.push_back({x / n, y / n, label});
    }
    if (points.size() < 2 || !scale.usable()) return std::nullopt;
    std::sort(points.begin(), points.end(), [](const plot_point& a, const plot_point& b) {
        return a.x != b.x ? a.x < b.x : a.y < b.y;
    });
    std::map<std::string, std::vector<plot_point>> series;
    const std::string front = "Pareto front", rest = "others";
    std::vector<std::string> names = {front};
    double least = std::numeric_limits<double>::infinity();
    for (const plot_point& p : points) {
        const bool best = p.y < least;
        least = std::min(least, p.y);
        series[best ? front : rest].push_back(
            {p.x, p.y, fmt::format("{}: {:.4g}, {:.4g}", p.what, p.x, p.y)});
        if (best) names.push_back(p.what);
    }
    const std::string title =
        fmt::format("Pareto front of {} and {}", plan.pareto->x, plan.pareto->y);
    std::vector<std::string> drawn = {front};
    if (series.count(rest) != 0) drawn.push_back(rest);
    std::string list;
    for (std::size_t i = 1; i < names.size(); ++i) list += (i == 1 ? ": " : "; ") + names[i];
    return sweep_plot{"pareto", title + list,
                      draw_series(title, scale, plan.pareto->x, drawn, series)};
}

std::optional<sweep_plot> correlation(const sweep_plan& plan,
                                      const std::vector<sweep_result>& results) {
    struct point {
        double measured, simulated;
        std::size_t series;
        std::string name;
    };
    const std::vector<std::string> series = unique(plan, &sweep_run::label);
    std::vector<point> points;
    for (const sweep_result& r : results) {
        const auto m = plan.measured.find(r.run->workload);
        if (m == plan.measured.end() || r.value("gpu_tot_sim_cycle") <= 0 || m->second <= 0)
            continue;
        const auto s = std::find(series.begin(), series.end(), r.run->label) - series.begin();
        points.push_back({m->second, r.value("gpu_tot_sim_cycle"), static_cast<std::size_t>(s),
                          r.run->workload});
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

std::string value_text(const std::string& value) {
    return value == "\1" ? "1" : value;
}

const char* name_of(sweep_metric metric) {
    switch (metric) {
        case sweep_metric::time:
            return "by execution time";
        case sweep_metric::total_time:
            return "by time with launch overhead";
        case sweep_metric::cycles:
            return "by cycles";
    }
    return "";
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::vector<sweep_plot> results_plots(const sweep_plan& plan,
                                      const std::vector<sweep_result>& results) {
    std::vector<sweep_plot> plots;
    const auto add = [&](std::optional<sweep_plot> plot) {
        if (plot) plots.push_back(std::move(*plot));
    };
    add(speed_ups(plan, results));
    for (const std::string& axis : plan.axes) add(curve(plan, results, axis, {}));
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
        for (std::size_t b = a + 1; b < plan.axes.size(); ++b) add(heat_map(plan, results, a, b));
    for (const sweep_curve& c : plan.plots) add(curve(plan, results, c.x, c.y));
    if (plan.pareto) add(pareto_front(plan, results));
    add(correlation(plan, results));
    for (sweep_plot& p : plots) std::replace(p.name.begin(), p.name.end(), '/', '-');
    return plots;
}

}  // namespace simtlm::platform::study

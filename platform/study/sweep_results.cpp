// SPDX-License-Identifier: Apache-2.0
#include "platform/study/sweep_results.h"

#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "platform/study/html_report.h"
#include "platform/study/run_time.h"
#include "platform/study/sweep_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

namespace simtlm::platform::study {

namespace {

namespace fs = std::filesystem;

std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
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
    names.insert(names.end(), {"time_us", "launch_us"});
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
    const auto value = [&](const std::string& name) {
        const auto at = r.values.find(name);
        row.push_back(at == r.values.end() ? ""
                      : readable           ? readable_number(at->second)
                                           : fmt::format("{}", at->second));
    };
    value("time_us");
    value("launch_us");
    for (const std::string& s : plan.statistics) value(s);
    row.push_back(r.outcome ? fmt::format("{:.2f}", r.outcome->wall) : "");
    row.push_back(r.outcome ? fmt::format("{}", r.outcome->peak_kb) : "");
    row.push_back(!r.outcome ? "not run" : r.outcome->message);
    return row;
}

}  // namespace

double sweep_result::value(const std::string& name) const {
    const auto at = values.find(name);
    return at != values.end() ? at->second : 0;
}

double sweep_result::cost(sweep_metric metric) const {
    switch (metric) {
        case sweep_metric::time:
            return value("time_us");
        case sweep_metric::total_time:
            return value("time_us") + value("launch_us");
        case sweep_metric::cycles:
            return value("gpu_tot_sim_cycle");
    }
    return 0;
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
                const run_time time = run_time::of(run);
                one.values["time_us"] = 1e6 * time.execution;
                one.values["launch_us"] = 1e6 * time.launch;
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

std::vector<std::string> ineffective_options(const std::vector<sweep_result>& results) {
    const std::string begin = "simtlm: note: accepted without effect: ";
    std::set<std::string> seen;
    std::vector<std::string> notes;
    for (const sweep_result& r : results)
        for (const char* file : {"output", "errors"}) {
            std::ifstream in(fs::path(r.run->folder) / file);
            for (std::string line; std::getline(in, line);)
                if (line.rfind(begin, 0) == 0 && seen.insert(line).second)
                    notes.push_back("without effect: " + line.substr(begin.size()));
        }
    return notes;
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

void write_run_reports(const std::vector<sweep_result>& results) {
    support::output_attempts attempt;
    for (const sweep_result& r : results) {
        const fs::path statistics = fs::path(r.run->folder) / "statistics.json",
                       page = fs::path(r.run->folder) / "report.html";
        std::error_code missing;
        const auto written = fs::last_write_time(page, missing);
        if (!r.ok() || !r.run->wants_statistics ||
            (!missing && written >= fs::last_write_time(statistics, missing)))
            continue;
        attempt([&] {
            const reported_run run =
                read_reported_run(statistics.string(), r.run->workload + " " + r.run->label, {});
            support::output_file file(page.string());
            file.write(html_page(report_data({run}, {})));
            file.commit();
        });
    }
    attempt.finish();
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
        "0;white-space:nowrap}.bad{color:var(--bad)}a{color:inherit}.soft{color:var(--soft)}.wide{"
        "overflow-x:auto}"
        "svg{max-width:100%;height:auto}</style></head><body>\n";
    page +=
        fmt::format("<h1>Sweep</h1><p class=\"soft\">{} runs{}; speed-ups are {}, over {}</p>\n",
                    results.size(), failed != 0 ? fmt::format(", {} failed", failed) : "",
                    name_of(plan.metric), escaped(plan.baseline));
    for (const std::string& note : ineffective_options(results))
        page += "<p class=\"bad\">" + escaped(note) + "</p>\n";
    for (const sweep_plot& p : results_plots(plan, results))
        page += "<h2>" + escaped(p.title) + "</h2>\n<div class=\"wide\">" + p.svg + "</div>\n";
    page += "<h2>Runs</h2><div class=\"wide\"><table><thead><tr>";
    for (const std::string& h : heads(plan)) page += "<th scope=\"col\">" + escaped(h) + "</th>";
    page += "</tr></thead><tbody>\n";
    for (const sweep_result& r : results) {
        page += r.ok() ? "<tr>" : "<tr class=\"bad\">";
        const std::string folder =
            fs::path(r.run->folder).lexically_relative(plan.folder).generic_string();
        std::string report = folder + "/report.html";
        std::error_code none;
        if (!fs::exists(fs::path(plan.folder) / report, none)) report.clear();
        for (const std::string& c : cells(plan, r, true)) {
            const bool link = !report.empty();
            page += "<td>" + (link ? "<a href=\"" + escaped(report) + "\">" : std::string()) +
                    escaped(c) + (link ? "</a></td>" : "</td>");
            report.clear();  // the first cell is the link
        }
        page += "</tr>\n";
    }
    return page + "</tbody></table></div></body></html>\n";
}

}  // namespace simtlm::platform::study

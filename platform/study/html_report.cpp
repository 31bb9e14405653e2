// SPDX-License-Identifier: Apache-2.0
#include "platform/study/html_report.h"

#include "platform/study/findings.h"
#include "platform/study/page/page_text.h"
#include "platform/study/run_time.h"
#include "platform/study/source_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace simtlm::platform::study {

namespace {

/// Rounds to four significant digits, which suffice for drawing and keep the page small.
json rounded(double value) {
    if (!std::isfinite(value)) return nullptr;
    if (value == std::floor(value) && std::fabs(value) < 9e15)
        return static_cast<std::int64_t>(value);
    const double scale = std::pow(10, 4 - std::ceil(std::log10(std::fabs(value))));
    return std::isfinite(scale) ? std::round(value * scale) / scale : value;
}

json rounded(const std::vector<double>& values) {
    json list = json::array();
    for (const double v : values) list.push_back(rounded(v));
    return list;
}

json json_of(const bandwidth& b) {
    return {{"rate", rounded(b.rate)}, {"peak", rounded(b.peak)}};
}

json json_of(const finding& f) {
    json places = json::array();
    for (const finding::place& p : f.places)
        places.push_back({{"where", p.where}, {"degree", p.degree}});
    return {{"weight", rounded(f.weight)}, {"speed_up", rounded(f.speed_up)},
            {"limiter", f.limiter},        {"headline", f.headline},
            {"detail", f.detail},          {"remedy", f.remedy},
            {"places", std::move(places)}};
}

json json_of(const kernel_analysis& a) {
    json k = {{"number", a.key.list_number != 0 ? a.key.list_number : a.key.launch_uid},
              {"name", a.key.name},
              {"cycles", rounded(a.run_cycles)},
              {"launch", rounded(a.launch_cycles)},
              {"start", rounded(a.start_cycle)},
              {"end", rounded(a.end_cycle)},
              {"seconds", rounded(a.seconds)},
              {"instructions", rounded(a.thread_instructions)},
              {"ipc", rounded(a.ipc)},
              {"ipc_share", rounded(a.ipc_share)},
              {"occupancy", rounded(a.occupancy)},
              {"occupancy_limit", rounded(a.occupancy_limit)},
              {"limited_by", a.limited_by},
              {"ctas", rounded(a.ctas)},
              {"ctas_per_sm", rounded(a.ctas_per_sm)},
              {"waves", rounded(a.waves)},
              {"grid", a.grid},
              {"block", a.block},
              {"registers", rounded(a.registers)},
              {"shared_memory", rounded(a.shared_memory)},
              {"lanes", rounded(a.active_lanes)},
              {"transactions", rounded(a.transactions_per_request)},
              {"conflicts", rounded(a.shared_conflict_share)},
              {"bound", a.bound}};
    if (a.joules > 0) k["power"] = {a.watts, a.joules, a.energy_delay};
    if (!a.finished) k["unfinished"] = true;
    if (a.overlapped) k["overlapped"] = true;
    k["slots"] = {rounded(a.slots.issued), rounded(a.slots.scoreboard), rounded(a.slots.pipeline),
                  rounded(a.slots.nothing), rounded(a.slots.unused)};
    k["bandwidth"] = {{"DRAM", json_of(a.dram)},
                      {"L2", json_of(a.l2)},
                      {"L1", json_of(a.l1)},
                      {"shared", json_of(a.shared)}};
    k["hits"] = {
        {"L1", rounded(a.l1_hits)}, {"L2", rounded(a.l2_hits)}, {"row", rounded(a.row_hits)}};
    k["hops"] = {rounded(a.hops.request_network), rounded(a.hops.l2_and_dram),
                 rounded(a.hops.dram_queue), rounded(a.hops.reply_network),
                 rounded(a.hops.round_trip)};
    json waits = json::object();
    for (const auto& [reason, share] : a.waits) waits[reason] = rounded(share);
    k["waits"] = std::move(waits);
    k["findings"] = json::array();
    for (const finding& f : a.findings) k["findings"].push_back(json_of(f));
    k["occupancy_rows"] = json::array();
    for (const occupancy_row& r : a.occupancy_rows)
        k["occupancy_rows"].push_back({{"resource", r.resource},
                                       {"ctas", rounded(r.ctas)},
                                       {"occupancy", rounded(r.occupancy)},
                                       {"limits", r.limits},
                                       {"to_gain", r.to_gain}});
    k["flops"] = json::object();
    for (const auto& [kind, rate] : a.flops) k["flops"][kind] = rounded(rate);
    return k;
}

json json_of(const kernel_source_view& v) {
    json rows = json::array();
    for (const kernel_source_view::row& r : v.rows) {
        json waits = json::object();
        for (const auto& [reason, cycles] : r.waits)
            if (reason != "none") waits[reason] = rounded(cycles);
        const auto share = [](double part, double of) {
            return of > 0 ? rounded(part / of) : json();
        };
        rows.push_back({{"pc", r.pc},
                        {"op", r.opcode},
                        {"txt", r.text},
                        {"line", r.line},
                        {"src", r.source},
                        {"n", rounded(r.issues)},
                        {"lanes", share(r.threads, r.issues)},
                        {"waited", rounded(r.waited)},
                        {"awaited", rounded(r.awaited)},
                        {"waits", std::move(waits)},
                        {"lat", rounded(r.latency)},
                        {"tx", share(r.transactions, r.memory_issues)},
                        {"ways", share(r.shared_cycles, r.shared_issues)},
                        {"l1", share(r.l1_accesses - r.l1_misses, r.l1_accesses)},
                        {"l2", share(r.l2_accesses - r.l2_misses, r.l2_accesses)},
                        {"dram", rounded(r.dram_bytes)}});
        if (r.picojoules > 0) rows.back()["pj"] = rounded(r.picojoules);
    }
    json text = json::object(), source = json::object();
    for (const auto& [line, t] : v.text) text[std::to_string(line)] = t;
    for (const auto& [where, t] : v.source_text) source[where] = t;
    return {{"launches", v.launches},  {"blames", v.blames},      {"line_kind", v.line_kind},
            {"rows", std::move(rows)}, {"text", std::move(text)}, {"source", std::move(source)}};
}

json json_of(const time_series& t) {
    json whole = json::object(), maps = json::array();
    for (const auto& [name, values] : t.whole) whole[name] = rounded(values);
    for (const time_series::heat_map& m : t.maps) {
        if (m.units.empty()) continue;
        json rows = json::array();
        for (const auto& r : m.rows) rows.push_back(rounded(r));
        maps.push_back({{"kind", m.kind},
                        {"statistic", m.statistic},
                        {"units", m.units},
                        {"rows", std::move(rows)}});
    }
    return {{"cycles", rounded(t.cycles)}, {"whole", std::move(whole)}, {"maps", std::move(maps)}};
}

/// Totals of the run by SM and by channel.
json totals_by_unit(const statistics_run& run) {
    json sms = json::array(), channels = json::array();
    const auto blocks = run.document().find("blocks");
    if (blocks == run.document().end() || !blocks->is_object()) return json::object();
    for (const auto& [name, block] : blocks->items()) {
        if (!block.is_object() || !block.contains("counters")) continue;
        const std::string kind = block.value("kind", "");
        const json& c = block["counters"];
        const auto value = [&](const char* counter) { return number_in(c, counter); };
        if (kind == "sm")
            sms.push_back({{"name", name}, {"value", rounded(value("warp_instructions"))}});
        if (kind == "dram")
            channels.push_back({{"name", name},
                                {"value", rounded(value("reads") + value("allocate_reads") +
                                                  value("writes") + value("write_backs"))}});
    }
    return {{"sm", std::move(sms)}, {"channel", std::move(channels)}};
}

json json_of(const reported_run& r, const source_choice& sources) {
    const statistics_run& s = r.statistics;
    const json& provenance = s.document()["provenance"];
    const gpu_limits limits = gpu_limits::of(s);
    std::string command;
    for (const json& word : provenance.value("command_line", json::array()))
        if (word.is_string()) command += (command.empty() ? "" : " ") + word.get<std::string>();
    const std::vector<kernel_analysis> analyses = analyse(s);
    json kernels = json::array(), findings = json::array(), peak_flops = json::object();
    for (const kernel_analysis& a : analyses) kernels.push_back(json_of(a));
    for (const finding& f : findings_of_run(s, analyses)) findings.push_back(json_of(f));
    for (const auto& [kind, peak] : limits.flops) peak_flops[kind] = rounded(peak);
    json profile = json::object();
    auto& listed = profile.get_ref<json::object_t&>();
    for (const kernel_source_view& v : source_views(s, sources)) {
        // Of the launches of a kernel, each has a view of its own, unless there are too many.
        if (v.launch != 0) kernels[v.kernel_index]["profile"] = v.key();
        listed.emplace(v.key(), json_of(v));
    }
    json run = {{"name", r.name},
                {"file", s.file()},
                {"presets", s.presets()},
                {"ended", s.ended()},
                {"resumed", s.resumed()},
                {"started", provenance.value("started", "")},
                {"version", provenance.value("version", "")},
                {"commit", provenance.value("commit", "")},
                {"command", command},
                {"cycles", rounded(s.cycles())},
                {"core_hz", rounded(limits.core_hz)},
                {"mean_hz", rounded(mean_core_hz(s))},
                {"ipc", rounded(number_in(s.total(), "gpu_tot_ipc"))},
                {"gpu", s.document().value("gpu", json())}};
    run["kernels"] = std::move(kernels);
    run["findings"] = std::move(findings);
    run["peak_flops"] = std::move(peak_flops);
    run["profile"] = std::move(profile);
    run["time"] = r.over_time ? json_of(*r.over_time) : json();
    run["units"] = totals_by_unit(s);
    return run;
}

void replace(std::string& in, const std::string& what, const std::string& by) {
    const std::size_t at = in.find(what);
    if (at != std::string::npos) in.replace(at, what.size(), by);
}

}  // namespace

std::string samples_of(const statistics_run& run) {
    namespace fs = std::filesystem;
    for (const char* option : {"--interval-db", "--interval-csv"}) {
        const fs::path name = fs::path(run.option(option)).filename();
        if (name.empty()) continue;
        const fs::path p = fs::path(run.file()).parent_path() / name;
        std::error_code ignored;
        if (fs::is_regular_file(p, ignored)) return p.string();
    }
    return {};
}

reported_run read_reported_run(const std::string& file, const std::string& name,
                               const std::string& samples) {
    constexpr std::size_t points = 320;  // per curve; more are not distinguishable
    reported_run run{statistics_run::read(file), name, {}};
    const std::string from = samples.empty() ? samples_of(run.statistics) : samples;
    if (!from.empty()) run.over_time = time_series::read(from, points);
    return run;
}

json report_data(const std::vector<reported_run>& runs, const source_choice& sources) {
    json data;
    data["schema"] = {{"name", "simtlm-report"}, {"version", 1}};
    data["runs"] = json::array();
    for (const reported_run& r : runs) data["runs"].push_back(json_of(r, sources));
    if (runs.size() > 1) {
        data["options"] = json::array();
        std::set<std::string> names;
        std::vector<std::map<std::string, std::string>> options;
        for (const reported_run& r : runs) {
            options.push_back(model_options(r.statistics));
            for (const auto& [name, value] : options.back()) names.insert(name);
        }
        for (const std::string& name : names) {
            json values = json::array();
            for (auto& o : options) values.push_back(o[name]);
            if (std::any_of(values.begin(), values.end(),
                            [&](const json& v) { return v != values[0]; }))
                data["options"].push_back({{"name", name}, {"values", std::move(values)}});
        }
    }
    return data;
}

std::string self_contained_page(const page_parts& parts, const json& data) {
    // Escape text that would end the script element; replace invalid UTF-8.
    const std::string dumped = data.dump(-1, ' ', false, json::error_handler_t::replace);
    std::string text;
    text.reserve(dumped.size() + 64);
    for (const char c : dumped) {
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    }
    std::string page = page::report_html;
    replace(page, "@TITLE@", parts.title);
    replace(page, "@COMMAND@", parts.command);
    replace(page, "@CSS@", page::report_css);
    replace(page, "@JS@", std::string(page::tools_js) + parts.script);
    replace(page, "@DATA@", text);
    return page;
}

std::string html_page(const json& data) {
    return self_contained_page({"simtlm report", "simtlm-report --summary", page::report_js}, data);
}

std::vector<std::string> short_names(const std::vector<std::string>& files) {
    namespace fs = std::filesystem;
    std::vector<std::string> names;
    for (const std::string& f : files) names.push_back(fs::path(f).stem().string());
    const std::set<std::string> different(names.begin(), names.end());
    if (different.size() != names.size())
        for (std::size_t i = 0; i < files.size(); ++i) {
            const fs::path p(files[i]);
            names[i] = (p.parent_path().filename() / p.stem()).string();
        }
    if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
        for (std::size_t i = 0; i < files.size(); ++i)
            names[i] = fmt::format("{} {}", i + 1, names[i]);
    return names;
}

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/statistics_files.h"

#include "modules/kernel/output_file.h"
#include "sc_main/version.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <exception>
#include <limits>

namespace simtlm {

namespace {

using json = nlohmann::ordered_json;

json number(const platform::figure& f) {
    if (f.whole) return static_cast<std::uint64_t>(f.value);
    return f.value;
}

json json_of(const kernel_record& k) {
    return {{"name", k.subject.name},       {"launch_uid", k.subject.launch},
            {"stream", k.subject.stream},   {"finished", k.finished},
            {"launched_at", k.launched_at}, {"start_cycle", k.start_cycle},
            {"end_cycle", k.end_cycle},     {"ctas", k.ctas},
            {"ctas_per_sm", k.ctas_per_sm}};
}

/// Values by name; of an array the cells that are not 0, by label.
json json_of(const std::vector<kernel::statistics::cell>& cells) {
    json values = json::object();
    for (const kernel::statistics::cell& c : cells) {
        if (c.label.empty()) {
            values[c.of->name] = *c.value;
            continue;
        }
        json& array = values[c.of->name];
        if (array.is_null()) array = json::object();
        if (*c.value != 0) array[c.label] = *c.value;
    }
    return values;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

}  // namespace

statistics_files::statistics_files(const platform::option_values& options, std::string json_file,
                                   std::string csv)
    : options_(options), json_(std::move(json_file)), csv_(std::move(csv)) {
    // Better now than after hours of simulation.
    for (const std::string& file : {json_, csv_})
        if (!file.empty()) kernel::output_target(file).check();
}

void statistics_files::add(const platform::report& report, const kernel_record* kernel) {
    if (json_.empty() && csv_.empty()) return;
    row r;
    if (kernel != nullptr) {
        r.kernel = *kernel;
        r.has_kernel = true;
    }
    r.values.assign(columns_.size(), absent);
    for (const platform::figure& f : report.figures) {
        const auto [at, fresh] = column_of_.emplace(f.name, columns_.size());
        if (fresh) {
            columns_.push_back(f);
            r.values.push_back(absent);
        }
        r.values[at->second] = f.value;
    }
    rows_.push_back(std::move(r));
    last_ = report;
    last_.text.clear();
}

void statistics_files::write(platform::gpu& device, const std::string& ended) {
    std::exception_ptr failed;
    if (!json_.empty()) {
        try {
            write_json(device, ended);
        } catch (const kernel::output_error&) {
            failed = std::current_exception();
        }
    }
    if (!csv_.empty()) write_csv();
    if (failed) std::rethrow_exception(failed);
}

const double* statistics_files::value(const row& r, const std::string& name) const {
    const auto at = column_of_.find(name);
    if (at == column_of_.end() || at->second >= r.values.size()) return nullptr;
    return std::isnan(r.values[at->second]) ? nullptr : &r.values[at->second];
}

void statistics_files::write_json(platform::gpu& device, const std::string& ended) const {
    kernel::output_file file(json_);
    json document;
    document["simtlm"] = version;
    document["ended"] = ended;
    json config = json::object();
    for (const platform::option_info& o : platform::option_table())
        if (o.effective() && !o.action) {
            if (!o.repeatable) {
                config[o.name] = options_.text(o.name);
                continue;
            }
            config[o.name] = json::array();
            for (const auto& v : options_.all(o.name)) config[o.name].push_back(v.text);
        }
    document["config"] = std::move(config);

    json total = json::object();
    for (const platform::figure& f : last_.figures) total[f.name] = number(f);
    document["total"] = std::move(total);
    json rows = json::object();
    for (const platform::figure_row& r : last_.rows) rows[r.name] = r.values;
    document["histograms"] = std::move(rows);

    json kernels = json::array();
    for (const row& r : rows_) {
        if (!r.has_kernel) continue;
        json k = json_of(r.kernel);
        for (const char* name : {"gpu_sim_cycle", "gpu_sim_insn"})
            if (const double* v = value(r, name)) k[name] = static_cast<std::uint64_t>(*v);
        if (const double* v = value(r, "gpu_ipc")) k["gpu_ipc"] = *v;
        kernels.push_back(std::move(k));
    }
    document["kernels"] = std::move(kernels);

    kernel::statistics list;
    platform::list_statistics(device, list);
    platform::bring_up_to_date(device);
    json blocks = json::object(), counters = json::object();
    for (const kernel::statistics::block& b : list.blocks()) {
        blocks[b.name] = {{"kind", b.kind}, {"counters", json_of(b.cells)}};
        json& meanings = counters[b.kind];
        for (const kernel::statistics::cell& c : b.cells)
            if (!meanings.contains(c.of->name))
                meanings[c.of->name] = {{"unit", c.of->unit},
                                        {"meaning", c.of->meaning},
                                        {"adds", kernel::adding_name(c.of->how)}};
    }
    document["counters"] = std::move(counters);
    document["blocks"] = std::move(blocks);
    file.write(document.dump(1) + "\n");
    file.commit();
}

void statistics_files::write_csv() const {
    kernel::output_file file(csv_);
    std::string text =
        "kernel,launch_uid,stream,finished,launched_at,start_cycle,end_cycle,ctas,ctas_per_sm";
    for (const platform::figure& c : columns_) text += ',' + quoted(c.name);
    text += '\n';
    const auto figures = [&](const row& r) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            text += ',';
            if (i >= r.values.size() || std::isnan(r.values[i])) continue;
            text += columns_[i].whole ? fmt::format("{}", static_cast<std::uint64_t>(r.values[i]))
                                      : fmt::format("{}", r.values[i]);
        }
        text += '\n';
    };
    for (const row& r : rows_) {
        if (!r.has_kernel) continue;
        const kernel_record& k = r.kernel;
        text += fmt::format("{},{},{},{},{},{},{},{},{}", quoted(k.subject.name), k.subject.launch,
                            k.subject.stream, k.finished ? 1 : 0, k.launched_at, k.start_cycle,
                            k.end_cycle, k.ctas, k.ctas_per_sm);
        figures(r);
    }
    text += "total,,,,,,,,";
    if (!rows_.empty())
        figures(rows_.back());
    else
        text += '\n';
    file.write(text);
    file.commit();
}

}  // namespace simtlm

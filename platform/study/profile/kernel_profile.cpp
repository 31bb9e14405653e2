// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/kernel_profile.h"

#include "modules/support/display_text.h"
#include "modules/support/error.h"
#include "platform/study/profile/measured_value.h"
#include "platform/study/profile/profile_metrics.h"
#include "platform/study/profile/profile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace simtlm::platform::study {

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();
constexpr const char* wanted_profile =
    "export it by 'ncu --import REPORT --csv --page raw' or by 'nsys stats --report "
    "cuda_gpu_kern_sum --format csv REPORT' (docs/profiles.md)";

/// "(4, 24, 1)", "4x24x1" or "   4   24    1" as "4 x 24 x 1"; empty if these are not three
/// numbers.
std::string extent_of(const std::string& text) {
    std::vector<std::string> numbers(1);
    for (const char c : text) {
        if (c >= '0' && c <= '9')
            numbers.back() += c;
        else if (!numbers.back().empty())
            numbers.emplace_back();
    }
    if (numbers.back().empty()) numbers.pop_back();
    return numbers.size() == 3 ? fmt::format("{}", fmt::join(numbers, " x ")) : std::string();
}

/// Makes launches of the rows of a table.
class profile_reader {
public:
    profile_reader(const profile_table& table, kernel_profile& into)
        : table_(table), profile_(into) {}

    void read() {
        switch (table_.format) {
            case profile_format::compute_long:
                read_long("Metric Value");
                break;
            case profile_format::compute_summary:
                read_long("Average");
                break;
            case profile_format::compute_wide:
                read_wide();
                break;
            case profile_format::systems_summary:
                read_summary();
                break;
            case profile_format::systems_trace:
                read_trace();
                break;
        }
    }

private:
    [[noreturn]] void refuse(const profile_table::row& r, const std::string& what) const {
        throw support::user_error(fmt::format("{}:{}", profile_.file, r.line), what,
                                  wanted_profile);
    }
    void observe(std::size_t column) {
        for (const auto& r : table_.rows) notation_.observe(r.cells[column], profile_.file, r.line);
    }
    /// A number that has to be there.
    double number(const profile_table::row& r, std::size_t column) const {
        const auto v = notation_.value(r.cells[column]);
        if (!v)
            refuse(r, fmt::format("'{}' in the column {} is not a number",
                                  support::printable(r.cells[column]), table_.columns[column]));
        return *v;
    }
    void add(measured_launch& launch, const std::string& name, const std::string& unit,
             const std::string& text) {
        if (name.empty()) return;  // a row of advice
        const measured_unit u = measured_unit::of(unit);
        const std::string metric = canonical_metric(name, u.name);
        if (const auto v = notation_.value(text)) {
            if (std::isnan(profile_.value(launch, metric)))
                profile_.set(launch, metric, *v * u.factor);
        } else {
            profile_.unread.emplace(metric, text.empty() ? "no value" : "not a number");
        }
    }
    measured_launch launch_of(const profile_table::row& r) const {
        measured_launch l;
        l.name = table_.cell(r, "Kernel Name");
        l.grid = extent_of(table_.cell(r, "Grid Size"));
        l.block = extent_of(table_.cell(r, "Block Size"));
        if (l.name.empty()) refuse(r, "the name of the kernel is missing");
        return l;
    }

    void read_long(const char* value_column) {
        const std::size_t name = *table_.column("Metric Name"),
                          value = *table_.column(value_column);
        observe(value);
        const auto unit = table_.column("Metric Unit");
        std::map<std::string, std::size_t> launches;  // by what tells them apart
        for (const auto& r : table_.rows) {
            measured_launch l = launch_of(r);
            const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", table_.cell(r, "Process ID"),
                                                table_.cell(r, "ID"), l.name, l.grid, l.block);
            const auto [at, fresh] = launches.emplace(key, profile_.launches.size());
            if (fresh) {
                if (const auto n = table_.column("Invocations")) l.launches = number(r, *n);
                profile_.launches.push_back(std::move(l));
            }
            add(profile_.launches[at->second], r.cells[name], unit ? r.cells[*unit] : "",
                r.cells[value]);
        }
    }

    void read_wide() {
        static const std::set<std::string> described = {
            "ID",          "Process ID", "Process Name", "Host Name",  "Kernel Name",
            "Kernel Time", "Context",    "Stream",       "Block Size", "Grid Size",
            "Device",      "CC",         "Section Name"};
        std::vector<std::string> units(table_.columns.size());
        std::size_t first = 0;
        if (!table_.rows.empty() && table_.cell(table_.rows[0], "ID").empty()) {
            units = table_.rows[0].cells;
            first = 1;
        }
        std::vector<std::size_t> metrics;
        for (std::size_t c = 0; c < table_.columns.size(); ++c)
            if (described.count(table_.columns[c]) == 0) metrics.push_back(c);
        for (std::size_t i = first; i < table_.rows.size(); ++i)
            for (const std::size_t c : metrics)
                notation_.observe(table_.rows[i].cells[c], profile_.file, table_.rows[i].line);
        for (std::size_t i = first; i < table_.rows.size(); ++i) {
            const auto& r = table_.rows[i];
            measured_launch l = launch_of(r);
            for (const std::size_t c : metrics) add(l, table_.columns[c], units[c], r.cells[c]);
            profile_.launches.push_back(std::move(l));
        }
    }

    void read_summary() {
        const std::size_t total = *table_.column("Total Time"), count = *table_.column("Instances");
        const double factor = measured_unit::of(table_.unit(total)).factor;
        observe(total);
        for (const auto& r : table_.rows) {
            measured_launch l;
            l.name = table_.cell(r, "Name");
            l.grid = extent_of(table_.cell(r, "GridXYZ"));
            l.block = extent_of(table_.cell(r, "BlockXYZ"));
            l.launches = number(r, count);
            if (l.name.empty()) refuse(r, "the name of the kernel is missing");
            if (!(l.launches >= 1)) refuse(r, "the number of instances is less than 1");
            profile_.set(l, "gpu__time_duration.sum", number(r, total) * factor / l.launches);
            profile_.launches.push_back(std::move(l));
        }
    }

    void read_trace() {
        const std::size_t start = *table_.column("Start"), duration = *table_.column("Duration"),
                          grid = *table_.column("GrdX");
        for (const std::size_t c : {start, duration}) observe(c);
        const auto optional_value = [&](const profile_table::row& r, measured_launch& l,
                                        const char* name, const char* metric) {
            const auto c = table_.column(name);
            const auto v = c ? notation_.value(r.cells[*c]) : std::nullopt;
            if (v) profile_.set(l, metric, *v * measured_unit::of(table_.unit(*c)).factor);
        };
        std::vector<std::pair<double, measured_launch>> launches;
        for (const auto& r : table_.rows) {
            measured_launch l;
            l.name = table_.cell(r, "Name");
            if (r.cells[grid].empty() || l.name.rfind("[CUDA ", 0) == 0) {
                ++profile_.other_rows;  // a copy
                continue;
            }
            const auto extent = [&](const std::string& which) {
                return extent_of(table_.cell(r, which + "X") + " " + table_.cell(r, which + "Y") +
                                 " " + table_.cell(r, which + "Z"));
            };
            l.grid = extent("Grd");
            l.block = extent("Blk");
            profile_.set(l, "gpu__time_duration.sum",
                         number(r, duration) * measured_unit::of(table_.unit(duration)).factor);
            optional_value(r, l, "Reg/Trd", "launch__registers_per_thread");
            launches.emplace_back(number(r, start), std::move(l));
        }
        std::stable_sort(launches.begin(), launches.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (auto& [when, l] : launches) profile_.launches.push_back(std::move(l));
    }

    const profile_table& table_;
    kernel_profile& profile_;
    number_notation notation_;
};

const char* name_of(profile_format f) {
    switch (f) {
        case profile_format::compute_long:
            return "Nsight Compute";
        case profile_format::compute_summary:
            return "Nsight Compute, summary of launches";
        case profile_format::compute_wide:
            return "Nsight Compute, raw page";
        case profile_format::systems_summary:
            return "Nsight Systems, kernel summary";
        case profile_format::systems_trace:
            return "Nsight Systems, trace";
    }
    return "";
}

/// What a file is that holds no table, for the message.
std::string fault_of(const std::string& text) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) return "is empty";
    if (text.compare(0, 2, "\xff\xfe") == 0 || text.compare(0, 2, "\xfe\xff") == 0)
        return "is UTF-16; save it as UTF-8";
    if (text.find('\0') != std::string::npos)
        return "is binary, as the reports of the profilers (.ncu-rep, .nsys-rep)";
    return "is neither a statistics file nor a table of Nsight Compute or Nsight Systems";
}

}  // namespace

std::size_t kernel_profile::index_of(const std::string& metric) {
    const auto [at, fresh] = indices_.emplace(metric, metrics.size());
    if (fresh) metrics.push_back(metric);
    return at->second;
}

void kernel_profile::set(measured_launch& launch, const std::string& metric, double value) {
    const std::size_t i = index_of(metric);
    if (launch.values.size() <= i) launch.values.resize(i + 1, no_value);
    launch.values[i] = value;
}

double kernel_profile::value(const measured_launch& launch, const std::string& metric) const {
    const auto at = indices_.find(metric);
    return at != indices_.end() && at->second < launch.values.size() ? launch.values[at->second]
                                                                     : no_value;
}

kernel_profile kernel_profile::parse(const std::string& text, const std::string& file) {
    kernel_profile profile;
    profile.file = file;
    std::vector<profile_table> tables = profile_table::find(text, file);
    // A trace has all that a summary of the same report has.
    const auto all_launches = std::find_if(tables.begin(), tables.end(), [](const auto& t) {
        return t.format == profile_format::systems_trace;
    });
    for (auto t = tables.begin(); t != tables.end(); ++t) {
        if (t->format == profile_format::systems_summary && all_launches != tables.end()) continue;
        if (profile.kind.empty()) profile.kind = name_of(t->format);
        profile_reader(*t, profile).read();
    }
    if (tables.empty()) throw support::user_error(file, fault_of(text), wanted_profile);
    if (profile.launches.empty())
        throw support::user_error(
            file, "has no kernels",
            "check that the profiled program launches some and that the filters select them");
    for (const std::string& m : profile.metrics) profile.unread.erase(m);
    return profile;
}

}  // namespace simtlm::platform::study

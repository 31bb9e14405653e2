// SPDX-License-Identifier: Apache-2.0
#include "platform/study/profile/profile_table.h"

#include "modules/support/csv_rows.h"
#include "modules/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace simtlm::platform::study {

namespace {

void trim(std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
    text = begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

std::optional<profile_format> format_of(const profile_table& t) {
    const auto has = [&](const char* name) { return t.column(name).has_value(); };
    if (has("Kernel Name") && has("Metric Name")) {
        if (has("Metric Value") && has("ID")) return profile_format::compute_long;
        if (has("Average") && has("Invocations")) return profile_format::compute_summary;
    }
    const bool has_metric =
        std::any_of(t.columns.begin(), t.columns.end(),
                    [](const std::string& c) { return c.find("__") != std::string::npos; });
    if (has("Kernel Name") && has("ID") && has_metric) return profile_format::compute_wide;
    if (has("Total Time") && has("Instances") && has("Name"))
        return profile_format::systems_summary;
    if (has("Start") && has("Duration") && has("GrdX") && has("Name"))
        return profile_format::systems_trace;
    return std::nullopt;
}

/// The table that a line begins, if it is the head of one.
std::optional<profile_table> begun_by(std::string_view text, std::size_t at, char& separator) {
    for (const char c : {',', ';', '\t'}) {
        profile_table t;
        t.columns = support::csv_row_at(text, at, c, true).cells;
        constexpr std::size_t fewest = 3;
        if (t.columns.size() < fewest) continue;
        for (std::string& name : t.columns) trim(name);
        const auto format = format_of(t);
        if (!format) continue;
        t.format = *format;
        separator = c;
        return t;
    }
    return std::nullopt;
}

/// A message of a profiler between or after the rows.
bool is_message(std::string_view line) {
    constexpr std::string_view beginnings[] = {
        "==",       "Processing ", "Generating ", "Exporting ", "NOTICE:",    "SKIPPED:",
        "WARNING:", "ERROR:",      "[",           " ** ",       "Executing ", "\xef\xbb\xbf"};
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](std::string_view b) { return line.substr(0, b.size()) == b; });
}

class table_finder {
public:
    table_finder(const std::string& text, const std::string& file) : text_(text), file_(file) {}

    std::vector<profile_table> find() {
        while (at_ < text_.size()) {
            const std::size_t newline = std::min(text_.find('\n', at_), text_.size());
            std::string_view line = text_.substr(at_, newline - at_);
            if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
            if (line.find_first_not_of(" \t;,") == std::string_view::npos) {
                // Between reports of Nsight Systems, which may have tables of the same width.
                open_ = open_ && tables_.back().format < profile_format::systems_summary;
                after_blank_ = true;
                skip_line(newline);
            } else if (auto t = begun_by(text_, at_, separator_)) {
                begin(std::move(*t));
                skip_line(newline);
            } else if (!open_ || is_message(line)) {
                open_ = open_ && line.substr(0, 2) == "==";
                skip_line(newline);
            } else if (after_blank_ && !fits(line)) {
                open_ = false;  // what the program printed at its end
                skip_line(newline);
            } else {
                add_row();
            }
        }
        return std::move(tables_);
    }

private:
    void skip_line(std::size_t newline) {
        at_ = newline + 1;
        ++line_;
    }
    bool fits(std::string_view line) const {
        return support::csv_row_at(line, 0, separator_, true).cells.size() ==
               tables_.back().columns.size();
    }
    void begin(profile_table t) {
        open_ = true;
        after_blank_ = false;
        const bool again = !tables_.empty() && tables_.back().columns == t.columns;
        if (!again) tables_.push_back(std::move(t));
    }
    void add_row() {
        support::csv_row r = support::csv_row_at(text_, at_, separator_, false);
        const auto refuse = [&](const std::string& what, const char* remedy) {
            throw support::user_error(fmt::format("{}:{}", file_, line_), what, remedy);
        };
        if (r.open_quote)
            refuse("has a quote that is not closed", "the file is truncated: export it again");
        const std::size_t columns = tables_.back().columns.size();
        if (r.cells.size() == columns + 1 && r.cells.back().empty()) r.cells.pop_back();
        if (r.cells.size() != columns)
            refuse(fmt::format("the row has {} cells instead of {}", r.cells.size(), columns),
                   r.cells.size() < columns
                       ? "the file is truncated or edited: export it again"
                       : "write names that contain a separator in quotes, as the profilers do");
        after_blank_ = false;
        for (std::string& c : r.cells) trim(c);
        tables_.back().rows.push_back({line_, std::move(r.cells)});
        line_ +=
            static_cast<std::size_t>(std::count(text_.begin() + static_cast<long>(at_),
                                                text_.begin() + static_cast<long>(r.end), '\n'));
        at_ = r.end;
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0, line_ = 1;
    char separator_ = ',';
    bool open_ = false, after_blank_ = false;
    std::vector<profile_table> tables_;
};

}  // namespace

std::optional<std::size_t> profile_table::column(const std::string& name) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string& c = columns[i];
        if (c.compare(0, name.size(), name) != 0) continue;
        const std::size_t unit = c.find_first_not_of(' ', name.size());
        if (unit == std::string::npos || c[unit] == '(') return i;
    }
    return std::nullopt;
}

std::string profile_table::cell(const row& r, const std::string& name) const {
    const auto c = column(name);
    return c ? r.cells[*c] : std::string();
}

std::string profile_table::unit(std::size_t column) const {
    const std::string& name = columns[column];
    const std::size_t open = name.rfind('(');
    if (open == std::string::npos || name.back() != ')') return {};
    return name.substr(open + 1, name.size() - open - 2);
}

std::vector<profile_table> profile_table::find(const std::string& text, const std::string& file) {
    return table_finder(text, file).find();
}

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#include "modules/power/energy_table.h"

#include "modules/support/csv_rows.h"
#include "modules/support/error.h"
#include "modules/support/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

namespace simtlm::power {

double energy_table::volts_at(double megahertz) const {
    if (curve.empty()) return reference_volts;
    const auto after = std::find_if(curve.begin(), curve.end(),
                                    [&](const auto& p) { return p.megahertz >= megahertz; });
    if (after == curve.begin()) return curve.front().volts;
    if (after == curve.end()) return curve.back().volts;
    const operating_point& low = *(after - 1);
    const double share = (megahertz - low.megahertz) / (after->megahertz - low.megahertz);
    return low.volts + share * (after->volts - low.volts);
}

double energy_table::voltage_factor(component c, double volts) const {
    if (!is_on_core_rail(c)) return 1;
    const double ratio = volts / reference_volts;
    return group_of(c) == component_group::leakage ? ratio : ratio * ratio;
}

double energy_table::leakage_factor(double celsius) const {
    return std::exp2((celsius - reference_celsius) / leakage_doubling);
}

namespace {

constexpr const char* layout =
    "rows are component,per,value,unit,source, as docs/power.md describes";

/// A row with a number.
struct table_row {
    std::string component, per, unit;
    double value = 0;
};

/// Fills a table from rows.
class table_reader {
public:
    /// @param depth  number of tables that are being read and refer to this one
    explicit table_reader(std::string file, unsigned depth = 0)
        : file_(std::move(file)), depth_(depth) {}

    void read() {
        const std::string whole = support::read_text_file(file_, layout);
        std::string_view text = whole;
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            ++line_;
            row(text.substr(0, end));
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
        for (table_row& r : inherited_)
            if (seen_.insert(r.component + "," + r.per).second) set(std::move(r));
        if (table_.terms.empty()) fail("is not an energy table", layout);
        std::sort(table_.curve.begin(), table_.curve.end(),
                  [](const auto& a, const auto& b) { return a.megahertz < b.megahertz; });
    }
    energy_table take() { return std::move(table_); }

private:
    [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
        throw support::user_error(fmt::format("{}:{}", file_, line_), what, remedy);
    }

    double number(const std::string& text) const {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
            value < 0)
            fail("\"" + text + "\" is not a number that is at least 0", layout);
        return value;
    }

    void row(std::string_view line) {
        if (line.empty() || line[0] == '#' || line == "\r") return;
        const std::vector<std::string> f = support::csv_row_at(line, 0, ',', true).cells;
        if (f[0] == "component") return;
        if (f.size() < 4) fail("has too few columns", layout);
        const std::string of_unit = f[0] == "TABLE" ? "," + f[3] : "";
        if (!seen_.insert(f[0] + "," + f[1] + of_unit).second)
            fail(f[0] + "," + f[1] + of_unit + " appears twice", "remove one of the rows");
        if (f[0] == "STATUS") {
            if (f[1] != "validated" && f[1] != "estimated")
                fail("\"" + f[1] + "\" is neither validated nor estimated", layout);
            table_.status = f[1];
            return;
        }
        table_row r{f[0], f[1], f[3], number(f[2])};
        if (r.component == "TABLE")
            inherit(r);
        else
            set(std::move(r));
    }

    /// Takes the rows of another table in one unit, times a factor, that this table does not have.
    void inherit(const table_row& from) {
        if (from.unit != "pJ" && from.unit != "W")
            fail("\"" + from.unit + "\" is not a unit of TABLE", "pJ or W");
        constexpr unsigned deepest = 8;
        if (depth_ == deepest) fail("tables refer to each other", "remove one of the rows TABLE");
        table_reader other((std::filesystem::path(file_).parent_path() / from.per).string(),
                           depth_ + 1);
        other.read();
        for (table_row& r : other.rows_) {
            if (r.unit != from.unit) continue;
            r.value *= from.value;
            inherited_.push_back(std::move(r));
        }
    }

    void set(table_row r) {
        if (r.unit == "pJ")
            energy(r.component, r.per, r.value);
        else if (r.unit == "W")
            power(r.component, r.per, r.value);
        else if (r.unit == "V" && r.component == "VOLTAGE")
            voltage(r.per, r.value);
        else if (r.component == "TEMPERATURE" && r.per.empty() && r.unit == "C")
            table_.reference_celsius = r.value;
        else if (r.component == "TEMPERATURE" && r.per == "doubling" && r.unit == "K" &&
                 r.value > 0)
            table_.leakage_doubling = r.value;
        else
            fail("\"" + r.unit + "\" is not a unit of " + r.component,
                 "pJ, W, V (of VOLTAGE), C (of TEMPERATURE) or K (of TEMPERATURE,doubling)");
        rows_.push_back(std::move(r));
    }

    void energy(const std::string& name, const std::string& per, double value) {
        const std::optional<component> part = component_named(name);
        if (!part) fail("component " + name + " is unknown", "see docs/power.md");
        energy_table::term t;
        t.part = *part;
        t.picojoules = value;
        if (const std::optional<activity> a = activity_named(per))
            t.per = *a;
        else if (per.find('.') != std::string::npos)
            t.counter = per;
        else
            fail("\"" + per + "\" is not counted",
                 "an activity of docs/power.md, or KIND.COUNTER[.CELL] of docs/statistics.md");
        table_.terms.push_back(std::move(t));
    }

    void power(const std::string& name, const std::string& per, double value) {
        if (name == "CONSTP")
            table_.constant_watts = value;
        else if (name == "IDLE_COREP")
            table_.idle_sm_watts = value;
        else if (name == "MCP")
            table_.memory_controller_watts = value;
        else if (name == "CAP")
            table_.cap_watts = value;
        else if (name != "STATICP")
            fail(name + " has no power without activity",
                 "CONSTP, IDLE_COREP, MCP, STATICP or CAP");
        else
            static_power(per, value);
    }

    void static_power(const std::string& per, double value) {
        const std::size_t dot = per.find('.');
        const std::string mix = per.substr(0, dot);
        for (unsigned m = 0; m < unit_mixes; ++m) {
            if (unit_mix_name(static_cast<unit_mix>(m)) != mix) continue;
            const std::string lane = dot == std::string::npos ? "" : per.substr(dot + 1);
            if (lane == "first_lane") {
                table_.of_mix[m].first_lane = value;
                return;
            }
            if (lane == "added_lane") {
                table_.of_mix[m].added_lane = value;
                return;
            }
        }
        fail("static power of \"" + per + "\" is unknown",
             "MIX.first_lane or MIX.added_lane; MIX is cat1 to cat6, light, intadd, intmul, "
             "geomean, shared, l1 or l2");
    }

    void voltage(const std::string& per, double value) {
        if (value == 0) fail("a voltage is not 0", layout);
        if (per.empty())
            table_.reference_volts = value;
        else
            table_.curve.push_back({number(per), value});
    }

    std::string file_;
    unsigned depth_;
    unsigned line_ = 0;
    energy_table table_;
    std::set<std::string> seen_;
    std::vector<table_row> rows_, inherited_;
};

}  // namespace

bool is_xml(const std::string& file) {
    const std::string text = support::read_text_file(file, "an energy table or XML of AccelWattch");
    const std::size_t at = text.find_first_not_of(" \t\r\n");
    return at != std::string::npos && text[at] == '<';
}

energy_table read_energy_table(const std::string& file) {
    table_reader reader(file);
    reader.read();
    return reader.take();
}

}  // namespace simtlm::power

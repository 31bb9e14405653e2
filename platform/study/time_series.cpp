// SPDX-License-Identifier: Apache-2.0
#include "platform/study/time_series.h"

#include "modules/support/csv_rows.h"
#include "modules/support/error.h"
#include "modules/support/number_text.h"
#include "platform/study/sqlite_database.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <utility>

namespace simtlm::platform::study {

namespace {

constexpr const char* wanted_file = "name a file written by simtlm --interval N";
constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// Statistics of single units that are drawn, by kind.
constexpr std::pair<const char*, const char*> mapped[] = {{"sm", "ipc"},
                                                          {"channel", "dram_utilisation"}};

/// Averages samples into points.
class collector {
public:
    explicit collector(std::size_t points) : max_(points) {}

    void begin(const std::vector<double>& sample_cycles) {
        const std::size_t samples = sample_cycles.size();
        each_ = std::max<std::size_t>(1, (samples + max_ - 1) / max_);
        const std::size_t n = (samples + each_ - 1) / each_;
        for (std::size_t i = 0; i < n; ++i)
            out_.cycles.push_back(sample_cycles[std::min(samples, (i + 1) * each_) - 1]);
        for (const auto& [kind, statistic] : mapped) {
            out_.maps.push_back({kind, statistic, {}, {}});
            counts_of_maps_.emplace_back();
        }
    }
    void add(std::size_t sample, const std::string& unit, const std::string& kind,
             const std::string& statistic, double value) {
        const std::size_t point = sample / each_;
        if (point >= out_.cycles.size()) return;
        if (kind == "gpu")
            add_to(out_.whole[statistic], counts_[statistic], point, value);
        else
            for (std::size_t m = 0; m < std::size(mapped); ++m)
                if (kind == mapped[m].first && statistic == mapped[m].second) {
                    const std::size_t row = row_of(m, unit);
                    add_to(out_.maps[m].rows[row], counts_of_maps_[m][row], point, value);
                }
    }
    time_series finish() {
        for (auto& [name, values] : out_.whole) average(values, counts_[name]);
        for (std::size_t m = 0; m < out_.maps.size(); ++m)
            for (std::size_t r = 0; r < out_.maps[m].rows.size(); ++r)
                average(out_.maps[m].rows[r], counts_of_maps_[m][r]);
        return std::move(out_);
    }

private:
    using counts = std::vector<unsigned>;

    std::size_t row_of(std::size_t map, const std::string& unit) {
        const auto [at, fresh] = rows_[map].emplace(unit, out_.maps[map].units.size());
        if (fresh) {
            out_.maps[map].units.push_back(unit);
            out_.maps[map].rows.emplace_back();
            counts_of_maps_[map].emplace_back();
        }
        return at->second;
    }
    void add_to(std::vector<double>& values, counts& n, std::size_t point, double value) {
        values.resize(out_.cycles.size());
        n.resize(out_.cycles.size());
        values[point] += value;
        ++n[point];
    }
    void average(std::vector<double>& values, const counts& n) const {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = n[i] != 0 ? values[i] / n[i] : absent;
    }

    std::size_t max_, each_ = 1;
    time_series out_;
    std::map<std::string, counts> counts_;
    std::vector<std::vector<counts>> counts_of_maps_;
    std::array<std::map<std::string, std::size_t>, std::size(mapped)> rows_;
};

// ---- SQLite -------------------------------------------------------------------------------

time_series read_database(const std::string& file, std::size_t points) {
    sqlite_database d(file, wanted_file);
    std::vector<double> cycles;
    d.each("SELECT cycle FROM samples ORDER BY id",
           [&](sqlite3_stmt* s) { cycles.push_back(sqlite3_column_double(s, 0)); });
    collector all(points);
    all.begin(cycles);
    d.each(
        "SELECT data.sample, units.name, units.kind, statistics.name, data.value FROM data "
        "JOIN units ON units.id = data.unit JOIN statistics ON statistics.id = data.statistic "
        "WHERE units.kind = 'gpu' OR (units.kind = 'sm' AND statistics.name = 'ipc') OR "
        "(units.kind = 'channel' AND statistics.name = 'dram_utilisation') "
        "ORDER BY data.sample, units.id",
        [&](sqlite3_stmt* s) {
            all.add(static_cast<std::size_t>(sqlite3_column_int64(s, 0)), d.text(s, 1),
                    d.text(s, 2), d.text(s, 3), sqlite3_column_double(s, 4));
        });
    return all.finish();
}

// ---- CSV ----------------------------------------------------------------------------------

std::vector<std::string> cells_of(const std::string& line) {
    return support::csv_row_at(line, 0, ',', true).cells;
}

time_series read_csv(const std::string& file, std::size_t points) {
    std::ifstream in(file);
    std::string line;
    const auto refuse = [&](const std::string& what) {
        throw support::user_error(file, what, wanted_file);
    };
    if (!std::getline(in, line)) refuse("is empty");
    const std::vector<std::string> head = cells_of(line);
    constexpr std::size_t unit = 4, kind = 5, first = 6;
    if (head.size() <= first || head[0] != "cycle" || head[unit] != "unit" || head[kind] != "kind")
        refuse("holds no statistics over time");
    std::vector<std::vector<std::string>> rows;
    std::vector<double> cycles;
    std::vector<std::size_t> sample_of;
    while (std::getline(in, line)) {
        rows.push_back(cells_of(line));
        if (rows.back().size() != head.size()) refuse("has a truncated row");
        const double cycle = support::read_double(rows.back()[0].c_str(), nullptr);
        if (cycles.empty() || cycles.back() != cycle) cycles.push_back(cycle);
        sample_of.push_back(cycles.size() - 1);
    }
    collector all(points);
    all.begin(cycles);
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = first; c < head.size(); ++c)
            if (!rows[r][c].empty())
                all.add(sample_of[r], rows[r][unit], rows[r][kind], head[c],
                        support::read_double(rows[r][c].c_str(), nullptr));
    return all.finish();
}

}  // namespace

time_series time_series::read(const std::string& file, std::size_t points) {
    std::ifstream in(file, std::ios::binary);
    std::string magic(15, '\0');
    if (!in) throw support::user_error(file, "cannot be read", wanted_file);
    in.read(magic.data(), static_cast<std::streamsize>(magic.size()));
    return magic == "SQLite format 3" ? read_database(file, points) : read_csv(file, points);
}

}  // namespace simtlm::platform::study

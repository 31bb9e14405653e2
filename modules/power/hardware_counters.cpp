// SPDX-License-Identifier: Apache-2.0
#include "modules/power/hardware_counters.h"

#include "modules/support/csv_rows.h"
#include "modules/support/error.h"
#include "modules/support/text_file.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <vector>

namespace simtlm::power {

namespace {

constexpr const char* counters_layout =
    "Benchmark,Kernel and 17 columns of counters, as in hw_perf.csv of AccelWattch";
constexpr std::size_t names = 2;

hardware_counts counts_of(const std::vector<std::string>& row, const std::string& where) {
    if (row.size() < names + hardware_counters)
        throw support::user_error(where, "has too few columns", counters_layout);
    hardware_counts counts;
    for (unsigned c = 0; c < hardware_counters; ++c) {
        const std::string& text = row[names + c];
        const char* const end = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data(), end, counts.of[c]);
        if (error != std::errc() || at != end || !(counts.of[c] >= 0))
            throw support::user_error(where, "\"" + text + "\" is not a count", counters_layout);
    }
    return counts;
}

}  // namespace

hardware_counts find_hardware_counts(const std::string& file, const std::string& benchmark,
                                     const std::string& kernel) {
    std::istringstream text(support::read_text_file(file, counters_layout));
    std::string line;
    std::vector<std::string> found;
    std::string where;
    for (unsigned number = 1; std::getline(text, line); ++number) {
        const std::vector<std::string> row = support::csv_row_at(line, 0, ',', true).cells;
        if (row.size() < names || row[0] != benchmark) continue;
        const bool exact = row[1].empty() || row[1] == kernel;
        if (!exact && !found.empty()) continue;
        found = row;
        where = fmt::format("{}:{}", file, number);
        if (exact) break;
    }
    if (found.empty())
        throw support::user_error(file, "has no row of benchmark \"" + benchmark + "\"",
                                  "-hw_perf_bench_name gives the name in its first column");
    return counts_of(found, where);
}

void replace_counts(activity_counts& a, const hardware_counts& by,
                    const std::array<bool, hardware_counters>& simulated, unsigned sms) {
    using hw = hardware_counter;
    const auto keeps = [&](hw c) { return simulated[static_cast<unsigned>(c)]; };
    const double idle = a[activity::idle_sms] / a[activity::cycles];
    const double duty = a[activity::pipeline_duty] / (a[activity::cycles] * sms);
    constexpr std::pair<hw, activity> direct[] = {{hw::l1_read_hits, activity::l1_read_hits},
                                                  {hw::l1_read_misses, activity::l1_read_misses},
                                                  {hw::l1_write_hits, activity::l1_write_hits},
                                                  {hw::l1_write_misses, activity::l1_write_misses},
                                                  {hw::constant_accesses, activity::constant_hits},
                                                  {hw::shared_accesses, activity::shared_accesses},
                                                  {hw::dram_reads, activity::dram_reads},
                                                  {hw::dram_writes, activity::dram_writes},
                                                  {hw::l2_read_hits, activity::l2_read_hits},
                                                  {hw::l2_read_misses, activity::l2_read_misses},
                                                  {hw::l2_write_hits, activity::l2_write_hits},
                                                  {hw::l2_write_misses, activity::l2_write_misses},
                                                  {hw::network_flits, activity::network_flits},
                                                  {hw::cycles, activity::cycles}};
    for (const auto& [from, to] : direct)
        if (!keeps(from)) a[to] = by[from];
    if (!keeps(hw::dram_reads)) a[activity::dram_precharges] = 0;  // hardware does not count them
    const double cycles = a[activity::cycles];
    a[activity::idle_sms] = cycles * (keeps(hw::idle_sms) ? idle : by[hw::idle_sms]);
    a[activity::pipeline_duty] =
        cycles * sms * (keeps(hw::pipeline_duty) ? duty : by[hw::pipeline_duty]);
}

}  // namespace simtlm::power

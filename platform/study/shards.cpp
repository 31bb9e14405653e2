// SPDX-License-Identifier: Apache-2.0
#include "platform/study/shards.h"

#include "modules/support/error.h"
#include "modules/support/output_file.h"
#include "platform/study/merge.h"
#include "platform/study/sweep_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace simtlm::platform::study {

namespace {

namespace fs = std::filesystem;

/// Number of ranges needed if none may be heavier than `most`.
std::vector<kernel_range> ranges_within(const std::vector<std::uint64_t>& weights,
                                        std::uint64_t most) {
    std::vector<kernel_range> ranges;
    std::uint64_t load = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::uint64_t w = std::max<std::uint64_t>(1, weights[i]);
        if (ranges.empty() || load + w > most) {
            ranges.push_back({i + 1, i + 1});
            load = 0;
        }
        ranges.back().last = i + 1;
        load += w;
    }
    return ranges;
}

/// Parses N in a line that ends in ": N warp instructions, M thread instructions, ...".
std::optional<std::uint64_t> warp_instructions_of(const std::string& line) {
    const std::size_t end = line.rfind(" warp instructions, ");
    if (end == std::string::npos || line.find(" thread instructions, ", end) == std::string::npos)
        return {};
    const std::size_t colon = line.rfind(": ", end);
    if (colon == std::string::npos) return {};
    const char* const last = line.data() + end;
    std::uint64_t count = 0;
    const auto [stop, error] = std::from_chars(line.data() + colon + 2, last, count);
    if (error != std::errc{} || stop != last) return {};
    return count;
}

/// Fingerprint of the inputs and the command of a sharded run, independent of the number of shards.
std::string inputs_of(const sweep_run& r) {
    return r.fingerprint.substr(0, r.fingerprint.find('-'));
}

sweep_run counting_run(const sweep_run& r) {
    sweep_run c = r;
    c.shards = 0;
    c.id = r.id + " launches";
    c.series = r.series + ", counting launches";
    c.folder = r.folder + "/launches";
    c.command = sweep_command(r.counting, c.folder);
    c.fingerprint = inputs_of(r) + "-launches";
    c.wants_statistics = false;
    return c;
}

/// The run that simulates the kernels of a range, preceded by those that warm the caches.
sweep_run shard_of(const sweep_run& r, const kernel_range& range) {
    sweep_run s = r;
    const std::uint64_t before = std::min<std::uint64_t>(r.warm_up, range.first - 1);
    const std::string kernels = fmt::format("{}-{}", range.first - before, range.last);
    s.shards = 0;
    s.id = fmt::format("{} kernels {}-{}", r.id, range.first, range.last);
    s.series = fmt::format("{}, kernels {}-{}", r.series, range.first, range.last);
    s.folder = fmt::format("{}/kernels-{}-{}", r.folder, range.first, range.last);
    s.command = sweep_command(r.pattern, s.folder);
    s.command.insert(s.command.begin() + static_cast<std::ptrdiff_t>(r.choice_at),
                     {"--kernels", kernels});
    s.fingerprint = inputs_of(r) + "-" + kernels;
    return s;
}

std::vector<std::uint64_t> weights_of(const sweep_run& r, const trace_weights& of_trace) {
    if (!r.trace.empty()) return of_trace(r.trace);
    const sweep_run c = counting_run(r);
    const auto outcome = outcome_of(c);
    if (!outcome || !outcome->ok()) return {};
    std::string report;
    for (const char* file : {"output", "reports"}) {
        std::ifstream in(fs::path(c.folder) / file, std::ios::binary);
        std::ostringstream text;
        if (in) text << in.rdbuf();
        report += text.str();
    }
    return launch_counts(report);
}

std::vector<sweep_run> shards_of(const sweep_run& r, const trace_weights& of_trace) {
    std::vector<sweep_run> shards;
    for (const kernel_range& range : balanced_shards(weights_of(r, of_trace), r.shards))
        shards.push_back(shard_of(r, range));
    return shards;
}

/// The combined outcome of the shards: the error of a failed one, if any. Nothing if shards have
/// not ended.
std::optional<sweep_outcome> joint_outcome(const std::vector<sweep_run>& shards) {
    sweep_outcome all;
    for (const sweep_run& s : shards) {
        const auto one = outcome_of(s);
        if (!one) return std::nullopt;
        all.wall += one->wall;
        all.user += one->user;
        all.peak_kb = std::max(all.peak_kb, one->peak_kb);
        if (one->ok() || !all.ok()) continue;
        all.code = one->code;
        all.message = fmt::format("{}: {}", fs::path(s.folder).filename().string(), one->message);
    }
    return all;
}

void merge_run(const sweep_run& r, const trace_weights& of_trace) {
    if (r.trace.empty()) {
        const sweep_run c = counting_run(r);
        const auto counted = outcome_of(c);
        if (!counted) return;
        if (!counted->ok()) {
            sweep_outcome failed = *counted;
            failed.message = "counting its launches: " + failed.message;
            return write_outcome(r, failed);
        }
    }
    const std::vector<sweep_run> shards = shards_of(r, of_trace);
    auto outcome = joint_outcome(shards);
    if (!outcome) return;
    if (shards.empty()) outcome->message = "it has no kernels";
    if (outcome->ok()) {
        try {
            std::vector<statistics_run> runs;
            for (const sweep_run& s : shards)
                runs.push_back(
                    statistics_run::read((fs::path(s.folder) / "statistics.json").string()));
            merge_options how;
            how.overlap = r.warm_up != 0;
            const json merged = merge(runs, how);
            support::output_file file(r.folder + "/statistics.json");
            file.write(merged.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
            file.commit();
        } catch (const support::user_error& e) {
            outcome->message = e.what();
        }
    }
    write_outcome(r, *outcome);
}

}  // namespace

std::vector<kernel_range> balanced_shards(const std::vector<std::uint64_t>& weights,
                                          unsigned shards) {
    if (weights.empty() || shards == 0) return {};
    std::uint64_t low = 1, high = 0;
    for (const std::uint64_t w : weights) {
        low = std::max(low, w);
        high += std::max<std::uint64_t>(1, w);
    }
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (ranges_within(weights, middle).size() <= shards)
            high = middle;
        else
            low = middle + 1;
    }
    return ranges_within(weights, low);
}

std::vector<std::uint64_t> launch_counts(const std::string& report) {
    std::vector<std::uint64_t> counts;
    std::istringstream lines(report);
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("kernel ", 0) == 0)
            if (const auto count = warp_instructions_of(line)) counts.push_back(*count);
    return counts;
}

std::vector<sweep_run> counting_runs(const sweep_plan& plan) {
    std::vector<sweep_run> runs;
    for (const sweep_run& r : plan.runs)
        if (r.shards != 0 && r.trace.empty()) runs.push_back(counting_run(r));
    return runs;
}

std::vector<sweep_run> timed_runs(const sweep_plan& plan, const trace_weights& weights_of_trace) {
    std::vector<sweep_run> runs;
    for (const sweep_run& r : plan.runs) {
        if (r.shards == 0) {
            runs.push_back(r);
            continue;
        }
        for (sweep_run& s : shards_of(r, weights_of_trace)) runs.push_back(std::move(s));
    }
    return runs;
}

void merge_shards(const sweep_plan& plan, const trace_weights& weights_of_trace) {
    for (const sweep_run& r : plan.runs)
        if (r.shards != 0) merge_run(r, weights_of_trace);
}

}  // namespace simtlm::platform::study

// SPDX-License-Identifier: Apache-2.0
#include "modules/support/error.h"
#include "platform/study/findings.h"
#include "platform/study/run_time.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::platform::study {

namespace {

constexpr std::size_t width = 100;
constexpr std::size_t max_lines = 30;

std::string clipped(const std::string& text, std::size_t columns) {
    return text.size() <= columns ? text : text.substr(0, columns - 3) + "...";
}

/// Wraps text at spaces and indents it.
void wrap(const std::string& text, std::size_t indent, std::vector<std::string>& lines) {
    std::string line(indent, ' ');
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t end = text.find(' ', at);
        if (end == std::string::npos) end = text.size();
        if (line.size() + (end - at) > width && line.size() > indent) {
            lines.push_back(line);
            line.assign(indent, ' ');
        }
        line += (line.size() > indent ? " " : "") + text.substr(at, end - at);
        at = end + 1;
    }
    if (line.size() > indent) lines.push_back(line);
}

std::string share_text(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

std::string time_text(double seconds) {
    return seconds >= 1e-3 ? fmt::format("{:.4g} ms", 1e3 * seconds)
                           : fmt::format("{:.4g} us", 1e6 * seconds);
}

/// A finding with its estimated speed-up. @param complete  with places, one line each
void add_finding(const finding& f, std::size_t number, bool complete,
                 std::vector<std::string>& lines) {
    std::string text = fmt::format("{}. {} (up to {:.2f}x faster without). {}", number, f.headline,
                                   f.speed_up, f.detail);
    if (!complete && !f.places.empty())
        text += fmt::format(" {}: {}.", f.places[0].where, f.places[0].degree);
    wrap(text + " " + f.remedy, 2, lines);
    if (complete)
        for (const finding::place& p : f.places)
            wrap(fmt::format("- {}: {}", p.where, p.degree), 5, lines);
}

std::string title_of(const kernel_analysis& k) {
    return clipped(fmt::format("Why {} takes {}{} cycles{}:", k.key.text(),
                               k.seconds > 0 ? time_text(k.seconds) + " (" : "",
                               readable_number(k.run_cycles), k.seconds > 0 ? ")" : ""),
                   width);
}

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

/// The occupancy table: blocks that each resource admits, and what would admit more.
void add_occupancy(const kernel_analysis& k, std::vector<std::string>& lines) {
    lines.push_back(fmt::format("Occupancy: {} achieved, {} possible ({:.0f} blocks per SM)",
                                share_text(k.occupancy), share_text(k.occupancy_limit),
                                k.ctas_per_sm));
    for (const occupancy_row& r : k.occupancy_rows)
        wrap(fmt::format("{} {:<14} {:>4.0f} blocks, {:>5}  {}", r.limits ? "*" : " ", r.resource,
                         r.ctas, share_text(r.occupancy), r.to_gain),
             2, lines);
}

}  // namespace

std::string summary_text(const statistics_run& run) {
    const gpu_limits limits = gpu_limits::of(run);
    const double hz = mean_core_hz(run);
    std::vector<kernel_analysis> kernels = analyse(run);
    double launch = 0, execution = 0;
    for (const kernel_analysis& k : kernels) {
        launch += k.launch_cycles;
        execution += k.run_cycles;
    }
    std::vector<std::string> lines;
    lines.push_back(
        clipped(fmt::format("{}: {}, {}", run.file(), run.presets(), run.ended()), width));
    if (const std::string r = run.resumed(); !r.empty()) lines.push_back(clipped(r, width));
    lines.push_back(fmt::format(
        "{} {}, {}{} core cycles{}; {} cycles of launch latency, {} of execution (sums over "
        "kernels)",
        kernels.size(), kernels.size() == 1 ? "kernel" : "kernels",
        hz > 0 ? time_text(run.cycles() / hz) + " (" : "", readable_number(run.cycles()),
        hz > 0 ? ")" : "", readable_number(launch), readable_number(execution)));
    if (!limits.known)
        lines.push_back(
            "The file has no peak rates of the GPU: it was written by an older "
            "version).");
    lines.emplace_back();
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const kernel_analysis& a, const kernel_analysis& b) {
                         return a.run_cycles > b.run_cycles;
                     });
    lines.push_back(fmt::format("{:<28} {:>9} {:>11} {:>6} {:>7} {:>6} {:>6} {:>6}  {}",
                                "longest kernels", "time", "cycles", "share", "IPC", "peak",
                                "occup.", "DRAM", "limited by"));
    constexpr std::size_t max_kernels = 6, max_findings = 3;
    for (std::size_t i = 0; i < std::min(kernels.size(), max_kernels); ++i) {
        const kernel_analysis& k = kernels[i];
        lines.push_back(fmt::format(
            "{:<28} {:>9} {:>11} {:>6} {:>7.1f} {:>6} {:>6} {:>6}  {}", clipped(k.key.text(), 28),
            time_text(k.seconds), readable_number(k.run_cycles),
            share_text(execution > 0 ? k.run_cycles / execution : 0), k.ipc,
            share_text(k.ipc_share), share_text(k.occupancy), share_text(k.dram.share()), k.bound));
    }
    if (kernels.size() > max_kernels)
        lines.push_back(fmt::format("... and {} more", kernels.size() - max_kernels));
    for (const finding& f : findings_of_run(run, kernels))
        wrap(fmt::format("{}: {} {}", f.headline, f.detail, f.remedy), 0, lines);
    for (std::size_t i = 0; i < std::min<std::size_t>(kernels.size(), 2); ++i) {
        const kernel_analysis& k = kernels[i];
        std::vector<std::string> block = {"", title_of(k)};
        for (std::size_t f = 0; f < std::min(k.findings.size(), max_findings); ++f) {
            const std::size_t before = block.size();
            add_finding(k.findings[f], f + 1, false, block);
            if (lines.size() + block.size() > max_lines) block.resize(before);
        }
        if (block.size() > 2) lines.insert(lines.end(), block.begin(), block.end());
    }
    lines.resize(std::min(lines.size(), max_lines));
    return text_of(lines);
}

std::string kernel_text(const statistics_run& run, const std::string& kernel) {
    const std::vector<kernel_analysis> kernels = analyse(run);
    const auto named = [&](const kernel_analysis& k) {
        const std::string number =
            std::to_string(k.key.list_number != 0 ? k.key.list_number : k.key.launch_uid);
        return number == kernel || k.key.name.find(kernel) != std::string::npos;
    };
    const auto at = std::find_if(kernels.begin(), kernels.end(), named);
    if (at == kernels.end())
        throw support::user_error(run.file(), fmt::format("has no kernel '{}'", kernel),
                                  "name one by its number or a part of its name; --summary lists "
                                  "the longest");
    std::vector<std::string> lines = {
        title_of(*at),
        fmt::format("grid {}, block {}, {:.0f} registers per thread, {} bytes of shared memory per "
                    "block; {:.2f} waves",
                    at->grid, at->block, at->registers, readable_number(at->shared_memory),
                    at->waves),
        ""};
    for (std::size_t f = 0; f < at->findings.size(); ++f)
        add_finding(at->findings[f], f + 1, true, lines);
    if (at->findings.empty()) lines.emplace_back("  Nothing in particular limits it.");
    lines.emplace_back();
    add_occupancy(*at, lines);
    for (const auto& [kind, rate] : at->flops)
        lines.push_back(fmt::format("{}: {:.4g} GFLOP/s", kind, rate / 1e9));
    return text_of(lines);
}

}  // namespace simtlm::platform::study

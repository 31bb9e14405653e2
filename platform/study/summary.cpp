// SPDX-License-Identifier: Apache-2.0
#include "platform/study/kernel_analysis.h"

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

}  // namespace

std::string summary_text(const statistics_run& run) {
    const gpu_limits limits = gpu_limits::of(run);
    std::vector<kernel_analysis> kernels = analyse(run);
    double launch = 0, execution = 0;
    for (const kernel_analysis& k : kernels) {
        launch += k.launch_cycles;
        execution += k.run_cycles;
    }
    std::vector<std::string> lines;
    lines.push_back(
        clipped(fmt::format("{}: {}, {}", run.file(), run.presets(), run.ended()), width));
    lines.push_back(fmt::format(
        "{} {}, {} core cycles{}; {} cycles of launch latency, {} of execution (sums over kernels)",
        kernels.size(), kernels.size() == 1 ? "kernel" : "kernels", readable_number(run.cycles()),
        limits.core_hz > 0 ? fmt::format(" ({:.4g} us)", run.cycles() / limits.core_hz * 1e6) : "",
        readable_number(launch), readable_number(execution)));
    if (!limits.known)
        lines.push_back(
            "The file has no peak rates of the GPU: it was written by an older "
            "version).");
    lines.emplace_back();
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const kernel_analysis& a, const kernel_analysis& b) {
                         return a.run_cycles > b.run_cycles;
                     });
    lines.push_back(fmt::format("{:<36} {:>12} {:>6} {:>7} {:>6} {:>6} {:>6}  {}",
                                "longest kernels", "cycles", "share", "IPC", "peak", "occup.",
                                "DRAM", "limited by"));
    const auto share = [](double s) { return fmt::format("{:.0f} %", 100 * s); };
    constexpr std::size_t max_kernels = 6, max_findings = 3;
    for (std::size_t i = 0; i < std::min(kernels.size(), max_kernels); ++i) {
        const kernel_analysis& k = kernels[i];
        lines.push_back(fmt::format(
            "{:<36} {:>12} {:>6} {:>7.1f} {:>6} {:>6} {:>6}  {}", clipped(k.key.text(), 36),
            readable_number(k.run_cycles), share(execution > 0 ? k.run_cycles / execution : 0),
            k.ipc, share(k.ipc_share), share(k.occupancy), share(k.dram.share()), k.bound));
    }
    if (kernels.size() > max_kernels)
        lines.push_back(fmt::format("... and {} more", kernels.size() - max_kernels));
    for (std::size_t i = 0; i < std::min<std::size_t>(kernels.size(), 2); ++i) {
        const kernel_analysis& k = kernels[i];
        std::vector<std::string> block = {
            "", clipped(fmt::format("Why {} takes {} cycles:", k.key.text(),
                                    readable_number(k.run_cycles)),
                        width)};
        for (std::size_t f = 0; f < std::min(k.findings.size(), max_findings); ++f)
            wrap(fmt::format("{}. {}. {}", f + 1, k.findings[f].headline, k.findings[f].detail), 2,
                 block);
        if (lines.size() + block.size() > max_lines) break;
        lines.insert(lines.end(), block.begin(), block.end());
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.size(), max_lines); ++i) text += lines[i] + "\n";
    return text;
}

}  // namespace simtlm::platform::study

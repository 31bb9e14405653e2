// SPDX-License-Identifier: Apache-2.0
#include "platform/report/compact.h"

#include <cctype>
#include <string_view>
#include <utility>

namespace simtlm::platform {

namespace {

bool starts_with(std::string_view line, std::string_view start) {
    return line.substr(0, start.size()) == start;
}

/// Lines about the kernel and the run, which are always printed, even if unchanged.
bool is_always_kept(std::string_view line) {
    for (const std::string_view start :
         {"kernel_name", "kernel_launch_uid", "kernel_stream_id", "kernel_list_number", "kernel_id",
          "kernel_demangled_name", "gpu_sim_cycle", "gpu_sim_insn", "gpu_ipc", "gpu_tot_sim_cycle",
          "gpu_tot_sim_insn", "gpu_tot_ipc"})
        if (starts_with(line, start)) return true;
    return false;
}

/// Returns whether a line is the title of the lines below it.
bool is_title(std::string_view line) {
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    return line.empty() || line.back() == ':' || line.front() == '=';
}

/// Returns whether a line is a table row by channel and bank.
bool is_of_banks(std::string_view line) {
    return starts_with(line, "dram[");
}

/// Returns whether a line is about one SM or one L2 slice; totals over all of them follow later.
bool is_of_one_cache(std::string_view line) {
    while (!line.empty() && line.front() == '\t') line.remove_prefix(1);
    return starts_with(line, "L1D_cache_core[") || starts_with(line, "L2_cache_bank[");
}

/// Removes the trailing zeros of a row of several numbers.
std::string_view without_last_zeros(std::string_view line) {
    constexpr std::string_view gaps = " \t";
    while (true) {
        const std::size_t end = line.find_last_not_of(gaps);
        if (end == std::string_view::npos || end == 0 || line[end] != '0' ||
            gaps.find(line[end - 1]) == std::string_view::npos)
            return line;
        const std::size_t before = line.find_last_not_of(gaps, end - 1);
        if (before == std::string_view::npos || line[before] < '0' || line[before] > '9')
            return line;
        line = line.substr(0, before + 1);
    }
}

/// Returns whether the line has numbers after its name and all of them are 0.
bool is_zero(std::string_view line) {
    const std::size_t sign = line.find_last_of("=:");
    const std::size_t first = line.find_first_of("=:");
    if (sign == std::string_view::npos) return false;
    bool number = false;
    for (const char c : line.substr(first)) {
        if (c >= '1' && c <= '9') return false;
        if (c == '0') number = true;
    }
    return number;
}

}  // namespace

std::string compact_text::of(const std::string& text) {
    std::string kept, titles;
    std::unordered_set<std::string> now;
    bool in_one_channel = false;
    for (std::size_t from = 0; from < text.size();) {
        std::size_t end = text.find('\n', from);
        if (end == std::string::npos) end = text.size();
        const std::string line = text.substr(from, end - from);
        from = end + 1;
        // The totals under the next heading include the counters of single channels.
        if (starts_with(line, "Memory Partition ")) in_one_channel = true;
        if (starts_with(line, "=")) in_one_channel = false;
        if (in_one_channel || is_of_one_cache(line)) continue;
        if (is_of_banks(line)) {
            titles.clear();
            continue;
        }
        if (is_title(line)) {
            // Of consecutive titles, only the last one applies.
            if (!line.empty()) titles = line + '\n';
            continue;
        }
        const bool said = before_.count(line) != 0;
        now.insert(line);
        if (!is_always_kept(line) && (said || is_zero(line))) continue;
        kept += std::exchange(titles, {});
        kept += without_last_zeros(line);
        kept += '\n';
    }
    before_ = std::move(now);
    return kept;
}

}  // namespace simtlm::platform

// SPDX-License-Identifier: Apache-2.0
#include "platform/report/compact.h"

#include <cctype>
#include <string_view>
#include <utility>

namespace simtlm::platform {

namespace {

/// Of the kernel and the run: always there, even if a kernel takes as long as the one before.
bool is_always_kept(std::string_view line) {
    for (const std::string_view start :
         {"kernel_name", "kernel_launch_uid", "kernel_stream_id", "gpu_sim_cycle", "gpu_sim_insn",
          "gpu_ipc", "gpu_tot_sim_cycle", "gpu_tot_sim_insn", "gpu_tot_ipc"})
        if (line.substr(0, start.size()) == start) return true;
    return false;
}

/// What names the lines below it.
bool is_title(std::string_view line) {
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    return line.empty() || line.back() == ':' || line.front() == '=';
}

/// Whether all numbers behind the name are 0, and there are some.
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
    for (std::size_t from = 0; from < text.size();) {
        std::size_t end = text.find('\n', from);
        if (end == std::string::npos) end = text.size();
        const std::string line = text.substr(from, end - from);
        from = end + 1;
        if (is_title(line)) {
            // Of titles that follow one another without anything between them the last counts.
            if (!line.empty()) titles = line + '\n';
            continue;
        }
        const bool said = before_.count(line) != 0;
        now.insert(line);
        if (!is_always_kept(line) && (said || is_zero(line))) continue;
        kept += std::exchange(titles, {});
        kept += line + '\n';
    }
    before_ = std::move(now);
    return kept;
}

}  // namespace simtlm::platform

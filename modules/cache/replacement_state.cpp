// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/replacement_state.h"

#include <algorithm>

namespace simtlm::cache {

void replacement_state::resize(std::size_t lines) {
    classes_.resize(lines);
    ages_.resize(lines);
    groups_.resize(lines / group_lines + 1);
}

std::uint32_t replacement_state::free_line(std::uint32_t first, unsigned ways) const {
    for (std::uint32_t line = first + ways; line-- > first;)
        if (classes_[line] == victim_class::free) return line;
    return no_line;
}

/// Lines that must not be replaced are treated as infinitely young. Branch-free, so that it is
/// vectorised.
inline replacement_state::group_summary replacement_state::summarize(const victim_class* classes,
                                                                     const std::uint32_t* ages,
                                                                     unsigned lines,
                                                                     victim_class limit) {
    const auto last_kind = static_cast<std::uint32_t>(limit);
    std::uint32_t oldest = ~std::uint32_t{0};
    std::uint32_t least = static_cast<std::uint32_t>(victim_class::reserved);
    for (unsigned i = 0; i < lines; ++i) {
        const auto kind = static_cast<std::uint32_t>(classes[i]);
        const std::uint32_t age = ages[i] | (0u - ((last_kind - kind) >> 31));
        oldest = std::min(age, oldest);
        least = std::min(kind, least);
    }
    return {oldest, static_cast<victim_class>(least), static_cast<std::uint8_t>(last_kind + 1)};
}

/// Searches by group summaries, most of which are unchanged since the last search of a large set.
/// @return no_line if no line can be replaced according to the summaries
std::uint32_t replacement_state::oldest_by_groups(std::uint32_t first, unsigned ways,
                                                  victim_class limit) const {
    const auto valid = static_cast<std::uint8_t>(static_cast<unsigned>(limit) + 1);
    std::uint32_t oldest = ~std::uint32_t{0};
    std::uint32_t group_of_oldest = no_line, group_of_free = no_line;
    for (std::uint32_t g = first / group_lines; g < (first + ways) / group_lines; ++g) {
        if (groups_[g].valid_for != valid)
            groups_[g] =
                summarize(&classes_[g * group_lines], &ages_[g * group_lines], group_lines, limit);
        if (groups_[g].least == victim_class::free) group_of_free = g;
        if (groups_[g].oldest >= oldest) continue;
        oldest = groups_[g].oldest;
        group_of_oldest = g;
    }
    if (group_of_free != no_line) return free_line(group_of_free * group_lines, group_lines);
    if (group_of_oldest == no_line) return no_line;
    std::uint32_t line = group_of_oldest * group_lines;
    while (classes_[line] > limit || ages_[line] != oldest) ++line;
    return line;
}

std::uint32_t replacement_state::oldest(std::uint32_t first, unsigned ways,
                                        victim_class limit) const {
    if (ways % group_lines == 0) {
        const std::uint32_t found = oldest_by_groups(first, ways, limit);
        if (found != no_line) return found;
    }
    const group_summary set = summarize(&classes_[first], &ages_[first], ways, limit);
    if (set.least == victim_class::free) return free_line(first, ways);
    for (std::uint32_t line = first; line < first + ways; ++line)
        if (classes_[line] <= limit && ages_[line] == set.oldest) return line;
    return no_line;
}

std::uint32_t replacement_state::oldest_dirty(std::uint32_t first, unsigned ways,
                                              unsigned limit) const {
    std::uint32_t found = no_line;
    unsigned dirty = 0;
    for (std::uint32_t line = first; line < first + ways; ++line) {
        if (classes_[line] != victim_class::dirty) continue;
        ++dirty;
        if (found == no_line || ages_[line] < ages_[found]) found = line;
    }
    return dirty > limit ? found : no_line;
}

}  // namespace simtlm::cache

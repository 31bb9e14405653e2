// SPDX-License-Identifier: Apache-2.0
#include "modules/support/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace simtlm::support {

namespace {

unsigned edit_distance(std::string_view a, std::string_view b) {
    std::vector<unsigned> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0u);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        unsigned diagonal = row[0];
        row[0] = static_cast<unsigned>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const unsigned above = row[j];
            const unsigned replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above + 1, row[j - 1] + 1, replaced});
            diagonal = above;
        }
    }
    return row[b.size()];
}

constexpr std::size_t shortest_part = 3;

/// Case-insensitive substring search.
bool contains(std::string_view text, std::string_view part) {
    const auto same = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    std::string nearest;
    unsigned fewest = ~0u;
    if (name.size() >= shortest_part) {
        for (const std::string& candidate : candidates)
            if (contains(candidate, name) && (nearest.empty() || candidate.size() < nearest.size()))
                nearest = candidate;
        if (!nearest.empty()) return nearest;
    }
    for (const std::string& candidate : candidates) {
        const unsigned edits = edit_distance(name, candidate);
        if (edits < fewest) {
            fewest = edits;
            nearest = candidate;
        }
    }
    return nearest;
}

}  // namespace simtlm::support

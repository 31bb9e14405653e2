// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/nearest_name.h"

#include <algorithm>
#include <numeric>

namespace simtlm::kernel {

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

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    std::string nearest;
    unsigned fewest = ~0u;
    for (const std::string& candidate : candidates) {
        const unsigned edits = edit_distance(name, candidate);
        if (edits < fewest) {
            fewest = edits;
            nearest = candidate;
        }
    }
    return nearest;
}

}  // namespace simtlm::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/cache_config.h"
#include "modules/cache/replacement_state.h"

#include <utility>
#include <vector>

namespace simtlm::cache {

/// Chooses the line of a set that a miss replaces. One object per tag array; it is called for
/// misses only. A new policy needs a class in replacement/ and a row in the table of
/// replacement_policy.cpp.
class replacement_policy {
public:
    virtual ~replacement_policy() = default;

    /// Returns a line of the set of `ways` lines that starts at `first`: a free one if there is
    /// one, otherwise one of a class up to a limit, by default the oldest, or no_line.
    virtual std::uint32_t choose(const replacement_state& lines, std::uint32_t first, unsigned ways,
                                 victim_class limit) {
        return lines.oldest(first, ways, limit);
    }
    /// Whether the age of a line is that of its last use, otherwise that of its allocation.
    virtual bool ages_by_use() const { return false; }
    /// Whether clean lines of a set are replaced in a fixed cyclic order, so that choose() has no
    /// state of its own.
    virtual bool replaces_round_robin() const { return true; }
    /// Saves or restores the state that persists across kernels.
    virtual void checkpoint(support::archive&) {}
};

/// The available policies, with their letters in the options of caches.
const std::vector<std::pair<char, replacement_maker>>& replacement_policies();

}  // namespace simtlm::cache

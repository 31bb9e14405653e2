// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/l1_data_cache.h"
#include "modules/cache/read_only_cache.h"
#include "modules/cache/texture_cache.h"
#include "modules/support/archive.h"

#include <algorithm>
#include <stdexcept>

namespace simtlm::cache {

namespace {
constexpr unsigned format = 4;  // of a block with tags
}

void tag_array::checkpoint(support::archive& a) {
    const bool was_used = used_ || counters_.accesses != 0;
    a(sets_, ways_, allocation_, dirty_, used_, *policy_);
    a.history(counters_.accesses, counters_.misses, counters_.sector_misses,
              counters_.pending_hits);
    if (a.restores()) resize();
    if (a.resets()) {
        if (used_) throw std::logic_error("the initial state of a cache is empty");
        if (was_used) discard();
        return;
    }
    if (!used_ && counters_.accesses == 0) return;  // the tables are in their initial state
    a(fingerprints_, replacement_);
    a.plain(lines_);
}

/// Returns all lines to their initial state.
void tag_array::discard() {
    std::fill(fingerprints_.begin(), fingerprints_.end(), std::uint16_t{0});
    std::fill(lines_.begin(), lines_.end(), line_state());
    replacement_.discard();
}

void replacement_state::discard() {
    std::fill(classes_.begin(), classes_.end(), victim_class::free);
    std::fill(ages_.begin(), ages_.end(), 0u);
    reserved_ = 0;
    for (group_summary& g : groups_) g.valid_for = 0;
}

void replacement_state::checkpoint(support::archive& a) {
    a(classes_, ages_);
    reserved_ = static_cast<std::uint32_t>(
        std::count(classes_.begin(), classes_.end(), victim_class::reserved));
    groups_.resize(classes_.size() / group_lines + 1);
    for (group_summary& g : groups_) g.valid_for = 0;
}

void cache_engine::checkpoint(support::archive& a) {
    a(tags_, ports_);
}

void texture_engine::checkpoint(support::archive& a) {
    a(tags_);
}

void texture_cache::checkpoint(support::archive& a) {
    a.block(name(), format);
    a(engine_);
}

void l1_data_cache::checkpoint(support::archive& a) {
    a.block(name(), format);
    a(engine_);
    a.history(next_cycle_);
}

void read_only_cache::checkpoint(support::archive& a) {
    a.block(name(), format);
    a(engine_, next_send_);
    a.history(next_cycle_);
}

}  // namespace simtlm::cache

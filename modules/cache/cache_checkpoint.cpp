// SPDX-License-Identifier: Apache-2.0
#include "modules/cache/l1_data_cache.h"
#include "modules/cache/read_only_cache.h"
#include "modules/cache/texture_cache.h"
#include "modules/support/archive.h"

#include <algorithm>

namespace simtlm::cache {

namespace {
constexpr unsigned format = 3;  // of a block with tags
}

void tag_array::checkpoint(support::archive& a) {
    a(sets_, ways_, allocation_, dirty_, used_, *policy_, counters_.accesses, counters_.misses,
      counters_.sector_misses, counters_.pending_hits);
    if (a.restores()) resize();
    if (!used_ && counters_.accesses == 0) return;  // the tables are in their initial state
    a(fingerprints_, replacement_);
    a.plain(lines_);
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
    a(engine_, next_cycle_);
}

void read_only_cache::checkpoint(support::archive& a) {
    a.block(name(), format);
    a(engine_, next_cycle_, next_send_);
}

}  // namespace simtlm::cache

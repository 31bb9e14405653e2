// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/sub_core_sm.h"
#include "modules/support/archive.h"
#include "modules/support/error.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

void stream_buffer::checkpoint(support::archive& a) {
    std::vector<std::pair<std::uint64_t, bool>> lines;
    for (std::size_t i = 0; i < queue_.size(); ++i)
        lines.emplace_back(queue_[i].line, queue_[i].arrived);
    a(next_, running_, lines);
    queue_.clear();
    for (const auto& [line, arrived] : lines) queue_.push({line, arrived});
}

void l0_instruction_cache::checkpoint(support::archive& a) {
    a.plain(lines_);
    a(stream_, missed_, awaited_, uses_, latest_);
    a.history(statistics_.fetches, statistics_.hits, statistics_.stream_hits, statistics_.misses,
              statistics_.prefetches);
}

void instruction_link::checkpoint(support::archive& a) {
    a(first_, generation_);
}

void memory_unit::checkpoint(support::archive& a) {
    a(arbiter_, banks_free_at_, constants_free_at_, link_free_at_, copies_, stall_);
}

void fetch_stage::checkpoint(support::archive& a) {
    a(l0_, generation_, wants_fetch_);
}

void sub_core::checkpoint(support::archive& a) {
    a(slots_, registers_, fetch_, dependences_, execution_, operands_, memory_, issue_);
}

bool sub_core_sm::pipeline_at_rest() const {
    return memory_unit_->idle() && link_->idle() && arrivals_.empty() && departures_.empty() &&
           fences_.empty() && std::all_of(sub_cores_.begin(), sub_cores_.end(), [](const auto& s) {
               return s->at_rest();
           });
}

void sub_core_sm::checkpoint_pipeline(support::archive& a) {
    const sub_core_statistics& counted = stage_statistics_;
    if (!a.resets() &&
        (counted.bulk_copies | counted.mbarrier_waits | counted.warpgroup_products) != 0)
        throw support::user_error(
            name(),
            "has used bulk copies, mbarriers or products of warpgroups, whose "
            "engines are not saved in checkpoints",
            "leave out --checkpoint");
    a(issue_);
    for (auto& s : sub_cores_) a(*s);
    a(*memory_unit_, *link_, last_launch_, warp_start_, fp64_free_at_, barriers_free_at_);
    if (a.resets() && bulk_copies_) a(*bulk_copies_);
}

}  // namespace simtlm::core::sub_core_pipeline

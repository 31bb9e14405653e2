// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sleeping_warps.h"

#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core {

sleeping_warps::sleeping_warps(const sc_core::sc_module_name& name,
                               simulation::phase_sequencer& sequencer, warp_table& warps)
    : sc_module(name),
      warps_(warps),
      process_("process", sequencer, protocol::phase::core_write_back,
               simulation::on_edge<&sleeping_warps::wake_up>(this)) {}

void sleeping_warps::sleep(unsigned warp, std::uint64_t until) {
    warps_.asleep |= warp_bit(warp);
    sleepers_.push_back({until, warp});
    process_.wake_at(until);
}

void sleeping_warps::wake_up() {
    const std::uint64_t now = process_.now();
    std::uint64_t next = ~std::uint64_t{0};
    for (std::size_t i = 0; i < sleepers_.size();) {
        if (sleepers_[i].until > now) {
            next = std::min(next, sleepers_[i].until);
            ++i;
            continue;
        }
        const unsigned warp = sleepers_[i].warp;
        sleepers_[i] = sleepers_.back();
        sleepers_.pop_back();
        warps_.stops_waiting(warps_.asleep, warp);
    }
    if (sleepers_.empty())
        process_.sleep();
    else
        process_.sleep_until(next);
}

}  // namespace simtlm::core

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/mbarrier_unit.h"

#include "modules/core/sub_core_pipeline/write_back_order.h"
#include "modules/program/wait_describer.h"
#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

mbarrier_unit::mbarrier_unit(const sc_core::sc_module_name& name,
                             simulation::phase_sequencer& sequencer, const mbarrier_config& config,
                             const blocks& sm)
    : sc_module(name),
      config_(config),
      sm_(sm),
      retry_process_("retry", sequencer, protocol::phase::core_write_back,
                     simulation::on_edge<&mbarrier_unit::retry>(this), false,
                     write_back_sub_phases) {
    retry_process_.select_sub_phase(write_back_order::mbarriers);
}

void mbarrier_unit::suspend(warp_instruction& inst, bool has_time_limit, std::uint64_t now) {
    ++sm_.statistics.mbarrier_waits;
    sm_.warps.at_engine |= warp_bit(inst.warp);
    const std::uint64_t until = has_time_limit ? now + config_.time_limit : ~std::uint64_t{0};
    waiting_.push_back({&inst, now, until});
    if (has_time_limit) changes(until);
}

void mbarrier_unit::changes(std::uint64_t at) {
    if (waiting_.empty()) return;
    const auto place = std::lower_bound(retry_at_.begin(), retry_at_.end(), at);
    if (place != retry_at_.end() && *place == at) return;
    retry_at_.insert(place, at);
    retry_process_.wake_at(retry_at_.front());
}

void mbarrier_unit::end_waits(std::uint64_t now) {
    for (const suspended& s : waiting_)
        sm_.sub_cores[s.inst->scheduler]->writes_result(*s.inst, now + config_.wait_cycles);
    waiting_.clear();
    retry_at_.clear();
}

bool mbarrier_unit::waits(unsigned warp) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [warp](const suspended& s) { return s.inst->warp == warp; });
}

std::string mbarrier_unit::why_waiting(unsigned warp) const {
    const auto* const executor =
        dynamic_cast<const program::wait_describer*>(sm_.warps.warp[warp].executor);
    const std::string awaited = executor != nullptr ? executor->awaited() : "";
    return awaited.empty() ? "a phase of an mbarrier to complete" : awaited;
}

void mbarrier_unit::retry() {
    const std::uint64_t now = retry_process_.now();
    if (!retry_at_.empty() && retry_at_.front() <= now) {
        retry_at_.erase(retry_at_.begin());
        retry_all(now);
    }
    if (waiting_.empty()) retry_at_.clear();
    if (retry_at_.empty())
        retry_process_.sleep();
    else
        retry_process_.sleep_until(retry_at_.front());
}

void mbarrier_unit::retry_all(std::uint64_t now) {
    std::size_t left = 0;
    for (const suspended& s : waiting_) {
        const unsigned w = s.inst->warp;
        if (!sm_.warps.warp[w].executor->retry_wait() && now < s.until) {
            waiting_[left++] = s;
            continue;
        }
        sm_.statistics.mbarrier_wait_cycles += now - s.since;
        sm_.warps.stops_waiting(sm_.warps.at_engine, w);
        sm_.sub_cores[s.inst->scheduler]->writes_result(*s.inst, now + config_.wait_cycles);
    }
    waiting_.resize(left);
}

}  // namespace simtlm::core::sub_core_pipeline

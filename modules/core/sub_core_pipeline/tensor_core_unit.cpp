// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/tensor_core_unit.h"

#include "modules/core/sub_core_pipeline/write_back_order.h"
#include "modules/protocol/phases.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace simtlm::core::sub_core_pipeline {

using program::tensor_core_work;

namespace {
constexpr unsigned columns_of_sm = 512;

unsigned quotient(unsigned n, unsigned d) {
    return (n + d - 1) / d;
}
}  // namespace

tensor_core_unit::tensor_core_unit(const sc_core::sc_module_name& name,
                                   simulation::phase_sequencer& sequencer,
                                   const tensor_core_config& config, const blocks& sm)
    : sc_module(name),
      config_(config),
      sm_(sm),
      warps_(sm.warps.warp.size()),
      columns_(sm.warps.warp.size()),
      act_process_("act", sequencer, protocol::phase::core_write_back,
                   simulation::on_edge<&tensor_core_unit::act>(this), false,
                   write_back_sub_phases) {
    act_process_.select_sub_phase(write_back_order::tensor_core);
}

bool tensor_core_unit::start(unsigned warp, std::vector<tensor_core_work> work, std::uint64_t now) {
    using kind = tensor_core_work::kind;
    warp_work& w = warps_[warp];
    bool waits = false;
    for (tensor_core_work& one : work) {
        switch (one.what) {
            case kind::product:
                multiply(w, one, now);
                break;
            case kind::copy:
                copy(w, one, now);
                break;
            case kind::shift:
                shift(w, now);
                break;
            case kind::commit:
                commit(warp, std::move(one), now);
                break;
            case kind::load:
            case kind::store:
                access(warp, one, now);
                break;
            case kind::allocate:
                w.columns = one.columns;
                waits = allocate(warp, now) || waits;
                break;
            case kind::release:
                columns_[sm_.warps.warp[warp].cta] -=
                    std::min<unsigned>(columns_[sm_.warps.warp[warp].cta], one.columns);
                release_columns(now);
                break;
        }
    }
    return waits;
}

void tensor_core_unit::multiply(warp_work& w, const tensor_core_work& work, std::uint64_t now) {
    const unsigned a = quotient(work.a_bytes, config_.shared_bytes);
    const unsigned b = quotient(work.b_bytes, config_.shared_bytes);
    const unsigned columns = quotient(work.columns, config_.columns_per_cycle);
    const std::uint64_t begin = std::max(now + config_.issue_cycles, port_free_at_);
    const std::uint64_t compute = std::max(begin + a, compute_free_at_);
    port_free_at_ = begin + a + b;
    compute_free_at_ = compute + columns;
    const unsigned extra = (work.pair ? config_.pair_cycles : 0) +
                           (work.pair && work.folded ? config_.folded_pair_cycles : 0) +
                           (work.block_scaled ? config_.scaled_cycles : 0);
    w.done_at = std::max(w.done_at,
                         std::max(compute_free_at_, port_free_at_) + config_.tail_cycles + extra);
    ++sm_.statistics.warpgroup_products;
    sm_.statistics.warpgroup_cycles += columns;
}

void tensor_core_unit::copy(warp_work& w, const tensor_core_work& work, std::uint64_t now) {
    const std::uint64_t begin = std::max(now + config_.issue_cycles, port_free_at_);
    port_free_at_ =
        begin + std::max(config_.copy_interval, quotient(work.a_bytes, config_.shared_bytes));
    w.done_at = std::max(w.done_at, begin + config_.copy_cycles);
}

void tensor_core_unit::shift(warp_work& w, std::uint64_t now) {
    compute_free_at_ =
        std::max(now + config_.issue_cycles, compute_free_at_) + config_.shift_interval;
    w.done_at = std::max(w.done_at, compute_free_at_ + config_.shift_cycles);
}

void tensor_core_unit::commit(unsigned warp, tensor_core_work work, std::uint64_t now) {
    const std::uint64_t at = std::max(now + 1, warps_[warp].done_at);
    const auto place =
        std::upper_bound(completions_.begin(), completions_.end(), at,
                         [](std::uint64_t t, const completion& c) { return t < c.at; });
    completions_.insert(place, {at, warp, std::move(work)});
    ++sm_.warps.warp[warp].transfers;
    act_process_.wake_at(completions_.front().at);
}

void tensor_core_unit::access(unsigned warp, const tensor_core_work& work, std::uint64_t now) {
    std::uint64_t& free_at = access_free_at_[warp % sub_cores];
    free_at = std::max(free_at, now + 1) + work.columns;
    const bool loads = work.what == tensor_core_work::kind::load;
    (loads ? warps_[warp].loaded_at : warps_[warp].stored_at) = free_at + config_.access_cycles;
}

std::uint16_t tensor_core_unit::cycles_to_load(unsigned warp, std::uint64_t now) const {
    const std::uint64_t at = warps_[warp].loaded_at;
    return static_cast<std::uint16_t>(std::min<std::uint64_t>(at > now ? at - now : 0, 0xffff));
}

bool tensor_core_unit::wait(unsigned warp, bool stores, std::uint64_t now) {
    return hold(warp, stores ? warps_[warp].stored_at : warps_[warp].loaded_at, now);
}

bool tensor_core_unit::hold(unsigned warp, std::uint64_t at, std::uint64_t now) {
    warp_work& w = warps_[warp];
    w.waits = at > now;
    if (!w.waits) return false;
    w.until = at;
    waiting_ |= warp_bit(warp);
    if (at != never) act_process_.wake_at(at);
    return true;
}

/// @return true: the warp waits, for columns or for the end of the allocation
bool tensor_core_unit::allocate(unsigned warp, std::uint64_t now) {
    warp_work& w = warps_[warp];
    if (allocated() + w.columns > columns_of_sm) {
        awaiting_.push_back(warp);
        return hold(warp, never, now);
    }
    columns_[sm_.warps.warp[warp].cta] += w.columns;
    return hold(warp, now + config_.allocate_cycles, now);
}

/// Serves warps that wait for columns, the first one first.
void tensor_core_unit::release_columns(std::uint64_t now) {
    while (!awaiting_.empty() && allocated() + warps_[awaiting_.front()].columns <= columns_of_sm) {
        const unsigned warp = awaiting_.front();
        awaiting_.erase(awaiting_.begin());
        allocate(warp, now);
    }
}

void tensor_core_unit::cta_ends(unsigned slot, std::uint64_t now) {
    columns_[slot] = 0;
    release_columns(now);
}

unsigned tensor_core_unit::allocated() const {
    return std::accumulate(columns_.begin(), columns_.end(), 0u);
}

std::string tensor_core_unit::why_waiting(unsigned warp) const {
    return warps_[warp].until == never ? "columns of tensor memory" : "accesses to tensor memory";
}

void tensor_core_unit::act() {
    const std::uint64_t now = act_process_.now();
    while (!completions_.empty() && completions_.front().at <= now) {
        const completion done = std::move(completions_.front());
        completions_.erase(completions_.begin());
        sm_.sm.work_complete(done.warp, done.commit);
        --sm_.warps.warp[done.warp].transfers;
        sm_.warps.may_leave(done.warp);
    }
    std::uint64_t next = completions_.empty() ? never : completions_.front().at;
    for (warp_mask m = waiting_; m != 0; m &= m - 1) {
        const auto w = static_cast<unsigned>(__builtin_ctzll(m));
        if (warps_[w].until > now) {
            next = std::min(next, warps_[w].until);
            continue;
        }
        warps_[w].waits = false;
        waiting_ &= ~warp_bit(w);
        sm_.warps.stops_waiting(sm_.warps.at_engine, w);
        sm_.warps.may_leave(w);
    }
    if (next == never)
        act_process_.sleep();
    else
        act_process_.sleep_until(next);
}

}  // namespace simtlm::core::sub_core_pipeline

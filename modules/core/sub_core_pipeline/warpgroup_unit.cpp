// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/warpgroup_unit.h"

#include "modules/core/sub_core_pipeline/tensor_timing.h"
#include "modules/core/sub_core_pipeline/write_back_order.h"
#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

warpgroup_cycles warpgroup_timing(const warpgroup_config& config, const program::matrix_shape& s,
                                  bool a_in_registers) {
    const auto ceil = [](std::uint64_t n, std::uint64_t d) {
        return static_cast<unsigned>((n + d - 1) / d);
    };
    const unsigned a_k = s.sparse ? s.k / 2 : s.k;  // stored elements per row of A
    const unsigned compute =
        ceil(std::uint64_t{s.m} * s.n * a_k * s.operand_bits, std::max(config.rate, 1u));
    const std::uint64_t b_bytes = std::uint64_t{s.n} * s.k * s.operand_bits / 8;
    const std::uint64_t a_bytes =
        a_in_registers ? 0 : std::uint64_t{s.m} * a_k * s.operand_bits / 8;
    const unsigned operands = ceil(a_bytes + b_bytes, std::max(config.shared_bytes, 1u));
    warpgroup_cycles t;
    t.busy = std::max({compute, operands, a_in_registers ? config.min_cycles : 1u});
    t.tail = a_in_registers ? config.register_tail : config.shared_tail;
    constexpr unsigned register_bytes = 128, sub_cores = 4;
    const std::uint64_t in_registers =
        std::uint64_t{s.m} * s.n * s.accumulator_bytes +
        (a_in_registers ? std::uint64_t{s.m} * a_k * s.operand_bits / 8 : 0);
    t.registers = std::min(t.busy, ceil(in_registers, register_bytes * sub_cores));
    return t;
}

warpgroup_unit::warpgroup_unit(const sc_core::sc_module_name& name,
                               simulation::phase_sequencer& sequencer,
                               const warpgroup_config& config, const blocks& sm)
    : sc_module(name),
      config_(config),
      sm_(sm),
      warps_(sm.warps.warp.size()),
      groups_(sm.warps.warp.size()),
      release_process_("release", sequencer, protocol::phase::core_write_back,
                       simulation::on_edge<&warpgroup_unit::release>(this), false,
                       write_back_sub_phases) {
    release_process_.select_sub_phase(write_back_order::warpgroups);
}

void warpgroup_unit::place(unsigned first_warp, unsigned warps) {
    constexpr unsigned size = 4;
    for (unsigned i = 0; i < warps; ++i) {
        const unsigned leader = first_warp + i / size * size;
        warps_[first_warp + i] = {};
        warps_[first_warp + i].group = leader;
        if (i % size != 0) continue;
        groups_[leader] = {};
        groups_[leader].members = std::min(size, warps - i);
    }
}

bool warpgroup_unit::arrive(unsigned warp, std::uint64_t now) {
    warp_products& w = warps_[warp];
    warpgroup& g = groups_[w.group];
    w.fence = g.fences + 1;
    if (++g.arrived == g.members) {
        g.arrived = 0;
        ++g.fences;
        g.fenced_at = now + 1;
        release_process_.wake_at(g.fenced_at);
    }
    return hold(warp, complete_at(w), now);
}

bool warpgroup_unit::can_issue(unsigned warp, const program::static_instruction& what,
                               std::uint64_t now) const {
    const bool in_registers = (what.immediate & 1) != 0;
    const unsigned most = in_registers ? config_.register_queue : config_.shared_queue;
    if (most == 0) return true;
    const warp_products& w = warps_[warp];
    const warpgroup& g = groups_[w.group];
    if (w.issued < g.first + g.products.size()) return true;
    const auto unfinished = ends_.end() - std::upper_bound(ends_.begin(), ends_.end(), now);
    return static_cast<std::size_t>(unfinished) + incomplete_ < most;
}

void warpgroup_unit::multiply(unsigned warp, const program::static_instruction& what,
                              std::uint64_t now) {
    warp_products& w = warps_[warp];
    warpgroup& g = groups_[w.group];
    const std::uint64_t number = w.issued++;
    if (number == g.first + g.products.size()) {
        g.products.emplace_back();
        ++incomplete_;
    }
    product& p = g.products[number - g.first];
    if (++p.issued != g.members) return;
    --incomplete_;
    const bool in_registers = (what.immediate & 1) != 0;
    auto& known = timing_[in_registers ? 1 : 0];
    auto found = known.find(what.matrix.key());
    if (found == known.end())
        found =
            known.emplace(what.matrix.key(), warpgroup_timing(config_, what.matrix, in_registers))
                .first;
    const warpgroup_cycles& t = found->second;
    const std::uint64_t start = std::max(free_at_, now + config_.issue_cycles);
    if (start != free_at_) busy_from_ = start;
    free_at_ = start + t.busy;
    while (!ends_.empty() && ends_.front() <= now) ends_.pop_front();
    ends_.push_back(free_at_);
    p.done_at = free_at_ + t.tail;
    if (config_.register_reads) {
        discard_past_reads(now);
        reads_.push_back({start, start + t.registers});
    }
    if (watcher_ != nullptr)
        watcher_->product_queued(sm_number_, w.group, what.opcode, {start, free_at_, p.done_at});
    ++begun_;
    ++sm_.statistics.warpgroup_products;
    sm_.statistics.warpgroup_cycles += t.busy;
    if (waiting_ != 0) release_process_.wake_at(p.done_at);
    while (!g.products.empty() && g.products.front().done_at <= now) {
        g.products.pop_front();
        ++g.first;
    }
}

void warpgroup_unit::discard_past_reads(std::uint64_t now) {
    while (!reads_.empty() && reads_.front().until <= now) reads_.pop_front();
}

std::uint64_t warpgroup_unit::register_reads(std::uint64_t now, unsigned cycles) {
    discard_past_reads(now);
    std::uint64_t in = 0;
    for (const read_cycles& r : reads_) {
        if (r.from > now + cycles) break;
        for (std::uint64_t c = std::max(r.from, now + 1); c < r.until && c <= now + cycles; ++c)
            in |= std::uint64_t{1} << (c - now);
    }
    return in;
}

void warpgroup_unit::commit(unsigned warp) {
    warps_[warp].closed.push_back(warps_[warp].issued);
}

std::uint64_t warpgroup_unit::complete_at(const warp_products& w) const {
    const warpgroup& g = groups_[w.group];
    if (w.fence != 0) return g.fences >= w.fence ? g.fenced_at : never;
    if (w.needed <= g.first) return 0;
    return g.products[w.needed - 1 - g.first].done_at;
}

bool warpgroup_unit::wait(unsigned warp, unsigned groups, std::uint64_t now) {
    warp_products& w = warps_[warp];
    if (w.closed.size() <= groups) return false;
    const std::size_t done = w.closed.size() - groups;
    const std::uint64_t needed = w.closed[done - 1];
    w.closed.erase(w.closed.begin(), w.closed.begin() + static_cast<std::ptrdiff_t>(done));
    return wait_for(warp, needed, now);
}

bool warpgroup_unit::wait_for(unsigned warp, std::uint64_t products, std::uint64_t now) {
    warp_products& w = warps_[warp];
    w.needed = products;
    return hold(warp, complete_at(w), now);
}

bool warpgroup_unit::hold(unsigned warp, std::uint64_t at, std::uint64_t now) {
    warp_products& w = warps_[warp];
    w.waits = at > now;
    if (!w.waits) return false;
    waiting_ |= warp_bit(warp);
    if (at != never) release_process_.wake_at(at);
    return true;
}

void warpgroup_unit::discard_waits() {
    for (warp_products& w : warps_) w.waits = false;
    waiting_ = 0;
    incomplete_ = 0;
}

void warpgroup_unit::release() {
    const std::uint64_t now = release_process_.now();
    std::uint64_t next = never;
    for (warp_mask m = waiting_; m != 0; m &= m - 1) {
        const auto w = static_cast<unsigned>(__builtin_ctzll(m));
        const std::uint64_t at = complete_at(warps_[w]);
        if (at > now) {
            next = std::min(next, at);
            continue;
        }
        warps_[w].waits = false;
        warps_[w].fence = 0;
        waiting_ &= ~warp_bit(w);
        sm_.warps.stops_waiting(sm_.warps.at_engine, w);
        sm_.warps.may_leave(w);
    }
    if (next == never)
        release_process_.sleep();
    else
        release_process_.sleep_until(next);
}

}  // namespace simtlm::core::sub_core_pipeline

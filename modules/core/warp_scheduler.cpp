// SPDX-License-Identifier: Apache-2.0
#include "modules/core/warp_scheduler.h"

#include "modules/core/sm.h"
#include "modules/protocol/phases.h"

namespace simtlm::core {

warp_scheduler::warp_scheduler(const sc_core::sc_module_name& name,
                               kernel::phase_sequencer& sequencer, const sm_config& config,
                               unsigned number, const blocks& around)
    : sc_module(name),
      issue("issue"),
      config_(config),
      number_(number),
      around_(around),
      process_("process", sequencer, protocol::phase::core_issue,
               kernel::on_edge<&warp_scheduler::cycle>(this), false, config.schedulers) {
    for (unsigned w = number; w < config.max_warps; w += config.schedulers) mine_ |= warp_bit(w);
    policy_ = make_scheduling_policy(config.scheduler.policy, around_.warps, around_.scores, mine_);
}

unsigned warp_scheduler::rank(std::uint64_t cycle) const {
    const unsigned n = config_.schedulers;
    const auto turn = static_cast<unsigned>(around_.owner.cycles_before(cycle) % n);
    return (number_ + n - turn) % n;
}

void warp_scheduler::wake() {
    if (!running_ || process_.awake()) return;
    const std::uint64_t now = process_.now();
    unsigned r = rank(now);
    if (process_.turn_has_passed(r)) {  // its turn of this cycle is over
        r = rank(now + 1);
        not_before_ = now + 1;
    }
    process_.select_turn(r);
    process_.wake();
}

void warp_scheduler::sm_started(std::uint64_t now) {
    running_ = true;
    counted_to_ = now;
    last_reason_ = reason::idle;
    if (policy_->acts_when_idle() || process_.awake()) {
        process_.select_turn(rank(now + 1));
        process_.wake();
    }
}

void warp_scheduler::sm_stopped(std::uint64_t now) {
    settle(now);
    running_ = false;
    process_.sleep();
}

void warp_scheduler::settle(std::uint64_t now) {
    if (!running_ || now <= counted_to_) return;
    count(last_reason_ == reason::issued ? reason::idle : last_reason_, now - counted_to_);
    counted_to_ = now;
}

void warp_scheduler::count(reason r, std::uint64_t cycles) {
    core_statistics& s = around_.statistics;
    switch (r) {
        case reason::issued:
            s.issue_cycles += cycles;
            break;
        case reason::idle:
            s.idle += cycles;
            break;
        case reason::scoreboard:
            s.scoreboard += cycles;
            break;
        case reason::stall:
            s.stall += cycles;
            break;
    }
}

void warp_scheduler::cycle() {
    const std::uint64_t now = process_.now();
    // Its turn of the next cycle may come after the one it has had in this.
    if (!running_ || counted_to_ >= now || now < not_before_) return;
    settle(now - 1);

    warp_table& warps = around_.warps;
    if (const warp_mask past = warps.past_memory_barrier & mine_; past != 0) {
        warps.past_memory_barrier &= ~past;
        around_.owner.memory_barrier_passed();
    }
    warp_mask eligible = policy_->begin_cycle(warps.buffered & ~warps.waiting() & mine_);
    const bool valid = eligible != 0;
    for (warp_mask stale = eligible & warps.scoreboard_stale; stale != 0; stale &= stale - 1) {
        const unsigned w = static_cast<unsigned>(__builtin_ctzll(stale));
        const bool blocked = around_.scores.collides(w, *warps.warp[w].ibuffer.head()->info);
        warps.scoreboard_blocked =
            (warps.scoreboard_blocked & ~warp_bit(w)) | (blocked ? warp_bit(w) : 0);
        warps.scoreboard_stale &= ~warp_bit(w);
    }
    warp_mask ready = eligible & ~warps.scoreboard_blocked;
    last_reason_ = !valid ? reason::idle : ready == 0 ? reason::scoreboard : reason::stall;
    while (ready != 0) {
        const unsigned w = policy_->first(ready);
        if (try_issue(w)) {
            last_reason_ = reason::issued;
            break;
        }
        ready &= ~warp_bit(w);
    }
    count(last_reason_, 1);
    counted_to_ = now;
    const bool asleep = (last_reason_ == reason::idle || last_reason_ == reason::scoreboard) &&
                        !policy_->acts_when_idle();
    if (asleep) process_.sleep();
    if (process_.awake()) process_.select_turn(rank(now + 1));
}

bool warp_scheduler::try_issue(unsigned w) {
    warp_table& warps = around_.warps;
    core_statistics& statistics = around_.statistics;
    unsigned issued = 0;
    unsigned previous = pipe_count;
    for (unsigned n = 0; n < config_.scheduler.max_issue_per_warp; ++n) {
        if (n > 0) {  // the first has been looked at
            if (((warps.buffered & ~warps.waiting()) & warp_bit(w)) == 0) break;
            if (around_.scores.collides(w, *warps.warp[w].ibuffer.head()->info)) break;
        }
        const program::dynamic_instruction& dynamic = *warps.warp[w].ibuffer.head();
        const unsigned p = around_.collector.pipe_of(dynamic.info->cls);
        if (p == pipe_count) {
            around_.owner.no_unit_for(*dynamic.info);
            break;
        }
        if (!around_.collector.can_accept(p, number_)) break;
        const unsigned kind = std::min<unsigned>(p, pipe_spec);  // specialised units are one kind
        if (config_.scheduler.dual_issue_diff_exec_units && previous == kind) break;
        previous = kind;
        warp_instruction& inst = around_.pool.acquire();
        inst.warp = static_cast<std::uint16_t>(w);
        inst.scheduler = static_cast<std::uint8_t>(number_);
        start(inst, dynamic);
        ++issued;
    }
    if (issued == 0) return false;
    policy_->issued(w, issued);
    if (issued == 1)
        ++statistics.single_issue[number_];
    else
        ++statistics.dual_issue[number_];
    return true;
}

void warp_scheduler::start(warp_instruction& inst, const program::dynamic_instruction& dynamic) {
    warp_table& warps = around_.warps;
    const unsigned w = inst.warp;
    warp_state& warp = warps.warp[w];
    const program::static_instruction& info = *dynamic.info;

    inst.info = &info;
    inst.uid = around_.owner.next_uid();
    inst.active_mask = dynamic.active_mask;
    inst.space = dynamic.space;
    inst.delay = info.initiation_interval;
    inst.pending = 0;
    inst.copy_group = no_copy;
    inst.in_unit = false;
    inst.bypass_l1 = false;
    warp.last_pc = info.pc;
    warp.fall_through_pc = info.pc + instruction_bytes;
    probe_.count++;
    probe_.warp = w;
    probe_.pc = info.pc;
    probe_.opcode = info.opcode;
    ++around_.statistics.issued_lanes[inst.active_lanes()];
    ++around_.statistics.issued_by_slot[w];

    warp.ibuffer.pop();
    if (warp.ibuffer.empty()) warps.buffered &= ~warp_bit(w);

    if (info.is_memory() && inst.active_mask != 0) resolve_addresses(inst, dynamic);
    if (info.is_atomic && inst.active_mask != 0) {
        warp.atomics += inst.active_lanes();
        warps.at_atomic |= warp_bit(w);
    }
    switch (info.special) {
        case program::special_op::ldgsts:
            if (warp.copy_groups.empty()) warp.copy_groups.push_back(0);
            if (!inst.accesses.empty()) {
                inst.copy_group = static_cast<std::uint32_t>(warp.copy_groups.size() - 1);
                ++warp.copy_groups.back();
                ++warp.copies;
            }
            break;
        case program::special_op::ldgdepbar:
            if (warp.copy_groups.empty()) warp.copy_groups.push_back(0);
            warp.copy_groups.push_back(0);
            break;
        case program::special_op::depbar: {
            const auto closed = static_cast<std::int64_t>(warp.copy_groups.size()) - 1;
            warp.copy_wait_below =
                static_cast<std::uint32_t>(std::max<std::int64_t>(closed - info.immediate, 0));
            if (!warps.copies_arrived(w)) warps.at_copy |= warp_bit(w);
            break;
        }
        default:
            break;
    }
    around_.scores.reserve(w, info, inst.space);
    if (info.cls == program::op_class::memory_barrier) {
        if (around_.scores.writes_pending(w))
            warps.at_memory_barrier |= warp_bit(w);
        else
            warps.passes_memory_barrier(w);
    }
    warps.scoreboard_stale |= warp_bit(w);

    if (info.cls == program::op_class::exit) warp.live_lanes &= ~inst.active_mask;
    const bool ended = warp.next == warp.end && warp.ibuffer.empty();
    if (ended) {
        warp.live_lanes = 0;
        warps.done |= warp_bit(w);
        around_.barriers.warp_ended(warp.cta, w);
    } else if (info.cls == program::op_class::barrier &&
               info.barrier != program::barrier_kind::none) {
        around_.barriers.arrive(warp.cta, w, info);
    }
    if ((warps.buffered & warp_bit(w)) == 0) warps.listener->may_fetch();
    send(issue, inst);
}

void warp_scheduler::resolve_addresses(warp_instruction& inst,
                                       const program::dynamic_instruction& dynamic) {
    const program::static_instruction& info = *inst.info;
    const warp_state& warp = around_.warps.warp[inst.warp];
    lane_addresses lanes;
    lanes.lanes = program::expand_addresses(dynamic, warp.addresses, lanes.address[0].data());
    if (lanes.lanes == 0) {
        if (inst.space == program::memory_space::shared) inst.delay = 1;
        return;
    }
    switch (inst.space) {
        case program::memory_space::shared:
            inst.delay = static_cast<std::uint16_t>(around_.shared.conflict_cycles(lanes));
            return;
        case program::memory_space::local:
            around_.owner.map_local(inst.warp, info.data_size, lanes);
            break;
        case program::memory_space::none:
            return;
        default:
            break;
    }
    around_.pool.lend_accesses(inst);
    around_.coalesce.coalesce(inst, lanes);
    around_.statistics.accesses_coalesced += inst.accesses.size();
    inst.bypass_l1 = info.cache_op == program::cache_operator::cache_global ||
                     !config_.l1d_enabled ||
                     (inst.space == program::memory_space::global && config_.ldst.global_skips_l1);
}

}  // namespace simtlm::core

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/issue_stage.h"

#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

using program::scheduling_class;

namespace {

/// Minimum duration of a fence, core cycles. A fence between the generic and the asynchronous proxy
/// is FENCE.VIEW after a MEMBAR.ALL that waits for the warp's own writes; together they take 8 to
/// 13 cycles on an H100 (measured by FlashGPU-Sim: its frozen configuration of 2026-09-14).
unsigned fence_cycles(const sm_timing& timing, program::fence_kind kind) {
    using program::fence_kind;
    constexpr unsigned of_proxy = 8, before_proxy = 2;
    switch (kind) {
        case fence_kind::async_proxy:
            return of_proxy;
        case fence_kind::cta_all:
            return before_proxy;
        case fence_kind::cta:
            return timing.fence_cta;
        case fence_kind::system:
            return timing.fence_system;
        case fence_kind::gpu:
            break;
    }
    return timing.fence_gpu;
}

}  // namespace

issue_stage::issue_stage(simulation::phase_sequencer& sequencer, sub_core_slots& slots,
                         const stages& others, instruction_issue& effects, client& sm)
    : context_(slots),
      others_(others),
      effects_(effects),
      sm_(sm),
      process_("issue", sequencer, protocol::phase::core_issue,
               simulation::on_edge<&issue_stage::cycle>(this), false, slots.config.schedulers) {
    process_.select_sub_phase(slots.number);
    slots.issue = &process_;
}

void issue_stage::may_issue(unsigned warp) {
    const unsigned slot = context_.slot_of(warp);
    const bool waits = (context_.warps.waiting() & warp_bit(warp)) != 0;
    context_.blocked =
        waits ? context_.blocked | slot_bit(slot) : context_.blocked & ~slot_bit(slot);
    others_.dependences.refresh(slot);
    process_.wake();
}

void issue_stage::sm_started(std::uint64_t now) {
    next_counted_ = now + 1;
    sleeping_for_ = stall_reason::no_warp;
    process_.wake();
}

void issue_stage::sm_stopped(std::uint64_t now) {
    count_until(now);
    process_.sleep();
    others_.fetch.sm_stopped();
}

void issue_stage::count_until(std::uint64_t last) {
    if (!context_.running.running() || last < next_counted_) return;
    count(last, sleeping_for_);
}

/// Counts a cycle, and preceding cycles in which the sub-core slept.
void issue_stage::count(std::uint64_t now, stall_reason why) {
    const auto add = [this](stall_reason r, std::uint64_t n) {
        context_.stages.cycles[static_cast<unsigned>(r)] += n;
        core_statistics& s = context_.statistics;
        switch (r) {
            case stall_reason::none:
                s.issue_cycles += n;
                s.single_issue[context_.number] += n;
                break;
            case stall_reason::stall_count:
            case stall_reason::dependence:
                s.scoreboard += n;
                break;
            case stall_reason::no_warp:
            case stall_reason::barrier:
            case stall_reason::fence:
            case stall_reason::instruction:
            case stall_reason::instruction_miss:
                s.idle += n;
                break;
            default:
                s.stall += n;
                break;
        }
    };
    if (now > next_counted_) add(sleeping_for_, now - next_counted_);
    add(why, 1);
    next_counted_ = now + 1;
    probe_.reason = why;
}

// ---- issue -------------------------------------------------------------------------------------

stall_reason issue_stage::reason_of_idling() const {
    const slot_mask held = context_.valid & ~context_.blocked;
    if ((held & ~context_.dependent) != 0) return stall_reason::stall_count;
    if (held != 0) return stall_reason::dependence;
    bool missed = false, empty = false, barrier = false, fence = false;
    for (slot_mask m = context_.live; m != 0; m &= m - 1) {
        const auto slot = static_cast<unsigned>(__builtin_ctz(m));
        if ((context_.blocked & slot_bit(slot)) == 0) {
            empty = true;
            missed |= others_.fetch.missed(slot);
        } else if ((context_.warps.at_barrier & warp_bit(context_.warp_of(slot))) != 0) {
            barrier = true;
        } else if ((context_.warps.asleep & warp_bit(context_.warp_of(slot))) == 0) {
            fence = true;
        }
    }
    return missed    ? stall_reason::instruction_miss
           : empty   ? stall_reason::instruction
           : barrier ? stall_reason::barrier
           : fence   ? stall_reason::fence
                     : stall_reason::no_warp;
}

stall_reason issue_stage::can_issue(unsigned slot, std::uint64_t now) const {
    const program::static_instruction& i = *others_.fetch.head(slot)->info;
    const scheduling_class c = context_.class_of(i);
    if (!others_.execution.unit_free(c, now)) return stall_reason::unit;
    if (program::has_fixed_latency(c)) {
        if (!others_.execution.can_queue_result()) return stall_reason::result_queue;
    } else if (c == scheduling_class::memory || c == scheduling_class::shuffle) {
        if (!others_.memory.queue().can_issue()) return stall_reason::memory_queue;
    } else if (i.special == program::special_op::bulk_copy && !sm_.takes_bulk_copy()) {
        return stall_reason::unit;
    } else if (i.special == program::special_op::warpgroup_mma &&
               !sm_.takes_product(context_.warp_of(slot), i, now)) {
        return stall_reason::unit;
    }
    if (context_.by_bits(i) && others_.dependences.full(slot, i)) return stall_reason::dependence;
    return stall_reason::none;
}

/// First cycle in which what refuses a warp's instruction may accept it; never: this stage is woken
/// when that is known.
std::uint64_t issue_stage::next_try(unsigned slot, stall_reason why, std::uint64_t now) const {
    if (why == stall_reason::memory_queue) return fetch_stage::never;
    if (why != stall_reason::unit) return now + 1;
    const scheduling_class c = context_.class_of(*others_.fetch.head(slot)->info);
    return std::max(now + 1, others_.execution.unit_free_at(c));
}

void issue_stage::cycle() {
    if (!context_.running.running()) {
        process_.sleep();
        return;
    }
    const std::uint64_t now = process_.now();
    if (now < next_counted_) return;  // starts in the next cycle
    context_.scheduler.advance(now);
    for (slot_mask m = others_.fetch.next_decode() <= now ? others_.fetch.decode(now) : 0; m != 0;
         m &= m - 1)
        others_.dependences.refresh(static_cast<unsigned>(__builtin_ctz(m)));
    others_.dependences.apply_increments(now - 1);
    const slot_mask ready = context_.valid & ~context_.dependent & ~context_.blocked;
    stall_reason why = stall_reason::none;
    if ((ready & ~context_.scheduler.stalled()) == 0) {
        why = reason_of_idling();
        count(now, why);
        sleeping_for_ = why;
        sleep(now, fetch_stage::never);
        return;
    }
    if (now < port_free_at_) {
        why = stall_reason::issue_port;
    } else if (!others_.operands.can_accept()) {
        why = stall_reason::register_port;
    } else {
        std::uint64_t next = fetch_stage::never;
        const int slot = context_.scheduler.choose(ready, [&](unsigned s) {
            const stall_reason r = can_issue(s, now);
            if (r == stall_reason::none) return true;
            if (why == stall_reason::none) why = r;
            next = std::min(next, next_try(s, r, now));
            return false;
        });
        if (slot >= 0) {
            why = stall_reason::none;
            issue_from(static_cast<unsigned>(slot), now);
        } else {
            sleep(now, next);
        }
    }
    count(now, why);
    if (why != stall_reason::none) process_.note_idle();
    sleeping_for_ = why == stall_reason::none ? stall_reason::no_warp : why;
}

/// Sleeps until a warp may become ready, or the reason for which none is may change.
/// @param until  at most until this cycle
void issue_stage::sleep(std::uint64_t now, std::uint64_t until) {
    const std::uint64_t next =
        std::min({context_.scheduler.next_release(now), others_.fetch.next_decode(),
                  others_.dependences.next_increment(), until});
    if (next == fetch_stage::never)
        process_.sleep();
    else
        process_.sleep_until(next);
}

void issue_stage::issue_from(unsigned slot, std::uint64_t now) {
    const unsigned w = context_.warp_of(slot);
    const program::dynamic_instruction& code = others_.fetch.take(slot);
    const program::static_instruction& i = *code.info;
    const scheduling_class c = context_.class_of(i);
    const bool memory = c == scheduling_class::memory;
    const instruction_issue::outcome out =
        effects_.issue(code, w, others_.fetch.at_end(slot), context_.number, now);
    warp_instruction& inst = *out.inst;
    context_.scheduler.issued(slot);
    ++context_.stages.unit_instructions[static_cast<unsigned>(execution_ports::unit_of(c))];
    ++probe_.count;
    probe_.warp = w;
    probe_.pc = i.pc;
    probe_.wait_mask = context_.by_bits(i) ? i.control.wait_mask : 0;
    unsigned distance = 1;
    if (context_.by_bits(i)) {
        distance = issue_distance(i.control.stall, i.control.yield);
        others_.dependences.issued(slot, i, memory, now);
    } else {
        context_.scores.reserve(w, i, inst.space);
    }
    probe_.stall = static_cast<std::uint8_t>(distance);
    context_.scheduler.stall(slot, now, now + distance);
    if (c == scheduling_class::imad_wide)
        port_free_at_ = now + 1 + context_.timing.execution.wide_multiply_hold;

    if (program::is_asynchronous(i.special)) sm_.start_asynchronous(inst, now);
    if (program::has_fixed_latency(c)) {
        others_.execution.start_fixed(inst, c, now);
        others_.operands.accept(inst, now);
    } else if (memory || c == scheduling_class::shuffle) {
        others_.memory.start(inst, c, now);
    } else {
        others_.execution.start_variable(inst, c, out.suspended, now);
    }
    if (out.suspended) sm_.suspend(inst, out.has_time_limit, now);

    synchronise(out, w, now);
    if (out.warp_ended) {
        discard_instructions(slot);
        context_.warps.ends(w);
        sm_.ends(w);
    } else {
        others_.fetch.follow(slot, now);
    }
    if ((context_.warps.waiting() & warp_bit(w)) != 0) context_.blocked |= slot_bit(slot);
    others_.dependences.refresh(slot);
    others_.fetch.note_space(slot);
}

void issue_stage::discard_instructions(unsigned slot) {
    others_.fetch.flush(slot);
    context_.live &= ~slot_bit(slot);
}

void issue_stage::end_warp(unsigned slot) {
    discard_instructions(slot);
    others_.dependences.refresh(slot);
    others_.fetch.note_space(slot);
}

/// Barriers and fences that a warp has issued.
void issue_stage::synchronise(const instruction_issue::outcome& out, unsigned w,
                              std::uint64_t now) {
    if (out.arrives) {
        if (out.barrier.kind != program::barrier_kind::arrive)
            context_.warps.at_barrier |= warp_bit(w);
        sm_.arrives(w, out.barrier, now + context_.timing.barrier_latency);
    }
    if (out.cta_cluster_arrives)
        sm_.arrives_at_cta_cluster(w, now + context_.timing.barrier_latency);
    if (out.cta_cluster_waits) sm_.waits_at_cta_cluster(w);
    if (out.fences) {
        context_.warps.at_memory_barrier |= warp_bit(w);
        sm_.fences(w, now + fence_cycles(context_.timing, out.inst->info->fence));
    }
}

// ---- inspection --------------------------------------------------------------------------------

warp_wait issue_stage::wait_of(unsigned slot) const {
    if (others_.fetch.count(slot) == 0) return warp_wait::fetch;
    if ((context_.dependent & slot_bit(slot)) != 0) return others_.dependences.wait_of(slot);
    if ((context_.scheduler.stalled() & slot_bit(slot)) != 0) return warp_wait::scoreboard;
    return can_issue(slot, process_.now()) == stall_reason::none ? warp_wait::nothing
                                                                 : warp_wait::pipeline;
}

std::string issue_stage::why_waiting(unsigned slot) const {
    if (others_.fetch.count(slot) == 0)
        return others_.fetch.missed(slot) ? "an instruction cache miss" : "fetch";
    if ((context_.dependent & slot_bit(slot)) != 0) return others_.dependences.why_waiting(slot);
    return fmt::format("a unit for {}", others_.fetch.head(slot)->info->opcode);
}

}  // namespace simtlm::core::sub_core_pipeline

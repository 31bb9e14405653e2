// SPDX-License-Identifier: Apache-2.0
#include "modules/core/simt_pipeline/warp_scheduler.h"

#include "modules/protocol/phases.h"

namespace simtlm::core::simt_pipeline {

warp_scheduler::warp_scheduler(const sc_core::sc_module_name& name,
                               simulation::phase_sequencer& sequencer, const sm_config& config,
                               unsigned number, const blocks& sm)
    : sc_module(name),
      issue("issue"),
      config_(config),
      number_(number),
      sm_(sm),
      process_("process", sequencer, protocol::phase::core_issue,
               simulation::on_edge<&warp_scheduler::cycle>(this), false, config.schedulers) {
    for (unsigned w = number; w < config.max_warps; w += config.schedulers) mine_ |= warp_bit(w);
    pipe_of_head_.resize(config.max_warps);
    heads_for_.resize(sm_.collector.pipes() + 1);
    policy_ = make_scheduling_policy(config.scheduler.policy, sm_.warps, sm_.scores, mine_,
                                     config.quirks.rrr_begins_with_warp_0,
                                     config.quirks.two_level_rotates_twice);
}

unsigned warp_scheduler::rank(std::uint64_t cycle) const {
    const unsigned n = config_.schedulers;
    const std::uint64_t cycles = sm_.running.since_reset(cycle);
    const bool power_of_two = (n & (n - 1)) == 0;  // avoids a division in most configurations
    const auto rotation = static_cast<unsigned>(power_of_two ? cycles & (n - 1) : cycles % n);
    return number_ >= rotation ? number_ - rotation : number_ + n - rotation;
}

void warp_scheduler::wake() {
    if (!running_ || process_.awake()) return;
    const std::uint64_t now = process_.now();
    unsigned r = rank(now);
    if (process_.sub_phase_has_passed(r)) {  // its action in this cycle has passed
        r = rank(now + 1);
        not_before_ = now + 1;
    }
    process_.select_sub_phase(r);
    process_.wake();
}

void warp_scheduler::sm_started(std::uint64_t now) {
    running_ = true;
    counted_to_ = now;
    last_reason_ = reason::idle;
    if (policy_->acts_when_idle() || process_.awake()) {
        process_.select_sub_phase(rank(now + 1));
        process_.wake();
    }
}

void warp_scheduler::sm_stopped(std::uint64_t now) {
    count_until(now);
    running_ = false;
    process_.sleep();
}

void warp_scheduler::count_until(std::uint64_t now) {
    if (!running_ || now <= counted_to_) return;
    count(last_reason_ == reason::issued ? reason::idle : last_reason_, now - counted_to_);
    counted_to_ = now;
}

void warp_scheduler::count(reason r, std::uint64_t cycles) {
    core_statistics& s = sm_.statistics;
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
    // Its next action may be later in the order than the one in this cycle.
    if (!running_ || counted_to_ >= now || now < not_before_) return;
    count_until(now - 1);

    warp_table& warps = sm_.warps;
    if (const warp_mask past = warps.past_memory_barrier & mine_; past != 0) {
        warps.past_memory_barrier &= ~past;
        sm_.owner.memory_barrier_passed();
    }
    const warp_mask supervised = policy_->supervised(mine_);
    warp_mask eligible = policy_->begin_cycle(warps.buffered & ~warps.waiting() & supervised);
    const warp_mask wrong_path = eligible & warps.wrong_path;
    eligible &= ~wrong_path;
    const bool valid = eligible != 0;
    for (warp_mask stale = eligible & (warps.scoreboard_stale | (supervised & ~mine_)); stale != 0;
         stale &= stale - 1)
        check_head(static_cast<unsigned>(__builtin_ctzll(stale)));
    const warp_mask ready = eligible & ~warps.scoreboard_blocked;
    last_reason_ = !valid ? reason::idle : ready == 0 ? reason::scoreboard : reason::stall;
    full_ = 0;
    for (warp_mask candidates = ready | wrong_path; candidates != 0;) {
        const unsigned w = policy_->first(candidates);
        candidates &= ~warp_bit(w);
        if ((wrong_path & warp_bit(w)) != 0) {
            sm_.stage.flush(w);
            continue;
        }
        if (const unsigned p = pipe_of_head_[w];
            p != sm_.collector.pipes() && !sm_.collector.can_accept(p, number_)) {
            full_ |= std::uint64_t{1} << p;
            candidates &= ~heads_for_[p] | wrong_path;
        } else if (try_issue(w)) {
            last_reason_ = reason::issued;
            break;
        }
    }
    count(last_reason_, 1);
    counted_to_ = now;
    rest();
}

/// Recomputes what keeps the next instruction of a warp from issuing, and its pipeline.
void warp_scheduler::check_head(unsigned w) {
    warp_table& warps = sm_.warps;
    const program::static_instruction& info = *warps.warp[w].ibuffer.head()->info;
    const warp_mask bit = warp_bit(w);
    const warp_mask blocked = sm_.scores.collides(w, info) ? bit : 0;
    warps.scoreboard_blocked = (warps.scoreboard_blocked & ~bit) | blocked;
    warps.scoreboard_stale &= ~bit;
    heads_for_[pipe_of_head_[w]] &= ~bit;
    pipe_of_head_[w] = static_cast<std::uint8_t>(sm_.collector.pipe_of(info.cls));
    heads_for_[pipe_of_head_[w]] |= bit;
}

/// If nothing can issue, sleeps until the state of a warp changes or a pipeline has a free
/// register.
void warp_scheduler::rest() {
    if (last_reason_ != reason::issued && !policy_->acts_when_idle()) {
        if (last_reason_ == reason::stall) sm_.collector.await_place(number_, full_);
        process_.sleep();
    }
    if (!process_.awake()) return;
    const unsigned r = process_.selected_sub_phase();  // rank(now)
    process_.select_sub_phase(r != 0 ? r - 1 : config_.schedulers - 1);
}

bool warp_scheduler::try_issue(unsigned w) {
    unsigned issued = 0;
    unsigned previous = sm_.collector.pipes();
    while (issued < config_.scheduler.max_issue_per_warp && can_issue(w, issued, previous)) {
        issue_from(w);
        ++issued;
    }
    if (issued == 0) return false;
    policy_->issued(w, issued);
    if (issued == 1)
        ++sm_.statistics.single_issue[number_];
    else
        ++sm_.statistics.dual_issue[number_];
    return true;
}

/// Whether the next instruction of a warp can issue after `issued` others in this cycle.
/// @param previous  kind of unit of the last of them; set to the kind of this one
bool warp_scheduler::can_issue(unsigned w, unsigned issued, unsigned& previous) {
    const warp_table& warps = sm_.warps;
    if (issued > 0) {  // the first has been checked already
        if ((warps.buffered & ~warps.waiting() & warp_bit(w)) == 0) return false;
        if ((warps.wrong_path & warp_bit(w)) != 0) {
            sm_.stage.flush(w);
            return false;
        }
        if (sm_.scores.collides(w, *warps.warp[w].ibuffer.head()->info)) return false;
    }
    const program::static_instruction& info = *warps.warp[w].ibuffer.head()->info;
    const unsigned p = sm_.collector.pipe_of(info.cls);
    if (p == sm_.collector.pipes()) {
        sm_.owner.no_unit_for(info);
        return false;
    }
    if (!sm_.collector.can_accept(p, number_)) {
        full_ |= std::uint64_t{1} << p;
        return false;
    }
    const unsigned kind = config_.pipelines[p].specialized ? pipe_spec : p;
    if (config_.scheduler.dual_issue_diff_exec_units && previous == kind) return false;
    previous = kind;
    return true;
}

void warp_scheduler::issue_from(unsigned w) {
    warp_instruction& inst = sm_.stage.issue(w, number_, process_.now());
    probe_.count++;
    probe_.warp = w;
    probe_.pc = inst.info->pc;
    probe_.opcode = inst.info->opcode;
    if (inst.info->special >= program::special_op::launch_dependents)
        sm_.owner.concerns_dependents(inst);
    send(issue, inst);
}

}  // namespace simtlm::core::simt_pipeline

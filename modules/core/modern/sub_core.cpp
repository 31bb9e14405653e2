// SPDX-License-Identifier: Apache-2.0
#include "modules/core/modern/sub_core.h"

#include "modules/core/write_back.h"
#include "modules/protocol/phases.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::core::modern {

using program::op_class;
using program::scheduling_class;
using protocol::phase;

namespace {
constexpr std::uint64_t program_start = 0xF0000000;  // as in the classic core
constexpr unsigned machine_code_bytes = 16;          // per instruction, since Volta
constexpr unsigned operand_read_cycles = 5;          // issue, control, allocate, reads

/// Minimum duration of a fence, core cycles. A fence between the generic and the asynchronous proxy
/// is FENCE.VIEW after a MEMBAR.ALL that waits for the warp's own writes; together they take 8 to
/// 13 cycles on an H100 (measured by FlashGPU-Sim: its frozen configuration of 2026-09-14).
unsigned fence_cycles(const sm_timing& modern, program::fence_kind kind) {
    using program::fence_kind;
    constexpr unsigned of_proxy = 8, before_proxy = 2;
    switch (kind) {
        case fence_kind::async_proxy:
            return of_proxy;
        case fence_kind::cta_all:
            return before_proxy;
        case fence_kind::cta:
            return modern.fence_cta;
        case fence_kind::system:
            return modern.fence_system;
        case fence_kind::gpu:
            break;
    }
    return modern.fence_gpu;
}
}  // namespace

sub_core::sub_core(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                   const sm_config& config, const sm_timing& modern, unsigned number,
                   const blocks& sm)
    : sc_module(name),
      config_(config),
      modern_(modern),
      number_(number),
      sm_(sm),
      scheduler_(modern.policy),
      ports_(modern.execution),
      registers_(modern.registers),
      results_(modern.result_queue),
      l0_(modern.l0i),
      memory_(modern.memory_queue),
      front_((config.max_warps + config.schedulers - 1) / config.schedulers),
      starts_(front_.size(), 0),
      generation_(front_.size(), 0),
      decoding_((modern.decode_cycles + 1) * modern.fetch_width),
      write_back_process_("write_back", sequencer, phase::core_write_back,
                          kernel::on_edge<&sub_core::write_back>(this)),
      operand_process_("operands", sequencer, phase::core_operands,
                       kernel::on_edge<&sub_core::operands>(this)),
      issue_process_("issue", sequencer, phase::core_issue, kernel::on_edge<&sub_core::issue>(this),
                     false, config.schedulers),
      fetch_process_("fetch", sequencer, phase::core_front_end,
                     kernel::on_edge<&sub_core::fetch>(this)) {
    issue_process_.select_sub_phase(number);
}

// ---- warps -------------------------------------------------------------------------------------

void sub_core::warp_starts(unsigned warp, std::uint64_t from) {
    const unsigned slot = slot_of(warp);
    front& f = front_[slot];
    f = front();
    f.fetch_from = from;
    ++generation_[slot];
    ++starts_[slot];
    increments_.erase(std::remove_if(increments_.begin(), increments_.end(),
                                     [slot](const increment& i) { return i.slot == slot; }),
                      increments_.end());
    if (!sm_.warps.warp[warp].code.empty()) live_ |= slot_bit(slot);
    valid_ &= ~slot_bit(slot);
    dependent_ &= ~slot_bit(slot);
    blocked_ &= ~slot_bit(slot);
    scheduler_.warp_starts(slot);
    note_room(slot);
    issue_process_.wake();
}

void sub_core::warp_ends(unsigned warp) {
    scheduler_.warp_ends(slot_of(warp));
}

void sub_core::may_issue(unsigned warp) {
    const unsigned slot = slot_of(warp);
    const bool waits = (sm_.warps.waiting() & warp_bit(warp)) != 0;
    blocked_ = waits ? blocked_ | slot_bit(slot) : blocked_ & ~slot_bit(slot);
    refresh(slot);
    issue_process_.wake();
}

void sub_core::sm_started(std::uint64_t now) {
    next_counted_ = now + 1;
    sleeping_for_ = stall_reason::no_warp;
    issue_process_.wake();
}

void sub_core::sm_stopped(std::uint64_t now) {
    settle(now);
    issue_process_.sleep();
    fetch_process_.sleep();
}

void sub_core::settle(std::uint64_t last) {
    if (!sm_.running.running() || last < next_counted_) return;
    count(last, sleeping_for_);
}

/// Counts a cycle, and preceding cycles in which the sub-core slept.
void sub_core::count(std::uint64_t now, stall_reason why) {
    const auto add = [this](stall_reason r, std::uint64_t n) {
        sm_.modern.cycles[static_cast<unsigned>(r)] += n;
        core_statistics& s = sm_.statistics;
        switch (r) {
            case stall_reason::none:
                s.issue_cycles += n;
                s.single_issue[number_] += n;
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

// ---- write-back --------------------------------------------------------------------------------

void sub_core::at(std::uint64_t cycle, event_kind kind, unsigned slot, warp_instruction* inst,
                  unsigned counter) {
    arm({cycle, inst, kind, static_cast<std::uint8_t>(slot), static_cast<std::uint8_t>(counter),
         starts_[slot]});
}

void sub_core::arm(const event& e) {
    const std::size_t place = e.at % wheel_size;
    wheel_[place].push_back(e);
    armed_[place / 64] |= std::uint64_t{1} << (place % 64);
    if (!write_back_process_.awake()) write_back_process_.wake_at(e.at);
}

void sub_core::write_back() {
    const std::uint64_t now = write_back_process_.now();
    const std::size_t place = now % wheel_size;
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if ((armed_[place / 64] & bit) != 0) {
        due_.clear();
        due_.swap(wheel_[place]);
        armed_[place / 64] &= ~bit;
        for (const event& e : due_) {
            if (e.at != now) {  // another revolution of the wheel
                arm(e);
                continue;
            }
            switch (e.kind) {
                case event_kind::written: {
                    const program::static_instruction& i = *e.inst->info;
                    if (!by_bits(i)) sm_.scores.release(e.inst->warp, i);
                    if (i.control.write_barrier < dependence_counters::count && by_bits(i)) {
                        if (forward_cycles(i) != 0)
                            --front_[e.slot].forwarded[i.control.write_barrier];
                        decrement(e.slot, i.control.write_barrier);
                    }
                    complete(*e.inst);
                    break;
                }
                case event_kind::counter_freed:
                    // A store may read its operands after its warp has exited.
                    if (e.start == starts_[e.slot]) decrement(e.slot, e.counter);
                    break;
                case event_kind::forwarded:
                    apply_increments(now - 1);
                    ++front_[e.slot].forwarded[e.counter];
                    refresh(e.slot);
                    issue_process_.wake();
                    break;
                case event_kind::bypassed:
                    sm_.scores.release(e.inst->warp, *e.inst->info);
                    break;
                case event_kind::fixed_written:
                    results_.release();
                    complete(*e.inst);
                    break;
            }
        }
    }
    // Find the next cycle with an event.
    for (unsigned ahead = 1; ahead <= wheel_size; ++ahead) {
        const std::size_t p = (now + ahead) % wheel_size;
        const std::uint64_t word = armed_[p / 64] >> (p % 64);
        if (word == 0) {
            ahead += 63 - static_cast<unsigned>(p % 64);
            continue;
        }
        ahead += static_cast<unsigned>(__builtin_ctzll(word));
        write_back_process_.sleep_until(now + ahead);
        return;
    }
    write_back_process_.sleep();
}

void sub_core::complete(warp_instruction& inst) {
    count_completed(sm_.statistics, inst);
    const unsigned w = inst.warp;
    sm_.pool.release(inst);
    sm_.warps.leaves_pipeline(w);
}

void sub_core::decrement(unsigned slot, unsigned counter) {
    apply_increments(write_back_process_.now() - 1);
    front& f = front_[slot];
    if (f.counters.decrement(counter))
        f.of_memory = static_cast<std::uint8_t>(f.of_memory & ~(1u << counter));
    else if (f.counters.value(counter) != f.forwarded[counter])
        return;
    refresh(slot);
    issue_process_.wake();
}

/// Increments the counters of instructions that issued before a cycle.
void sub_core::apply_increments(std::uint64_t before) {
    std::size_t left = 0;
    for (const increment& i : increments_) {
        if (i.issued < before) {
            front& f = front_[i.slot];
            f.counters.increment(i.counter);
            if (i.memory) f.of_memory = static_cast<std::uint8_t>(f.of_memory | 1u << i.counter);
            refresh(i.slot);
        } else {
            increments_[left++] = i;
        }
    }
    increments_.resize(left);
}

// ---- operands of fixed-latency instructions ----------------------------------------------------

bool sub_core::try_allocate(warp_instruction& inst, std::uint64_t now) {
    const program::static_instruction& i = *inst.info;
    // PTX registers have not been allocated; a compiler distributes them over the banks.
    const bool ideal = modern_.perfect_register_ports || i.code_bytes < machine_code_bytes;
    register_file::reads wanted{};
    struct operand {
        std::uint16_t reg;
        std::uint8_t slot;
    };
    std::array<operand, register_cache::slots> operands;
    unsigned n = 0;
    if (!ideal) {
        for (unsigned s = 0; s < i.n_src && s < register_cache::slots; ++s) {
            if (i.src[s] == program::register_zero || (i.uncollected >> s & 1u) != 0) continue;
            operands[n++] = {i.src[s], static_cast<std::uint8_t>(s)};
            const unsigned bank = registers_.bank_of(i.src[s]);
            if (!cache_.holds(inst.warp, i.src[s], bank, s)) ++wanted[bank];
        }
        const unsigned window = modern_.registers.read_window;
        const std::uint64_t tensor =
            warpgroups_ != nullptr ? warpgroups_->register_reads(now, window) : 0;
        if (!registers_.allocate(wanted, window, now, tensor)) return false;
    }
    for (unsigned k = 0; k < n; ++k) {
        const operand& o = operands[k];
        ++sm_.modern.register_reads;
        if (cache_.read(inst.warp, o.reg, registers_.bank_of(o.reg), o.slot,
                        (i.control.reuse >> o.slot & 1u) != 0))
            ++sm_.modern.register_cache_hits;
    }
    sm_.statistics.register_reads += n;
    return true;
}

void sub_core::operands() {
    const std::uint64_t now = operand_process_.now();
    if (allocate_.inst != nullptr && allocate_.entered < now) {
        warp_instruction& inst = *allocate_.inst;
        if (try_allocate(inst, now)) {
            allocate_.inst = nullptr;
            const unsigned latency = modern_.execution[class_of(*inst.info)].latency;
            const std::uint64_t ready =
                now + modern_.registers.read_window + std::max(latency, 3u) - 2;
            const std::uint64_t written = results_.written_at(ready);
            for (unsigned d = 0; d < inst.info->n_dst; ++d)
                if (inst.info->dst[d] != program::register_zero) {
                    registers_.write_fixed(registers_.bank_of(inst.info->dst[d]), written);
                    ++sm_.statistics.register_writes;
                }
            at(written, event_kind::fixed_written, slot_of(inst.warp), &inst);
        } else {
            ++sm_.modern.port_bubbles;
        }
    }
    if (allocate_.inst == nullptr && control_.inst != nullptr && control_.entered < now) {
        allocate_ = {control_.inst, now};
        control_.inst = nullptr;
    }
    if (allocate_.inst == nullptr && control_.inst == nullptr) operand_process_.sleep();
}

// ---- issue -------------------------------------------------------------------------------------

void sub_core::decode(std::uint64_t now) {
    while (!decoding_.empty() && decoding_.front().at <= now) {
        const decoding d = decoding_.pop();
        if (d.generation != generation_[d.slot]) continue;  // flushed
        front& f = front_[d.slot];
        --f.in_decode;
        f.buffer[(f.first + f.count) % most_buffered] = d.code;
        ++sm_.statistics.decoded;
        if (f.count++ == 0) {
            valid_ |= slot_bit(d.slot);
            refresh(d.slot);
        }
    }
}

/// Whether an instruction waits for dependence counters. The tensor core forwards accumulators, so
/// that a matrix product does not wait until those of preceding products are written.
bool sub_core::waits_for_counters(unsigned slot, const program::static_instruction& i) const {
    const front& f = front_[slot];
    if (f.counters.ready(i.control.wait_mask)) return false;
    if (class_of(i) != scheduling_class::mma) return true;
    for (unsigned b = 0; b < dependence_counters::count; ++b)
        if ((i.control.wait_mask >> b & 1u) != 0 && f.counters.value(b) > f.forwarded[b])
            return true;
    return false;
}

/// Recomputes whether the next instruction of a warp waits for another one.
void sub_core::refresh(unsigned slot) {
    if ((valid_ & slot_bit(slot)) == 0) return;
    const program::static_instruction& i = *head(slot)->info;
    bool waits;
    if (by_bits(i)) {
        waits = waits_for_counters(slot, i);
    } else {
        const unsigned w = warp_of(slot);
        waits = sm_.scores.collides(w, i);
        if (waits) sm_.warps.scoreboard_blocked |= warp_bit(w);
    }
    dependent_ = waits ? dependent_ | slot_bit(slot) : dependent_ & ~slot_bit(slot);
}

stall_reason sub_core::reason_of_idling() const {
    const slot_mask held = valid_ & ~blocked_;
    if ((held & ~dependent_) != 0) return stall_reason::stall_count;
    if (held != 0) return stall_reason::dependence;
    bool missed = false, empty = false, barrier = false, fence = false;
    for (slot_mask m = live_; m != 0; m &= m - 1) {
        const auto slot = static_cast<unsigned>(__builtin_ctz(m));
        if ((blocked_ & slot_bit(slot)) == 0) {
            empty = true;
            missed |= front_[slot].missed;
        } else if ((sm_.warps.at_barrier & warp_bit(warp_of(slot))) != 0) {
            barrier = true;
        } else if ((sm_.warps.asleep & warp_bit(warp_of(slot))) == 0) {
            fence = true;
        }
    }
    return missed    ? stall_reason::instruction_miss
           : empty   ? stall_reason::instruction
           : barrier ? stall_reason::barrier
           : fence   ? stall_reason::fence
                     : stall_reason::no_warp;
}

stall_reason sub_core::can_issue(unsigned slot, std::uint64_t now) const {
    const program::static_instruction& i = *head(slot)->info;
    const scheduling_class c = class_of(i);
    if (!ports_.free(c, now)) return stall_reason::unit;
    if (program::has_fixed_latency(c)) {
        if (!results_.can_reserve()) return stall_reason::result_queue;
    } else if (c == scheduling_class::memory || c == scheduling_class::shuffle) {
        if (!memory_.can_issue()) return stall_reason::memory_queue;
    } else if (i.special == program::special_op::bulk_copy && !sm_.sm.takes_bulk_copy()) {
        return stall_reason::unit;
    } else if (i.special == program::special_op::warpgroup_mma &&
               !sm_.sm.takes_product(warp_of(slot), i, now)) {
        return stall_reason::unit;
    }
    if (by_bits(i)) {
        const dependence_counters& counters = front_[slot].counters;
        for (const std::uint8_t b : {i.control.write_barrier, i.control.read_barrier})
            if (b < dependence_counters::count && counters.full(b)) return stall_reason::dependence;
    }
    return stall_reason::none;
}

void sub_core::issue() {
    if (!sm_.running.running()) {
        issue_process_.sleep();
        return;
    }
    const std::uint64_t now = issue_process_.now();
    if (now < next_counted_) return;  // starts in the next cycle
    scheduler_.advance(now);
    decode(now);
    apply_increments(now - 1);
    const slot_mask ready = valid_ & ~dependent_ & ~blocked_;
    stall_reason why = stall_reason::none;
    if ((ready & ~scheduler_.stalled()) == 0) {
        why = reason_of_idling();
        count(now, why);
        sleeping_for_ = why;
        std::uint64_t next = scheduler_.next_release(now);
        if (!decoding_.empty()) next = std::min(next, decoding_.front().at);
        // A counter that increments may change the reason.
        if (!increments_.empty()) next = std::min(next, increments_.front().issued + 2);
        if (next == issue_scheduler::never)
            issue_process_.sleep();
        else
            issue_process_.sleep_until(next);
        return;
    }
    if (now < port_free_at_) {
        why = stall_reason::issue_port;
    } else if (control_.inst != nullptr) {
        why = stall_reason::register_port;
    } else {
        const int slot = scheduler_.choose(ready, [&](unsigned s) {
            const stall_reason r = can_issue(s, now);
            if (r != stall_reason::none && why == stall_reason::none) why = r;
            return r == stall_reason::none;
        });
        if (slot >= 0) {
            why = stall_reason::none;
            issue_from(static_cast<unsigned>(slot), now);
        }
    }
    count(now, why);
    sleeping_for_ = why == stall_reason::none ? stall_reason::no_warp : why;
}

void sub_core::issue_from(unsigned slot, std::uint64_t now) {
    front& f = front_[slot];
    const unsigned w = warp_of(slot);
    warp_state& warp = sm_.warps.warp[w];
    const program::dynamic_instruction& code = *f.buffer[f.first];
    const program::static_instruction& i = *code.info;
    const scheduling_class c = class_of(i);
    f.first = static_cast<std::uint8_t>((f.first + 1) % most_buffered);
    if (--f.count == 0) valid_ &= ~slot_bit(slot);
    const bool last = f.count == 0 && f.in_decode == 0 && warp.code.empty();

    const instruction_issue::outcome out = sm_.issue.issue(code, w, last, number_, now);
    warp_instruction& inst = *out.inst;
    scheduler_.issued(slot);
    ++sm_.modern.unit_instructions[static_cast<unsigned>(execution_ports::unit_of(c))];
    ++probe_.count;
    probe_.warp = w;
    probe_.pc = i.pc;
    probe_.wait_mask = by_bits(i) ? i.control.wait_mask : 0;
    unsigned distance = 1;
    if (by_bits(i)) {
        distance = issue_distance(i.control.stall, i.control.yield);
        for (const std::uint8_t b : {i.control.write_barrier, i.control.read_barrier})
            if (b < dependence_counters::count)
                increments_.push_back(
                    {now, static_cast<std::uint8_t>(slot), b, c == scheduling_class::memory});
    } else {
        sm_.scores.reserve(w, i, inst.space);
    }
    probe_.stall = static_cast<std::uint8_t>(distance);
    scheduler_.stall(slot, now, now + distance);
    if (c == scheduling_class::imad_wide)
        port_free_at_ = now + 1 + modern_.execution.wide_multiply_hold;

    if (program::has_fixed_latency(c))
        start_fixed(inst, c, now);
    else if (c == scheduling_class::memory || c == scheduling_class::shuffle)
        start_memory(inst, c, now);
    else
        start_variable(inst, c, out.suspended, now);
    if (program::is_asynchronous(i.special)) sm_.sm.engage(inst, now);
    if (out.suspended) sm_.sm.suspend(inst, out.has_time_limit, now);

    if (out.arrives) {
        if (out.barrier.kind != program::barrier_kind::arrive) sm_.warps.at_barrier |= warp_bit(w);
        sm_.sm.arrives(w, out.barrier, now + modern_.barrier_latency);
    }
    if (out.cluster_arrives) sm_.sm.arrives_at_cluster(w, now + modern_.barrier_latency);
    if (out.cluster_waits) sm_.sm.waits_at_cluster(w);
    if (out.fences) {
        sm_.warps.at_memory_barrier |= warp_bit(w);
        sm_.sm.fences(w, now + fence_cycles(modern_, i.fence));
    }
    go_on(slot, out.warp_ended, now);
    if ((sm_.warps.waiting() & warp_bit(w)) != 0) blocked_ |= slot_bit(slot);
    refresh(slot);
    note_room(slot);
}

void sub_core::start_fixed(warp_instruction& inst, scheduling_class c, std::uint64_t now) {
    ports_.take(c, modern_.execution[c].initiation, now);
    results_.reserve();
    control_ = {&inst, now};
    operand_process_.wake();
    const program::static_instruction& i = *inst.info;
    const unsigned slot = slot_of(inst.warp);
    if (!by_bits(i)) {
        // A dependent instruction may issue when the latency has passed.
        if (i.n_dst > 0)
            at(now + std::max<unsigned>(modern_.execution[c].latency, 2), event_kind::bypassed,
               slot, &inst);
        return;
    }
    if (i.control.write_barrier < dependence_counters::count)
        at(now + std::max<unsigned>(modern_.execution[c].latency, 2), event_kind::counter_freed,
           slot, nullptr, i.control.write_barrier);
    if (i.control.read_barrier < dependence_counters::count)
        at(now + operand_read_cycles, event_kind::counter_freed, slot, nullptr,
           i.control.read_barrier);
}

const tensor_cycles& sub_core::timing_of_matrix(const program::static_instruction& i) {
    const auto found = matrix_timing_.find(i.matrix.key());
    if (found != matrix_timing_.end()) return found->second;
    return matrix_timing_.emplace(i.matrix.key(), tensor_timing(modern_.execution.tensor, i.matrix))
        .first->second;
}

/// Cycles after which the next matrix product can accumulate on the result of an instruction; 0: it
/// waits until the result is written. A product of PTX stands for several instructions, whose
/// latency includes this.
unsigned sub_core::forward_cycles(const program::static_instruction& i) {
    if (class_of(i) != scheduling_class::mma || program::is_asynchronous(i.special) ||
        i.code_bytes < machine_code_bytes)
        return 0;
    return timing_of_matrix(i).forward;
}

/// @param suspended  its result is written later, by writes_result()
void sub_core::start_variable(warp_instruction& inst, scheduling_class c, bool suspended,
                              std::uint64_t now) {
    const program::static_instruction& i = *inst.info;
    unsigned latency = modern_.execution[c].latency, initiation = modern_.execution[c].initiation;
    if (program::is_asynchronous(i.special)) {
        const engine_config& e = modern_.engines;
        initiation = 1;
        if (e.present && i.special == program::special_op::mbarrier_update)
            latency = e.mbarrier.arrive_cycles;
        else if (e.present && i.special == program::special_op::mbarrier_wait)
            latency = e.mbarrier.wait_cycles;
    } else if (c == scheduling_class::mma) {
        const tensor_cycles& t = timing_of_matrix(i);
        latency = t.latency;
        initiation = t.initiation;
    }
    ports_.take(c, initiation, now);
    std::uint64_t done = now + std::max(latency, 2u);
    if (c == scheduling_class::fp64 && modern_.shared_fp64_interval != 0)
        done = sm_.sm.enter_shared_fp64(now) + std::max(latency, 2u);
    if (by_bits(i) && i.control.read_barrier < dependence_counters::count)
        at(now + operand_read_cycles, event_kind::counter_freed, slot_of(inst.warp), nullptr,
           i.control.read_barrier);
    if (!suspended) at(done, event_kind::written, slot_of(inst.warp), &inst);
    if (!by_bits(i) || i.control.write_barrier >= dependence_counters::count) return;
    if (const unsigned cycles = forward_cycles(i); cycles != 0)
        at(now + cycles, event_kind::forwarded, slot_of(inst.warp), nullptr,
           i.control.write_barrier);
}

void sub_core::start_memory(warp_instruction& inst, scheduling_class c, std::uint64_t now) {
    const memory_kind kind = memory_kind_of(*inst.info, inst.space);
    const bool uniform = false;  // no source provides uniform address registers
    const bool quick = memory_latencies::is_quick(kind, uniform);
    const memory_queue_config& q = modern_.memory_queue;
    const unsigned to_accept = q.stages + (quick ? q.uniform_cycles : q.address_cycles);
    const unsigned bytes = inst.data_size;
    const auto beyond = [&](unsigned latency) {
        return static_cast<std::uint16_t>(latency > to_accept ? latency - to_accept : 0);
    };
    ports_.take(c, modern_.execution[c].initiation, now);
    memory_.issue({&inst, beyond(modern_.memory.war(kind, uniform, bytes)),
                   beyond(modern_.memory.raw(kind, uniform, bytes)), uniform},
                  quick, now);
    sm_.sm.has_memory_instruction(number_);
}

sub_core::memory_entry sub_core::take_memory(std::uint64_t now) {
    ++sm_.modern.memory_accepted;
    issue_process_.wake();
    return memory_.take(now);
}

void sub_core::reads_operands(const warp_instruction& inst, std::uint64_t cycle) {
    const program::static_instruction& i = *inst.info;
    if (!by_bits(i) || i.control.read_barrier >= dependence_counters::count) return;
    if (cycle <= issue_process_.now())
        decrement(slot_of(inst.warp), i.control.read_barrier);
    else
        at(cycle, event_kind::counter_freed, slot_of(inst.warp), nullptr, i.control.read_barrier);
}

std::uint64_t sub_core::writes_result(warp_instruction& inst, std::uint64_t cycle) {
    std::uint64_t written = cycle;
    for (unsigned d = 0; d < inst.info->n_dst; ++d)
        if (inst.info->dst[d] != program::register_zero) {
            written = std::max(
                written, registers_.write_variable(registers_.bank_of(inst.info->dst[d]), cycle));
            ++sm_.statistics.register_writes;
        }
    sm_.modern.write_conflicts += written - cycle;
    at(written, event_kind::written, slot_of(inst.warp), &inst);
    return written;
}

/// Determines how the warp continues after an issued instruction.
void sub_core::go_on(unsigned slot, bool warp_ended, std::uint64_t now) {
    front& f = front_[slot];
    const unsigned w = warp_of(slot);
    warp_state& warp = sm_.warps.warp[w];
    if (warp_ended) {
        flush(slot);
        live_ &= ~slot_bit(slot);
        sm_.warps.ends(w);
        sm_.sm.ends(w);
        return;
    }
    if (warp.executor == nullptr) {
        if (!f.branch_ahead || f.count != 0 || f.in_decode != 0) return;
        f.branch_ahead = false;
        f.fetch_from = now + modern_.branch_redirect;
        ++sm_.modern.redirects;
        return;
    }
    const program::dynamic_instruction* next = warp.code.empty() ? nullptr : warp.code.next;
    if (f.count != 0) {
        next = head(slot);
    } else if (f.in_decode != 0) {
        for (std::size_t k = 0; k < decoding_.size(); ++k)
            if (decoding_[k].slot == slot && decoding_[k].generation == generation_[slot]) {
                next = decoding_[k].code;
                break;
            }
    }
    if (next == warp.resolved_path.next) return;
    flush(slot);
    warp.code = warp.resolved_path;
    f.fetch_from = now + modern_.branch_redirect;
    ++sm_.modern.redirects;
}

void sub_core::flush(unsigned slot) {
    front& f = front_[slot];
    f.first = f.count = f.in_decode = 0;
    f.missed = f.branch_ahead = false;
    ++generation_[slot];
    valid_ &= ~slot_bit(slot);
}

// ---- fetch -------------------------------------------------------------------------------------

void sub_core::note_room(unsigned slot) {
    const front& f = front_[slot];
    const bool room = (live_ & slot_bit(slot)) != 0 && !f.missed && !f.branch_ahead &&
                      f.count + f.in_decode < modern_.instruction_buffer &&
                      !sm_.warps.warp[warp_of(slot)].code.empty();
    wants_fetch_ = room ? wants_fetch_ | slot_bit(slot) : wants_fetch_ & ~slot_bit(slot);
    if (room) fetch_process_.wake();
}

void sub_core::fetch() {
    if (!sm_.running.running()) {
        fetch_process_.sleep();
        return;
    }
    const std::uint64_t now = fetch_process_.now();
    slot_mask candidates = 0;
    slot_mask starved = 0;  // nothing to issue, and no fetch in flight
    std::uint64_t next = issue_scheduler::never;
    for (slot_mask m = wants_fetch_; m != 0; m &= m - 1) {
        const auto slot = static_cast<unsigned>(__builtin_ctz(m));
        const front& f = front_[slot];
        if (f.fetch_from <= now) {
            candidates |= slot_bit(slot);
            if (f.count + f.in_decode == 0) starved |= slot_bit(slot);
        } else
            next = std::min(next, f.fetch_from);
    }
    if (candidates == 0) {
        if (next == issue_scheduler::never)
            fetch_process_.sleep();
        else
            fetch_process_.sleep_until(next);
        return;
    }
    const int last = scheduler_.last();
    const bool follow = last >= 0 && (candidates & slot_bit(static_cast<unsigned>(last))) != 0;
    const unsigned slot = starved != 0 ? scheduler_.youngest(starved)
                          : follow     ? static_cast<unsigned>(last)
                                       : scheduler_.youngest(candidates);
    const std::uint64_t line = l0_.line_of(next_address(slot));
    for (unsigned n = 0; n < modern_.fetch_width; ++n) {
        if (!fetch_for(slot, now)) break;
        note_room(slot);
        if ((wants_fetch_ & slot_bit(slot)) == 0 || l0_.line_of(next_address(slot)) != line) break;
    }
    note_room(slot);
}

/// Address of the next instruction to be fetched for a warp. PTX instructions are laid out in
/// memory like machine instructions.
std::uint64_t sub_core::next_address(unsigned slot) const {
    const program::static_instruction& i = *sm_.warps.warp[warp_of(slot)].code.next->info;
    return (i.code_bytes < machine_code_bytes ? i.pc * 2 : i.pc) + program_start;
}

bool sub_core::fetch_for(unsigned slot, std::uint64_t now) {
    front& f = front_[slot];
    warp_state& warp = sm_.warps.warp[warp_of(slot)];
    const program::dynamic_instruction& code = *warp.code.next;
    const std::uint64_t address = next_address(slot);
    const l0_instruction_cache::answer answer = l0_.fetch(address);
    if (l0_.has_request()) sm_.sm.wants_line(number_);
    if (answer == l0_instruction_cache::answer::miss) {
        f.missed = true;
        issue_process_.wake();  // to count a different reason
        return false;
    }
    ++warp.code.next;
    ++f.in_decode;
    decoding_.push(
        {now + modern_.decode_cycles, &code, static_cast<std::uint8_t>(slot), generation_[slot]});
    if (!issue_process_.awake()) issue_process_.wake_at(now + modern_.decode_cycles);
    if (warp.executor == nullptr && !warp.code.empty() &&
        warp.code.next->info->pc != code.info->pc + code.info->code_bytes)
        f.branch_ahead = true;
    return true;
}

void sub_core::line_arrived(std::uint64_t line) {
    l0_.arrived(line);
    for (slot_mask m = live_; m != 0; m &= m - 1) {
        const auto slot = static_cast<unsigned>(__builtin_ctz(m));
        if (!front_[slot].missed) continue;
        front_[slot].missed = false;
        note_room(slot);
        issue_process_.wake();
    }
}

void sub_core::invalidate_instructions() {
    l0_.invalidate();
}

warp_wait sub_core::wait_of(unsigned w) const {
    const unsigned slot = slot_of(w);
    if (front_[slot].count == 0) return warp_wait::fetch;
    if ((dependent_ & slot_bit(slot)) != 0) {
        const front& f = front_[slot];
        const program::static_instruction& i = *head(slot)->info;
        const bool memory = by_bits(i) ? (f.of_memory & i.control.wait_mask) != 0
                                       : sm_.scores.waits_for_long_operation(w, i);
        return memory ? warp_wait::memory : warp_wait::scoreboard;
    }
    if ((scheduler_.stalled() & slot_bit(slot)) != 0) return warp_wait::scoreboard;
    return can_issue(slot, issue_process_.now()) == stall_reason::none ? warp_wait::nothing
                                                                       : warp_wait::pipeline;
}

std::string sub_core::why_waiting(unsigned w) const {
    const unsigned slot = slot_of(w);
    const front& f = front_[slot];
    if (f.count == 0) return f.missed ? "an instruction cache miss" : "fetch";
    const program::static_instruction& i = *head(slot)->info;
    if ((dependent_ & slot_bit(slot)) == 0) return fmt::format("a unit for {}", i.opcode);
    if (!by_bits(i)) return fmt::format("registers of {}", i.opcode);
    std::string text;
    for (unsigned b = 0; b < dependence_counters::count; ++b)
        if ((i.control.wait_mask >> b & 1u) != 0 && f.counters.value(b) != 0)
            text += fmt::format("{}SB{} = {}", text.empty() ? "" : ", ", b, f.counters.value(b));
    return fmt::format("{} before {}", text, i.opcode);
}

}  // namespace simtlm::core::modern

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/execution_stage.h"

#include "modules/protocol/phases.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

using program::scheduling_class;

execution_stage::execution_stage(simulation::phase_sequencer& sequencer, sub_core_slots& slots,
                                 dependence_unit& dependences, register_file& registers, client& sm)
    : context_(slots),
      dependences_(dependences),
      registers_(registers),
      sm_(sm),
      ports_(slots.timing.execution),
      results_(slots.timing.result_queue),
      starts_(slots.size(), 0),
      process_("write_back", sequencer, protocol::phase::core_write_back,
               simulation::on_edge<&execution_stage::write_back>(this)) {}

// ---- write-back --------------------------------------------------------------------------------

void execution_stage::at(std::uint64_t cycle, event_kind kind, unsigned slot,
                         warp_instruction* inst, unsigned counter) {
    events_.add({cycle, inst, kind, static_cast<std::uint8_t>(slot),
                 static_cast<std::uint8_t>(counter), starts_[slot]});
    if (!process_.awake()) process_.wake_at(cycle);
}

void execution_stage::write_back() {
    const std::uint64_t now = process_.now();
    events_.advance(now, [&](const event& e) { perform(e, now); });
    const std::uint64_t next = events_.next(now);
    if (next == event_wheel<event>::never)
        process_.sleep();
    else
        process_.sleep_until(next);
}

void execution_stage::perform(const event& e, std::uint64_t now) {
    switch (e.kind) {
        case event_kind::written: {
            const program::static_instruction& i = *e.inst->info;
            if (!context_.by_bits(i)) {
                context_.scores.release(e.inst->warp, i);
            } else if (i.control.write_barrier < dependence_counters::count) {
                if (forward_cycles(i) != 0) dependences_.forwarded(e.slot, i.control.write_barrier);
                dependences_.decrement(e.slot, i.control.write_barrier, now);
            }
            complete(*e.inst);
            break;
        }
        case event_kind::counter_freed:
            // A store may read its operands after its warp has exited.
            if (e.start == starts_[e.slot]) dependences_.decrement(e.slot, e.counter, now);
            break;
        case event_kind::forwarded:
            dependences_.forward(e.slot, e.counter, now);
            break;
        case event_kind::bypassed:
            context_.scores.release(e.inst->warp, *e.inst->info);
            break;
        case event_kind::fixed_written:
            results_.release();
            complete(*e.inst);
            break;
    }
}

void execution_stage::complete(warp_instruction& inst) {
    count_completed(context_.statistics, inst);
    const unsigned w = inst.warp;
    context_.pool.release(inst);
    context_.warps.leaves_pipeline(w);
}

// ---- execution ---------------------------------------------------------------------------------

void execution_stage::start_fixed(warp_instruction& inst, scheduling_class c, std::uint64_t now) {
    const class_timing& timing = context_.timing.execution[c];
    ports_.take(c, timing.initiation, now);
    results_.reserve();
    const program::static_instruction& i = *inst.info;
    const unsigned slot = context_.slot_of(inst.warp);
    const std::uint64_t dependent = now + std::max<unsigned>(timing.latency, 2);
    if (!context_.by_bits(i)) {
        // A dependent instruction may issue when the latency has passed.
        if (i.n_dst > 0) at(dependent, event_kind::bypassed, slot, &inst);
        return;
    }
    if (i.control.write_barrier < dependence_counters::count)
        at(dependent, event_kind::counter_freed, slot, nullptr, i.control.write_barrier);
    if (i.control.read_barrier < dependence_counters::count)
        at(now + operand_read_cycles, event_kind::counter_freed, slot, nullptr,
           i.control.read_barrier);
}

void execution_stage::execute_fixed(warp_instruction& inst, std::uint64_t now) {
    const sm_timing& timing = context_.timing;
    const unsigned latency = timing.execution[context_.class_of(*inst.info)].latency;
    const std::uint64_t written =
        results_.written_at(now + timing.registers.read_window + std::max(latency, 3u) - 2);
    for (unsigned d = 0; d < inst.info->n_dst; ++d)
        if (inst.info->dst[d] != program::register_zero) {
            registers_.write_fixed(registers_.bank_of(inst.info->dst[d]), written);
            ++context_.statistics.register_writes;
        }
    at(written, event_kind::fixed_written, context_.slot_of(inst.warp), &inst);
}

const tensor_cycles& execution_stage::timing_of_matrix(const program::static_instruction& i) {
    const auto found = matrix_timing_.find(i.matrix.key());
    if (found != matrix_timing_.end()) return found->second;
    return matrix_timing_
        .emplace(i.matrix.key(), tensor_timing(context_.timing.execution.tensor, i.matrix))
        .first->second;
}

/// Cycles after which the next matrix product can accumulate on the result of an instruction; 0: it
/// waits until the result is written. A product of PTX stands for several instructions, whose
/// latency includes this.
unsigned execution_stage::forward_cycles(const program::static_instruction& i) {
    if (context_.class_of(i) != scheduling_class::mma || program::is_asynchronous(i.special) ||
        i.code_bytes < machine_code_bytes)
        return 0;
    return timing_of_matrix(i).forward;
}

void execution_stage::start_variable(warp_instruction& inst, scheduling_class c, bool suspended,
                                     std::uint64_t now) {
    const program::static_instruction& i = *inst.info;
    const sm_timing& timing = context_.timing;
    unsigned latency = timing.execution[c].latency, initiation = timing.execution[c].initiation;
    if (program::is_asynchronous(i.special)) {
        const engine_config& e = timing.engines;
        initiation = 1;
        if (e.present && i.special == program::special_op::mbarrier_update)
            latency = e.mbarrier.arrive_cycles;
        else if (e.present && i.special == program::special_op::mbarrier_wait)
            latency = e.mbarrier.wait_cycles;
        else if (e.present && i.special == program::special_op::tensor_work)
            latency = std::max<unsigned>(latency, inst.delay);
    } else if (c == scheduling_class::mma) {
        const tensor_cycles& t = timing_of_matrix(i);
        latency = t.latency;
        initiation = t.initiation;
    }
    ports_.take(c, initiation, now);
    std::uint64_t done = now + std::max(latency, 2u);
    if (c == scheduling_class::fp64 && timing.shared_fp64_interval != 0)
        done = sm_.enter_shared_fp64(now) + std::max(latency, 2u);
    const unsigned slot = context_.slot_of(inst.warp);
    const bool bits = context_.by_bits(i);
    if (bits && i.control.read_barrier < dependence_counters::count)
        at(now + operand_read_cycles, event_kind::counter_freed, slot, nullptr,
           i.control.read_barrier);
    if (!suspended) at(done, event_kind::written, slot, &inst);
    if (!bits || i.control.write_barrier >= dependence_counters::count) return;
    if (const unsigned cycles = forward_cycles(i); cycles != 0)
        at(now + cycles, event_kind::forwarded, slot, nullptr, i.control.write_barrier);
}

void execution_stage::reads_operands(const warp_instruction& inst, std::uint64_t cycle) {
    const program::static_instruction& i = *inst.info;
    if (!context_.by_bits(i) || i.control.read_barrier >= dependence_counters::count) return;
    const unsigned slot = context_.slot_of(inst.warp);
    if (const std::uint64_t now = process_.now(); cycle <= now)
        dependences_.decrement(slot, i.control.read_barrier, now);
    else
        at(cycle, event_kind::counter_freed, slot, nullptr, i.control.read_barrier);
}

std::uint64_t execution_stage::writes_result(warp_instruction& inst, std::uint64_t cycle) {
    std::uint64_t written = cycle;
    for (unsigned d = 0; d < inst.info->n_dst; ++d)
        if (inst.info->dst[d] != program::register_zero) {
            written = std::max(
                written, registers_.write_variable(registers_.bank_of(inst.info->dst[d]), cycle));
            ++context_.statistics.register_writes;
        }
    context_.stages.write_conflicts += written - cycle;
    at(written, event_kind::written, context_.slot_of(inst.warp), &inst);
    return written;
}

}  // namespace simtlm::core::sub_core_pipeline

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/dependence_unit.h"
#include "modules/core/sub_core_pipeline/execution_stage.h"
#include "modules/core/sub_core_pipeline/fetch_stage.h"
#include "modules/core/sub_core_pipeline/issue_stage.h"
#include "modules/core/sub_core_pipeline/memory_path.h"
#include "modules/core/sub_core_pipeline/operand_stage.h"
#include "modules/core/sub_core_pipeline/register_file.h"
#include "modules/core/sub_core_pipeline/sub_core_slots.h"
#include "modules/core/warp_wait.h"
#include "modules/support/archive_fwd.h"

#include <cstdint>
#include <string>
#include <systemc>

namespace simtlm::core::sub_core_pipeline {

/// A sub-core of the SM with sub-cores (Huerta et al., MICRO 2025): the connected stages of its
/// pipeline.
///
///     fetch_stage: L0 → decode → instruction buffers
///       → issue_stage, with dependence_unit → operand_stage: control → allocate, 3 cycles of reads
///         → execution_stage: unit → result queue → write-back                 (fixed latency)
///       → execution_stage: unit, or memory_path: queue → memory unit of the SM
///         → execution_stage: write-back                                       (variable latency)
class sub_core : public sc_core::sc_module {
public:
    /// Functions of the SM for the stages of its sub-cores.
    struct services : fetch_stage::client,
                      issue_stage::client,
                      execution_stage::client,
                      memory_path::client {};
    using memory_entry = memory_path::entry;

    /// @param number  of the sub-core in its SM
    sub_core(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
             const sub_core_context& context, unsigned number, instruction_issue& effects,
             services& sm);
    const char* kind() const override { return "sub_core"; }

    /// Sets the unit whose warpgroup products read the registers of this sub-core. To be called
    /// during construction of the SM.
    void set_warpgroups(warpgroup_unit& products) { operands_.set_warpgroups(products); }

    // ---- warps ----

    /// A warp has been placed; it may have no instructions to execute.
    /// @param from  core cycle from which it is fetched
    void warp_starts(unsigned warp, std::uint64_t from);
    /// Discards the instructions of a warp that have not issued.
    void end_warp(unsigned warp) { issue_.end_warp(slots_.slot_of(warp)); }
    /// A warp has ended; its slot is free.
    void warp_ends(unsigned warp) { slots_.scheduler.warp_ends(slots_.slot_of(warp)); }
    /// A condition that kept a warp from issuing has changed (barrier, atomics, copies).
    void may_issue(unsigned warp) { issue_.may_issue(warp); }
    /// The SM starts or stops running in a core cycle.
    void sm_started(std::uint64_t now) { issue_.sm_started(now); }
    void sm_stopped(std::uint64_t now) { issue_.sm_stopped(now); }
    /// Counts the cycles up to `last` in which the sub-core slept. Call between steps.
    void count_until(std::uint64_t last) { issue_.count_until(last); }

    // ---- instructions ----

    l0_instruction_cache& l0() { return fetch_.l0(); }
    /// A line has arrived from the L1 instruction cache.
    void line_arrived(std::uint64_t line) { fetch_.line_arrived(line); }
    /// Discards all instructions at the end of a kernel.
    void invalidate_instructions() { fetch_.l0().invalidate(); }

    // ---- memory ----

    const memory_queue<memory_entry>& memory() const { return memory_.queue(); }
    /// Removes the head of the memory queue, for the memory unit. Called in phase core_dispatch.
    memory_entry take_memory(std::uint64_t now) { return memory_.take(now); }
    /// @see execution_stage
    void reads_operands(const warp_instruction& inst, std::uint64_t at) {
        execution_.reads_operands(inst, at);
    }
    std::uint64_t writes_result(warp_instruction& inst, std::uint64_t at) {
        return execution_.writes_result(inst, at);
    }

    // ---- reports ----

    const issue_stage::issue_probe& probe() const { return issue_.probe(); }
    const dependence_counters& counters(unsigned warp) const {
        return dependences_.counters(slots_.slot_of(warp));
    }
    /// Describes what a warp waits for, for a deadlock report.
    std::string why_waiting(unsigned warp) const {
        return issue_.why_waiting(slots_.slot_of(warp));
    }
    /// The same as an enumerator. @pre the warp does not wait for the SM (a barrier, ...)
    warp_wait wait_of(unsigned warp) const { return issue_.wait_of(slots_.slot_of(warp)); }
    /// The head of a warp's instruction buffer; nullptr: it is empty.
    const program::dynamic_instruction* next_instruction(unsigned warp) const {
        return buffered(warp) == 0 ? nullptr : fetch_.head(slots_.slot_of(warp));
    }
    /// Cycles until the stall counter of a warp reaches 0.
    unsigned stall_left(unsigned warp) const { return issue_.stall_left(slots_.slot_of(warp)); }
    /// Whether nothing is being decoded, read or written back for warps that have ended.
    bool at_rest() const {
        return fetch_.idle() && memory().empty() && operands_.idle() && execution_.idle();
    }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);
    unsigned number() const { return slots_.number; }
    unsigned buffered(unsigned warp) const { return fetch_.count(slots_.slot_of(warp)); }

private:
    sub_core_slots slots_;
    register_file registers_;
    fetch_stage fetch_;
    dependence_unit dependences_;
    execution_stage execution_;
    operand_stage operands_;
    memory_path memory_;
    issue_stage issue_;
};

}  // namespace simtlm::core::sub_core_pipeline

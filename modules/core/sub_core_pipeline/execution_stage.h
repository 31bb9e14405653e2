// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/dependence_unit.h"
#include "modules/core/sub_core_pipeline/event_wheel.h"
#include "modules/core/sub_core_pipeline/execution_ports.h"
#include "modules/core/sub_core_pipeline/register_file.h"
#include "modules/core/sub_core_pipeline/result_queue.h"
#include "modules/core/sub_core_pipeline/sub_core_slots.h"

#include <cstdint>
#include <unordered_map>

namespace simtlm::core::sub_core_pipeline {

/// The execution units of a sub-core, and its write-back: an instruction occupies the input latch
/// of its unit, and its result is written when its latency has passed, through the result queue if
/// the latency is fixed. Dependence counters are decremented, and dependent instructions released,
/// at these times.
///
/// Action: write-back (core_write_back).
class execution_stage {
public:
    struct client {
        virtual ~client() = default;
        /// Reserves the FP64 unit shared by the sub-cores. @return the cycle in which the
        /// instruction enters it
        virtual std::uint64_t enter_shared_fp64(std::uint64_t earliest) = 0;
    };
    execution_stage(simulation::phase_sequencer& sequencer, sub_core_slots& slots,
                    dependence_unit& dependences, register_file& registers, client& sm);

    // ---- from issue ----

    /// Whether the unit of an instruction can accept it, and the result queue if its latency is
    /// fixed.
    bool unit_free(program::scheduling_class c, std::uint64_t now) const {
        return ports_.free(c, now);
    }
    /// First cycle in which the unit can accept it.
    std::uint64_t unit_free_at(program::scheduling_class c) const { return ports_.free_at(c); }
    bool can_queue_result() const { return results_.can_reserve(); }
    /// Occupies the input latch of a unit.
    void occupy(program::scheduling_class c, unsigned initiation, std::uint64_t now) {
        ports_.take(c, initiation, now);
    }
    /// An instruction of fixed latency has issued; its operands are read next.
    void start_fixed(warp_instruction& inst, program::scheduling_class c, std::uint64_t now);
    /// An instruction of variable latency has issued.
    /// @param suspended  its result is written later, by writes_result()
    void start_variable(warp_instruction& inst, program::scheduling_class c, bool suspended,
                        std::uint64_t now);
    /// The operands of an instruction of fixed latency are being read.
    void execute_fixed(warp_instruction& inst, std::uint64_t now);

    // ---- from the memory unit and the engines of the SM ----

    /// The operands of a memory instruction are read in a future cycle.
    void reads_operands(const warp_instruction& inst, std::uint64_t at);
    /// The result of an instruction arrives in a future cycle; without a result, the instruction
    /// completes then. @return the cycle in which it is written
    std::uint64_t writes_result(warp_instruction& inst, std::uint64_t at);

    /// A warp has been placed.
    void warp_starts(unsigned slot) { ++starts_[slot]; }
    bool idle() const { return events_.empty(); }
    /// Saves or restores the state that persists across kernels, of an idle block.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(ports_, results_, starts_);
    }

private:
    enum class event_kind : std::uint8_t {
        written,        ///< the result of a variable-latency instruction is written
        fixed_written,  ///< the result of a fixed-latency instruction leaves the result queue
        bypassed,       ///< the same result can be read by the next instruction
        counter_freed,  ///< a dependence counter is decremented
        forwarded,      ///< the next matrix product can accumulate on the result of one
    };
    struct event {
        std::uint64_t at;
        warp_instruction* inst;
        event_kind kind;
        std::uint8_t slot;
        std::uint8_t counter;
        std::uint8_t start;  ///< see starts_
    };
    void write_back();
    void perform(const event& e, std::uint64_t now);
    void at(std::uint64_t cycle, event_kind kind, unsigned slot, warp_instruction* inst,
            unsigned counter = 0);
    void complete(warp_instruction& inst);
    const tensor_cycles& timing_of_matrix(const program::static_instruction& i);
    unsigned forward_cycles(const program::static_instruction& i);

    sub_core_slots& context_;
    dependence_unit& dependences_;
    register_file& registers_;
    client& sm_;
    execution_ports ports_;
    result_queue results_;
    std::vector<std::uint8_t> starts_;  // by slot: number of warps that have started in it
    event_wheel<event> events_;
    std::unordered_map<std::uint64_t, tensor_cycles> matrix_timing_;  // by matrix_shape::key()
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::sub_core_pipeline

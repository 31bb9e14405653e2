// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/dependence_unit.h"
#include "modules/core/sub_core_pipeline/execution_stage.h"
#include "modules/core/sub_core_pipeline/fetch_stage.h"
#include "modules/core/sub_core_pipeline/instruction_issue.h"
#include "modules/core/sub_core_pipeline/memory_path.h"
#include "modules/core/sub_core_pipeline/operand_stage.h"
#include "modules/core/sub_core_pipeline/sub_core_slots.h"
#include "modules/core/warp_wait.h"

#include <cstdint>
#include <string>

namespace simtlm::core::sub_core_pipeline {

/// The issue stage of a sub-core: selects a warp in every cycle, performs the effects of its
/// instruction (instruction_issue) and sends it to its unit.
///
/// Action: issue (core_issue, one sub-core of an SM after the other).
class issue_stage {
public:
    /// The barriers, fences and engines of the SM.
    struct client {
        virtual ~client() = default;
        /// A warp has issued a CTA barrier instruction, which counts from a cycle on.
        virtual void arrives(unsigned warp, const barrier_request& request, std::uint64_t at) = 0;
        /// A warp has arrived at the barrier of its cluster, which counts from a cycle on.
        virtual void arrives_at_cta_cluster(unsigned warp, std::uint64_t at) = 0;
        /// A warp waits at the barrier of its cluster.
        virtual void waits_at_cta_cluster(unsigned warp) = 0;
        /// A warp has issued a fence, which completes in a cycle at the earliest.
        virtual void fences(unsigned warp, std::uint64_t at) = 0;
        /// A warp has issued its last instruction.
        virtual void ends(unsigned warp) = 0;
        /// An instruction for an mbarrier or an engine of the SM has issued.
        virtual void start_asynchronous(warp_instruction& inst, std::uint64_t now) = 0;
        /// An issued instruction waits for an incomplete phase of an mbarrier, and has no result
        /// yet.
        virtual void suspend(warp_instruction& inst, bool has_time_limit, std::uint64_t now) = 0;
        /// Whether the bulk copy engine accepts another instruction.
        virtual bool takes_bulk_copy() const = 0;
        /// Whether a warp may issue a product of its warpgroup.
        virtual bool takes_product(unsigned warp, const program::static_instruction& what,
                                   std::uint64_t now) const = 0;
    };
    /// The other stages of the sub-core.
    struct stages {
        fetch_stage& fetch;
        dependence_unit& dependences;
        operand_stage& operands;
        execution_stage& execution;
        memory_path& memory;
    };
    /// Instructions issued so far, and the last one, for waveforms.
    struct issue_probe {
        std::uint64_t count = 0;
        std::uint32_t warp = 0;
        std::uint64_t pc = 0;
        std::uint8_t stall = 0;                       ///< stall counter set by the instruction
        std::uint8_t wait_mask = 0;                   ///< dependence counters for which it waited
        stall_reason reason = stall_reason::no_warp;  ///< of the last cycle
    };
    issue_stage(simulation::phase_sequencer& sequencer, sub_core_slots& slots, const stages& others,
                instruction_issue& effects, client& sm);

    /// A condition that kept a warp from issuing has changed (barrier, atomics, copies).
    void may_issue(unsigned warp);
    /// Discards the instructions of a warp that have not issued; it fetches no others.
    void end_warp(unsigned slot);
    void sm_started(std::uint64_t now);
    void sm_stopped(std::uint64_t now);
    /// Counts the cycles up to `last` in which the stage slept. Call between steps.
    void count_until(std::uint64_t last);

    const issue_probe& probe() const { return probe_; }
    /// Cycles until the stall counter of a warp reaches 0.
    unsigned stall_left(unsigned slot) const {
        return context_.scheduler.stall_left(slot, process_.now());
    }
    /// What the head of a warp's instruction buffer waits for.
    warp_wait wait_of(unsigned slot) const;
    std::string why_waiting(unsigned slot) const;
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(port_free_at_);
        a.history(next_counted_, sleeping_for_);
    }

private:
    void cycle();
    std::uint64_t next_try(unsigned slot, stall_reason why, std::uint64_t now) const;
    void sleep(std::uint64_t now, std::uint64_t until);
    stall_reason can_issue(unsigned slot, std::uint64_t now) const;
    void issue_from(unsigned slot, std::uint64_t now);
    void discard_instructions(unsigned slot);
    void synchronise(const instruction_issue::outcome& out, unsigned warp, std::uint64_t now);
    stall_reason reason_of_idling() const;
    void count(std::uint64_t now, stall_reason why);

    sub_core_slots& context_;
    stages others_;
    instruction_issue& effects_;
    client& sm_;
    std::uint64_t port_free_at_ = 0;  // the issue port
    // cycles that have not been counted yet
    std::uint64_t next_counted_ = 0;
    stall_reason sleeping_for_ = stall_reason::no_warp;
    issue_probe probe_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::sub_core_pipeline

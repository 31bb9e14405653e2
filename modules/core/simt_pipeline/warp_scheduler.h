// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/running_cycles.h"
#include "modules/core/simt_pipeline/instruction_sockets.h"
#include "modules/core/simt_pipeline/issue_stage.h"
#include "modules/core/simt_pipeline/operand_collector.h"
#include "modules/core/simt_pipeline/scheduling_policy.h"
#include "modules/support/archive_fwd.h"

#include <memory>

namespace simtlm::core::simt_pipeline {

/// A warp scheduler of an SM (GPGPU-Sim manual: Issue). In every core cycle it searches its warps,
/// in the order of its policy, for one that has a decoded instruction, does not wait, has no
/// hazard, and whose pipeline has a free register. That warp issues up to
/// -gpgpu_max_insn_issue_per_warp instructions, to different pipelines with
/// -gpgpu_dual_issue_diff_exec_units.
///
/// Warp w belongs to scheduler w mod n. Schedulers act one after the other, starting with a
/// different one in every cycle. They select instructions; the issue stage performs the effects.
class warp_scheduler : public sc_core::sc_module {
public:
    instruction_initiator<warp_scheduler> issue;  ///< to the ID_OC registers

    /// Is notified of events that affect more than one warp.
    struct listener {
        virtual ~listener() = default;
        /// A warp has passed a memory barrier.
        virtual void memory_barrier_passed() = 0;
        /// No unit of the configuration can execute an instruction that is about to issue.
        virtual void no_unit_for(const program::static_instruction& inst) = 0;
        /// A warp has issued griddepcontrol.launch_dependents or .wait.
        virtual void concerns_dependents(const warp_instruction& inst) = 0;
    };
    /// References to the parts of the SM that the scheduler uses.
    struct blocks {
        listener& owner;
        const running_cycles& running;  ///< of the SM; determines the order of schedulers
        warp_table& warps;
        scoreboard& scores;
        issue_stage& stage;
        operand_collector& collector;
        core_statistics& statistics;
    };

    /// @param number  of this scheduler
    warp_scheduler(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   const sm_config& config, unsigned number, const blocks& sm);
    const char* kind() const override { return "warp_scheduler"; }

    /// A warp of this scheduler may be able to issue.
    void wake();
    /// The SM runs from the next cycle on. @param now  core cycle
    void sm_started(std::uint64_t now);
    /// The SM stops after this cycle: counts the cycles in which the scheduler slept.
    void sm_stopped(std::uint64_t now);
    /// Updates the counters for a cycle, for a report during a kernel.
    void count_until(std::uint64_t now);

    enum class reason : std::uint8_t { issued, idle, scoreboard, stall };
    /// The classification of a core cycle that has just ended, even if the scheduler slept. For
    /// waveforms.
    reason reason_in(std::uint64_t cycle) const {
        return counted_to_ >= cycle || last_reason_ != reason::issued ? last_reason_ : reason::idle;
    }

    /// The last issued instruction, for waveforms.
    struct issue_probe {
        std::uint64_t count = 0;
        std::uint32_t warp = 0;
        std::uint64_t pc = 0;
        const char* opcode = "";
    };
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);
    const issue_probe& probe() const { return probe_; }

private:
    void cycle();
    bool try_issue(unsigned w);
    bool can_issue(unsigned w, unsigned issued, unsigned& previous);
    void check_head(unsigned w);
    void rest();
    void issue_from(unsigned w);
    void count(reason r, std::uint64_t cycles);
    unsigned rank(std::uint64_t cycle) const;

    const sm_config& config_;
    unsigned number_;
    blocks sm_;
    warp_mask mine_ = 0;
    std::unique_ptr<scheduling_policy> policy_;
    reason last_reason_ = reason::idle;
    std::uint64_t counted_to_ = 0;  // last core cycle for which reasons have been counted
    std::uint64_t not_before_ = 0;  // earliest core cycle of its next action
    bool running_ = false;
    std::uint64_t full_ = 0;                  // pipelines found full in this cycle, bit p
    std::vector<std::uint8_t> pipe_of_head_;  // by warp: pipeline of its next instruction
    std::vector<warp_mask> heads_for_;  // warps by pipeline of their next instruction; the last
                                        // entry: none
    issue_probe probe_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::simt_pipeline

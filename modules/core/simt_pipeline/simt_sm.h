// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/multiprocessor.h"
#include "modules/core/simt_pipeline/dispatch_stage.h"
#include "modules/core/simt_pipeline/front_end.h"
#include "modules/core/simt_pipeline/functional_unit.h"
#include "modules/core/simt_pipeline/issue_stage.h"
#include "modules/core/simt_pipeline/ldst_unit.h"
#include "modules/core/simt_pipeline/operand_collector.h"
#include "modules/core/simt_pipeline/shared_memory.h"
#include "modules/core/simt_pipeline/warp_scheduler.h"
#include "modules/core/simt_pipeline/write_back.h"
#include "modules/support/archive_fwd.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::core::simt_pipeline {

/// A streaming multiprocessor: the pipeline of GPGPU-Sim's SIMT core, as connected blocks.
///
///     front end (fetch, decode) → warp schedulers → operand collector → dispatch stage
///       → functional units → write-back
///       → load/store unit → shared memory, L1D, L1C, L1T → memory port → cluster
///
/// An SM without CTAs sleeps.
class simt_sm final : public multiprocessor,
                      private warp_scheduler::listener,
                      private operand_collector::listener,
                      private front_end::listener {
public:
    simt_sm(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
            const sm_config& config, const sm_identity& who,
            protocol::transaction_pool& transactions);
    const char* kind() const override { return "simt_sm"; }
    explicit simt_sm(const multiprocessor_parts& p)
        : simt_sm(p.name, p.sequencer, p.config, p.who, p.transactions) {}

    const program::dynamic_instruction* next_instruction(unsigned warp) const override {
        return warps_.warp[warp].ibuffer.head();
    }
    std::vector<unit_count> unit_counts() const override;
    std::uint64_t result_bus_conflicts() const override;
    void register_signals(waveforms::signal_list& list, const std::string& network) override;
    std::vector<std::string> sending_blocks() const override;
    l1_caches& caches() { return *caches_; }
    warp_scheduler& scheduler(unsigned i) { return *schedulers_[i]; }
    unsigned schedulers() const { return static_cast<unsigned>(schedulers_.size()); }
    front_end& fetch() { return *front_end_; }
    ldst_unit& ldst() { return *ldst_; }
    const std::vector<std::unique_ptr<functional_units>>& units() const { return units_; }
    const dispatch_stage& dispatch() const { return *dispatch_; }
    const scoreboard& scores() const { return scoreboard_; }
    const memory_port& port() const { return port_; }
    operand_collector& collector() { return collector_; }

private:
    void may_issue(unsigned warp) override { schedulers_[warp % schedulers_.size()]->wake(); }
    void may_fetch() override { front_end_->wake(); }
    void may_accept(unsigned scheduler) override { schedulers_[scheduler]->wake(); }
    void warp_exits(unsigned warp) override { exit_warp(warp); }
    void memory_barrier_passed() override {
        if (config_.l1.flush) invalidate_l1();
    }
    void no_unit_for(const program::static_instruction& inst) override { fail_without_unit(inst); }
    void concerns_dependents(const warp_instruction& inst) override { act_on_dependents(inst); }
    void running_begins(std::uint64_t now) override;
    void running_ends(std::uint64_t now) override;
    void cta_starts(unsigned, unsigned, unsigned) override { front_end_->wake(); }
    void end_warp(unsigned warp) override;
    warp_wait wait_for_issue(unsigned warp) const override;
    std::string wait_for_issue_text(unsigned warp) const override;
    std::string describe_blocks() const override;
    bool pipeline_at_rest() const override;
    void checkpoint_pipeline(support::archive& a) override;
    void register_pipeline_statistics(support::statistics& list) override;
    void flush_pipeline_counters(std::uint64_t edges) override;
    void make_units();
    void bind_caches(protocol::transaction_pool& transactions);
    void register_front_end_signals(waveforms::signal_list& list, const std::string& base);
    void register_scheduler_signals(waveforms::signal_list& list, const std::string& base,
                                    const std::string& group);
    void register_execution_signals(waveforms::signal_list& list, const std::string& base);
    void register_load_store_signals(waveforms::signal_list& list, const std::string& base,
                                     const std::string& group, const std::string& network);

    shared_memory shared_;
    operand_collector collector_;
    issue_stage issue_;
    std::vector<std::unique_ptr<functional_units>> units_;  // by usable pipeline
    std::unique_ptr<ldst_unit> ldst_;
    std::unique_ptr<dispatch_stage> dispatch_;
    std::unique_ptr<write_back> write_back_;
    std::vector<std::unique_ptr<warp_scheduler>> schedulers_;
    std::unique_ptr<front_end> front_end_;
};

}  // namespace simtlm::core::simt_pipeline

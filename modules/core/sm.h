// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/barrier_unit.h"
#include "modules/core/coalescer.h"
#include "modules/core/dependency_gate.h"
#include "modules/core/dispatch_stage.h"
#include "modules/core/front_end.h"
#include "modules/core/functional_unit.h"
#include "modules/core/issue_stage.h"
#include "modules/core/ldst_unit.h"
#include "modules/core/local_memory_map.h"
#include "modules/core/multiprocessor.h"
#include "modules/core/operand_collector.h"
#include "modules/core/scoreboard.h"
#include "modules/core/shared_memory.h"
#include "modules/core/warp_scheduler.h"
#include "modules/core/write_back.h"
#include "modules/kernel/archive_fwd.h"

#include <memory>
#include <string>
#include <vector>

namespace simtlm::core {

/// A streaming multiprocessor: the pipeline of GPGPU-Sim's SIMT core, as connected blocks.
///
///     front end (fetch, decode) → warp schedulers → operand collector → dispatch stage
///       → functional units → write-back
///       → load/store unit → shared memory, L1D, L1C, L1T → memory port → cluster
///
/// An SM without CTAs sleeps.
class sm final : public multiprocessor,
                 private warp_listener,
                 private warp_scheduler::listener,
                 private operand_collector::listener,
                 private front_end::listener {
public:
    sm(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
       const sm_config& config, const sm_identity& who, protocol::transaction_pool& transactions);
    explicit sm(const multiprocessor_parts& p)
        : sm(p.name, p.sequencer, p.config, p.who, p.transactions) {}

    using multiprocessor::watch;
    void watch(instruction_watcher& watcher) override {
        pool_.watch(watcher);
        sequencer_.stay_on_one_thread();
    }
    void set_request_order(protocol::request_order& order) override {
        tagger_.set_order(order);
        multiprocessor::set_request_order(order);
    }

    void set_position(unsigned k) override { group_.select_sub_phase(k); }

    // ---- CTAs: called in phase core_dispatch_ctas ----

    bool busy() const override { return warps_.resident != 0; }
    void launch(kernel_context& kernel, std::unique_ptr<program::cta> block) override;
    void dependency_ended(const kernel_context& kernel) override {
        dependency_.ended(warps_, kernel);
    }
    void configure_l1(const l1_split& split) override;
    void invalidate_l1() override { caches_->data.invalidate(); }

    // ---- statistics and reports, between steps ----

    const core_statistics& statistics() override;
    void register_statistics(kernel::statistics& list) override;
    void settle() override;
    const cache::cache_statistics* statistics_of(l1_cache which) override {
        return &caches_->statistics_of(which);
    }
    void observe_caches(cache::access_observer& observer) override { caches_->observe(observer); }
    std::vector<unit_count> unit_counts() const override;
    std::uint64_t result_bus_conflicts() const override;
    warp_wait why_waiting(unsigned warp) const override;
    void register_signals(kernel::signal_list& list, const std::string& network) override;
    std::vector<std::string> sending_blocks() const override;
    l1_caches& caches() { return *caches_; }
    const warp_table& warps() const override { return warps_; }
    warp_scheduler& scheduler(unsigned i) { return *schedulers_[i]; }
    unsigned schedulers() const { return static_cast<unsigned>(schedulers_.size()); }
    front_end& fetch() { return *front_end_; }
    ldst_unit& ldst() { return *ldst_; }
    const std::vector<std::unique_ptr<functional_units>>& units() const { return units_; }
    const dispatch_stage& dispatch() const { return *dispatch_; }
    const scoreboard& scores() const { return scoreboard_; }
    const memory_port& port() const { return port_; }
    operand_collector& collector() { return collector_; }
    std::string describe() const override;
    std::uint64_t network_refusals() override;
    std::size_t instructions_in_flight() const override { return pool_.in_flight(); }
    bool at_rest() const override;
    void checkpoint(kernel::archive& a) override;

private:
    void may_issue(unsigned warp) override { schedulers_[warp % schedulers_.size()]->wake(); }
    void may_fetch() override { front_end_->wake(); }
    void may_accept(unsigned scheduler) override { schedulers_[scheduler]->wake(); }
    void warp_exits(unsigned warp) override;
    void memory_barrier_passed() override {
        if (config_.l1.flush) invalidate_l1();
    }
    void no_unit_for(const program::static_instruction& inst) override;
    void concerns_dependents(const warp_instruction& inst) override;
    void begin_running() override;
    void end_running() override;
    void make_units();
    void make_caches(protocol::transaction_pool& transactions);
    void begin_warp(unsigned warp, unsigned slot, unsigned number);
    std::string wait_text(unsigned warp) const;
    void register_front_end_signals(kernel::signal_list& list, const std::string& base);
    void register_scheduler_signals(kernel::signal_list& list, const std::string& base,
                                    const std::string& group);
    void register_execution_signals(kernel::signal_list& list, const std::string& base);
    void register_load_store_signals(kernel::signal_list& list, const std::string& base,
                                     const std::string& group, const std::string& network);
    void count_residents(std::uint64_t cycle) {
        count_resident_warps(static_cast<unsigned>(__builtin_popcountll(warps_.resident)), cycle);
    }

    kernel::process_group group_;  // open while the blocks are constructed
    request_tagger tagger_;
    warp_table warps_;
    scoreboard scoreboard_;
    barrier_unit barriers_;
    coalescer coalescer_;
    warp_instruction_pool pool_;
    shared_memory shared_;
    local_memory_map local_memory_;
    operand_collector collector_;
    sleeping_warps sleepers_;
    issue_stage issue_;
    std::vector<std::unique_ptr<functional_units>> units_;  // by usable pipeline
    std::unique_ptr<ldst_unit> ldst_;
    std::unique_ptr<dispatch_stage> dispatch_;
    std::unique_ptr<write_back> write_back_;
    std::vector<std::unique_ptr<warp_scheduler>> schedulers_;
    std::unique_ptr<front_end> front_end_;
    std::unique_ptr<l1_caches> caches_;

    dependency_gate dependency_;
    std::uint64_t dynamic_warps_ = 0;
};

}  // namespace simtlm::core

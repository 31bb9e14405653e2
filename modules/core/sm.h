// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/l1_data_cache.h"
#include "modules/cache/read_only_cache.h"
#include "modules/cache/texture_cache.h"
#include "modules/core/barrier_unit.h"
#include "modules/core/coalescer.h"
#include "modules/core/dispatch_stage.h"
#include "modules/core/front_end.h"
#include "modules/core/functional_unit.h"
#include "modules/core/issue_stage.h"
#include "modules/core/ldst_unit.h"
#include "modules/core/local_memory_map.h"
#include "modules/core/memory_effects.h"
#include "modules/core/memory_port.h"
#include "modules/core/occupancy.h"
#include "modules/core/operand_collector.h"
#include "modules/core/running_cycles.h"
#include "modules/core/scoreboard.h"
#include "modules/core/shared_memory.h"
#include "modules/core/sm_identity.h"
#include "modules/core/warp_scheduler.h"
#include "modules/core/write_back.h"
#include "modules/protocol/request_order.h"

#include <memory>
#include <string>

namespace simtlm::core {

class sm;

/// A kernel as the SMs see it while it runs.
struct kernel_context {
    std::uint64_t launch = 0;  ///< counts launches
    cta_needs needs;
    unsigned ctas_per_sm = 0;
    const program::kernel_descriptor* descriptor = nullptr;
};

/// Who places CTAs and learns that they have ended.
struct cta_listener {
    virtual ~cta_listener() = default;
    /// A CTA has ended in phase core_front_end of this cycle. SMs tell it in any order.
    virtual void cta_completed(unsigned sm, kernel_context& kernel,
                               std::unique_ptr<program::cta> block) = 0;
};

/// Who watches CTAs come and go on an SM, for a timeline.
struct cta_watcher {
    virtual ~cta_watcher() = default;
    virtual void cta_started(const sm& where, unsigned slot, const kernel_context& kernel,
                             const program::cta& block) = 0;
    virtual void cta_ended(const sm& where, unsigned slot) = 0;
};

/// A streaming multiprocessor: the pipeline of the manual's SIMT core, wired block to block.
///
///     front end (fetch, decode) → warp schedulers → operand collector → dispatch stage
///       → functional units → write-back
///       → load/store unit → shared memory, L1D, L1C, L1T → memory port → cluster
///
/// An SM without CTAs is asleep.
class sm : public sc_core::sc_module,
           private warp_listener,
           private warp_scheduler::listener,
           private operand_collector::listener,
           private front_end::listener {
    memory_port port_;

public:
    /// Towards the cluster, or any TLM-2.0 target.
    protocol::initiator_socket<memory_port>& memory;

    sm(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
       const sm_config& config, const sm_identity& who, protocol::transaction_pool& transactions);

    unsigned id() const { return who_.sm; }
    unsigned cluster() const { return who_.cluster; }
    void set_listener(cta_listener& listener) { cta_listener_ = &listener; }
    void watch(cta_watcher& watcher) {
        cta_watcher_ = &watcher;
        sequencer_.stay_on_one_thread();  // who watches may watch several SMs
    }
    void watch(instruction_watcher& watcher) {
        pool_.watch(watcher);
        sequencer_.stay_on_one_thread();
    }
    /// The cycles in which it runs are counted for its cluster, too.
    void count_cycles_in(cluster_cycles& cycles) { cluster_cycles_ = &cycles; }
    void set_request_order(protocol::request_order& order) {
        tagger_.set_order(order);
        port_.wait_for_injection_order(sequencer_);
    }

    // ---- CTAs: called in phase core_dispatch_ctas ----

    /// The kernel whose CTAs the SM holds, nullptr when it holds none.
    kernel_context* kernel() const { return kernel_; }
    /// The kernel that a resident warp belongs to.
    const kernel_context* kernel_of(unsigned warp) const {
        return ctas_[warps_.warp[warp].cta].kernel;
    }
    unsigned resident_ctas() const { return resident_ctas_; }
    bool busy() const { return warps_.resident != 0; }
    /// Whether a CTA of a kernel can be placed now.
    /// @param concurrent  SMs may hold CTAs of several kernels
    bool can_launch(const kernel_context& kernel, bool concurrent) const;
    /// Places a CTA; its warps are fetched from the next cycle on. @pre can_launch()
    void launch(kernel_context& kernel, std::unique_ptr<program::cta> block);
    /// The L1D's share of the on-chip memory changes with the kernel.
    void configure_l1(const l1_split& split);
    void invalidate_l1() {
        if (l1d_) l1d_->invalidate();
    }
    /// Core cycle in which the SM ran last.
    std::uint64_t stopped_at() const { return running_.stopped_at(); }
    /// What its executed warps leave to the end of the issue phase.
    effect_queue& deferred_effects() { return effects_; }

    // ---- statistics and reports, between steps ----

    const core_statistics& statistics();
    /// The same, without what sleeping blocks have yet to count.
    const core_statistics& counted() const { return statistics_; }
    cache::l1_data_cache* l1d() { return l1d_.get(); }
    cache::read_only_cache& l1i() { return *l1i_; }
    cache::read_only_cache& l1c() { return *l1c_; }
    cache::texture_cache& l1t() { return *l1t_; }
    const warp_table& warps() const { return warps_; }
    warp_scheduler& scheduler(unsigned i) { return *schedulers_[i]; }
    unsigned schedulers() const { return static_cast<unsigned>(schedulers_.size()); }
    front_end& fetch() { return *front_end_; }
    ldst_unit& ldst() { return *ldst_; }
    const std::vector<std::unique_ptr<functional_unit>>& units() const { return units_; }
    const dispatch_stage& dispatch() const { return *dispatch_; }
    const scoreboard& scores() const { return scoreboard_; }
    const memory_port& port() const { return port_; }
    /// Whether a core cycle that has just ended is among the SM's cycles.
    bool ran_in(std::uint64_t cycle) const { return running_.include(cycle); }
    operand_collector& collector() { return collector_; }
    /// What every resident warp waits for, a line each, for a deadlock report.
    std::string describe() const;
    /// Questions for room in the request network that were answered no, by all that send. Between
    /// steps.
    std::uint64_t network_refusals();
    std::size_t instructions_in_flight() const { return pool_.in_flight(); }

private:
    struct cta_slot {
        std::unique_ptr<program::cta> block;
        kernel_context* kernel = nullptr;
        unsigned threads_left = 0;
        unsigned first_thread = 0;
        unsigned padded_threads = 0;
    };

    void may_issue(unsigned warp) override { schedulers_[warp % schedulers_.size()]->wake(); }
    void may_fetch() override { front_end_->wake(); }
    void may_accept(unsigned scheduler) override { schedulers_[scheduler]->wake(); }
    void warp_exits(unsigned warp) override;
    void memory_barrier_passed() override {
        if (config_.flush_l1) invalidate_l1();
    }
    void no_unit_for(const program::static_instruction& inst) override;
    void start();
    void stop();
    int free_threads(unsigned count) const;
    void make_units();
    void make_caches(protocol::transaction_pool& transactions);
    void begin_warp(unsigned warp, unsigned slot, unsigned number);
    void cta_ends(unsigned slot);
    std::string why_waiting(unsigned warp) const;
    void count_residents(std::uint64_t cycle);

    kernel::phase_sequencer& sequencer_;
    kernel::process_group group_;  // open while the blocks are made
    const sm_config config_;
    const sm_identity who_;
    request_tagger tagger_;
    running_cycles running_;
    cluster_cycles* cluster_cycles_ = nullptr;
    core_statistics statistics_;
    warp_table warps_;
    scoreboard scoreboard_;
    barrier_unit barriers_;
    coalescer coalescer_;
    warp_instruction_pool pool_;
    shared_memory shared_;
    local_memory_map local_memory_;
    effect_queue effects_;
    operand_collector collector_;
    issue_stage issue_;
    std::vector<std::unique_ptr<functional_unit>> units_;
    std::unique_ptr<ldst_unit> ldst_;
    std::unique_ptr<dispatch_stage> dispatch_;
    std::unique_ptr<write_back> write_back_;
    std::vector<std::unique_ptr<warp_scheduler>> schedulers_;
    std::unique_ptr<front_end> front_end_;
    std::unique_ptr<cache::read_only_cache> l1i_, l1c_;
    std::unique_ptr<cache::l1_data_cache> l1d_;
    std::unique_ptr<cache::texture_cache> l1t_;

    cta_listener* cta_listener_ = nullptr;
    cta_watcher* cta_watcher_ = nullptr;
    std::vector<cta_slot> ctas_;
    kernel_context* kernel_ = nullptr;
    unsigned resident_ctas_ = 0;
    std::uint64_t dynamic_warps_ = 0;
    std::uint64_t residents_since_ = 0;  // first core cycle that warp_cycles lacks
    // resources in use
    std::uint64_t registers_used_ = 0, shared_used_ = 0;
};

}  // namespace simtlm::core

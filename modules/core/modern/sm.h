// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/l1_data_cache.h"
#include "modules/cache/read_only_cache.h"
#include "modules/cache/texture_cache.h"
#include "modules/core/modern/instruction_link.h"
#include "modules/core/modern/memory_unit.h"
#include "modules/core/modern/sub_core.h"
#include "modules/core/sm.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::core::modern {

/// A streaming multiprocessor as Volta and later are measured to be (Huerta et al., MICRO 2025):
/// sub-cores that issue an instruction a cycle each, guided by the control bits of the compiler,
/// and share the L1 instruction cache, the memory unit with its caches, and, on GPUs for graphics,
/// the FP64 unit.
///
///     sub-cores ── instruction link → L1I ─┐
///         └────── memory unit → shared memory, L1D, L1C, L1T ─→ memory port → cluster
///
/// An SM without CTAs is asleep.
class sm : public sc_core::sc_module,
           private warp_listener,
           private sub_core::services,
           private instruction_link::client {
    memory_port port_;

public:
    /// Towards the cluster, or any TLM-2.0 target.
    protocol::initiator_socket<memory_port>& memory;

    sm(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
       const sm_config& config, const modern_config& modern, const sm_identity& who,
       protocol::transaction_pool& transactions);

    unsigned id() const { return who_.sm; }
    unsigned cluster() const { return who_.cluster; }
    void set_listener(cta_listener& listener) { cta_listener_ = &listener; }
    void watch(instruction_watcher& watcher) {
        pool_.watch(watcher);
        sequencer_.stay_on_one_thread();
    }
    void set_request_order(protocol::request_order& order) {
        tagger_.set_order(order);
        port_.wait_for_injection_order(sequencer_);
    }

    // ---- CTAs: called in phase core_dispatch_ctas ----

    kernel_context* kernel() const { return kernel_; }
    const kernel_context* kernel_of(unsigned warp) const {
        return ctas_[warps_.warp[warp].cta].kernel;
    }
    unsigned resident_ctas() const { return resident_ctas_; }
    bool busy() const { return warps_.resident != 0; }
    bool can_launch(const kernel_context& kernel, bool concurrent) const;
    /// Places a CTA; its warps are fetched from the next cycle on. @pre can_launch()
    void launch(kernel_context& kernel, std::unique_ptr<program::cta> block);
    void configure_l1(const l1_split& split);
    void invalidate_l1() {
        if (l1d_) l1d_->invalidate();
    }
    std::uint64_t stopped_at() const { return running_.stopped_at(); }
    effect_queue& deferred_effects() { return effects_; }

    // ---- statistics and reports, between steps ----

    const core_statistics& statistics();
    const core_statistics& counted() const { return statistics_; }
    /// What the stages of the modern core count.
    const modern_statistics& stage_statistics();
    cache::l1_data_cache* l1d() { return l1d_.get(); }
    cache::read_only_cache& l1i() { return *l1i_; }
    cache::read_only_cache& l1c() { return *l1c_; }
    cache::texture_cache& l1t() { return *l1t_; }
    const warp_table& warps() const { return warps_; }
    const sub_core& core(unsigned i) const { return *sub_cores_[i]; }
    unsigned sub_cores() const { return static_cast<unsigned>(sub_cores_.size()); }
    const memory_port& port() const { return port_; }
    bool ran_in(std::uint64_t cycle) const { return running_.include(cycle); }
    /// What every resident warp waits for, a line each, for a deadlock report.
    std::string describe() const;
    std::uint64_t network_back_pressure();
    std::size_t instructions_in_flight() const { return pool_.in_flight(); }

private:
    struct cta_slot {
        std::unique_ptr<program::cta> block;
        kernel_context* kernel = nullptr;
        unsigned threads_left = 0;
        unsigned first_thread = 0;
        unsigned padded_threads = 0;
    };
    struct arrival {
        std::uint64_t at;
        std::uint16_t warp;
        std::uint16_t cta;
        barrier_request request;
    };
    struct fence {
        std::uint64_t at;
        std::uint16_t warp;
    };

    sub_core& of(unsigned warp) { return *sub_cores_[warp % sub_cores_.size()]; }
    void may_issue(unsigned warp) override { of(warp).may_issue(warp); }
    void may_fetch() override { retire_process_.wake(); }
    void wants_line(unsigned) override { link_->wake(); }
    void has_memory_instruction(unsigned) override { memory_unit_->wake(); }
    void arrives(unsigned warp, const barrier_request& request, std::uint64_t at) override;
    void fences(unsigned warp, std::uint64_t at) override;
    void ends(unsigned warp) override;
    std::uint64_t enter_shared_fp64(std::uint64_t earliest) override;
    void no_unit_for(const program::static_instruction& inst) override;
    bool has_request(unsigned s) override { return sub_cores_[s]->l0().has_request(); }
    std::uint64_t take_request(unsigned s) override { return sub_cores_[s]->l0().take_request(); }
    void line_arrived(unsigned s, std::uint64_t line) override {
        sub_cores_[s]->line_arrived(line);
    }

    void make_caches(protocol::transaction_pool& transactions);
    void start();
    void stop();
    int free_threads(unsigned count) const;
    void begin_warp(unsigned warp, unsigned slot, unsigned number);
    void synchronise();
    void retire();
    void warp_exits(unsigned warp);
    void cta_ends(unsigned slot);
    void count_residents(std::uint64_t cycle);
    bool has_arrivals(unsigned warp) const {
        for (const arrival& a : arrivals_)
            if (a.warp == warp) return true;
        return false;
    }
    std::string why_waiting(unsigned warp) const;

    kernel::phase_sequencer& sequencer_;
    kernel::process_group group_;  // open while the blocks are made
    const sm_config config_;
    const modern_config modern_;
    const sm_identity who_;
    request_tagger tagger_;
    running_cycles running_;
    core_statistics statistics_;
    modern_statistics stage_statistics_;
    warp_table warps_;
    scoreboard scoreboard_;
    barrier_unit barriers_;
    coalescer coalescer_;
    warp_instruction_pool pool_;
    local_memory_map local_memory_;
    effect_queue effects_;
    instruction_issue issue_;
    std::vector<std::unique_ptr<sub_core>> sub_cores_;
    std::unique_ptr<memory_unit> memory_unit_;
    std::unique_ptr<instruction_link> link_;
    std::unique_ptr<cache::read_only_cache> l1i_, l1c_;
    std::unique_ptr<cache::l1_data_cache> l1d_;
    std::unique_ptr<cache::texture_cache> l1t_;

    cta_listener* cta_listener_ = nullptr;
    std::vector<cta_slot> ctas_;
    kernel_context* kernel_ = nullptr;
    std::uint64_t last_launch_ = ~std::uint64_t{0};  // kernel whose code the caches hold
    unsigned resident_ctas_ = 0;
    std::uint64_t dynamic_warps_ = 0;
    std::uint64_t residents_since_ = 0;  // first core cycle that warp_cycles lacks
    std::uint64_t registers_used_ = 0, shared_used_ = 0;
    std::deque<arrival> arrivals_;  // at barriers, in order
    std::vector<fence> fences_;
    std::uint64_t fp64_free_at_ = 0;

    kernel::clocked_process synchronise_process_;
    kernel::clocked_process retire_process_;
};

}  // namespace simtlm::core::modern

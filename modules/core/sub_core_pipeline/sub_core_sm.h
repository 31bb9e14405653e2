// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/multiprocessor.h"
#include "modules/core/sub_core_pipeline/bulk_copy_engine.h"
#include "modules/core/sub_core_pipeline/cta_cluster_unit.h"
#include "modules/core/sub_core_pipeline/instruction_link.h"
#include "modules/core/sub_core_pipeline/mbarrier_unit.h"
#include "modules/core/sub_core_pipeline/memory_unit.h"
#include "modules/core/sub_core_pipeline/sm_timing.h"
#include "modules/core/sub_core_pipeline/sub_core.h"
#include "modules/core/sub_core_pipeline/tensor_core_unit.h"
#include "modules/core/sub_core_pipeline/warpgroup_unit.h"
#include "modules/support/archive_fwd.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// A streaming multiprocessor of Volta and later architectures, as inferred from measurements
/// (Huerta et al., MICRO 2025): sub-cores that issue one instruction per cycle each, controlled by
/// the compiler's control bits, and share the L1 instruction cache, the memory unit with its caches
/// and, on graphics GPUs, the FP64 unit.
///
///     sub-cores ── instruction link → L1I ─┐
///         └────── memory unit → shared memory, L1D, L1C, L1T ─→ memory port → cluster
///
/// SMs of Hopper have engines that work asynchronously to their warps: for bulk copies, with a
/// separate memory port, for mbarriers, and for matrix products of warpgroups; those of sm_100 have
/// tensor memory with a tensor core of its own.
///
/// An SM without CTAs sleeps.
class sub_core_sm final : public multiprocessor,
                          private sub_core::services,
                          private bulk_copy_engine::client,
                          private tensor_core_unit::client,
                          private instruction_link::client {
public:
    sub_core_sm(const multiprocessor_parts& parts, const sm_timing& timing)
        : sub_core_sm(parts.name, parts, timing) {}
    const char* kind() const override { return "sub_core_sm"; }

    using multiprocessor::watch;
    void watch(engine_watcher& watcher) override;
    const cta_cluster_timing* cta_clusters() const override {
        return cta_clusters_ ? &timing_.cta_clusters : nullptr;
    }
    const program::dynamic_instruction* next_instruction(unsigned warp) const override {
        return sub_cores_[warp % sub_cores_.size()]->next_instruction(warp);
    }
    std::vector<unit_count> unit_counts() const override;
    void register_signals(waveforms::signal_list& list, const std::string& network) override;
    std::vector<std::string> sending_blocks() const override;
    /// Counters of the stages of the sub-core pipeline, up to date.
    const sub_core_statistics& stage_statistics() {
        statistics();
        return stage_statistics_;
    }
    const sub_core& core(unsigned i) const { return *sub_cores_[i]; }
    unsigned sub_cores() const { return static_cast<unsigned>(sub_cores_.size()); }

private:
    /// The module name stays on SystemC's stack, so that the SM's blocks become its children.
    sub_core_sm(const sc_core::sc_module_name& name, const multiprocessor_parts& parts,
                const sm_timing& timing);
    struct arrival {
        std::uint64_t at;
        std::uint16_t warp;
        std::uint16_t cta;
        barrier_request request;
    };
    /// A CTA whose warps have exited. Its slot is free from `at` on; the CTA is complete from
    /// `complete_at` on, which is known when its stores have been acknowledged.
    struct departure {
        static constexpr std::uint64_t unknown = ~std::uint64_t{0};
        std::uint64_t at;
        std::uint64_t stores;  ///< number of stores of the SM that must have been acknowledged
        std::uint16_t cta;
        std::uint64_t complete_at = unknown;
        bool released = false;
        released_cta rest = {};
    };
    std::uint64_t depart(std::uint64_t now);
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
    void arrives_at_cta_cluster(unsigned warp, std::uint64_t at) override;
    void waits_at_cta_cluster(unsigned warp) override { cta_clusters_->waits(warp); }
    void fences(unsigned warp, std::uint64_t at) override;
    void ends(unsigned warp) override;
    void start_asynchronous(warp_instruction& inst, std::uint64_t now) override;
    void suspend(warp_instruction& inst, bool has_time_limit, std::uint64_t now) override {
        mbarriers_->suspend(inst, has_time_limit, now);
    }
    bool takes_bulk_copy() const override {
        return bulk_copies_ == nullptr || bulk_copies_->can_accept();
    }
    bool takes_product(unsigned warp, const program::static_instruction& what,
                       std::uint64_t now) const override {
        return warpgroups_ == nullptr || warpgroups_->can_issue(warp, what, now);
    }
    void transfer_arrived(unsigned warp, const program::bulk_transfer& what) override;
    void work_complete(unsigned warp, const program::tensor_core_work& commit) override;
    std::uint64_t enter_shared_fp64(std::uint64_t earliest) override;
    bool has_request(unsigned s) override { return sub_cores_[s]->l0().has_request(); }
    std::uint64_t take_request(unsigned s) override { return sub_cores_[s]->l0().take_request(); }
    void line_arrived(unsigned s, std::uint64_t line) override {
        sub_cores_[s]->line_arrived(line);
    }

    void running_begins(std::uint64_t now) override;
    void running_ends(std::uint64_t now) override;
    void kernel_arrives(const kernel_context& kernel) override;
    void cta_starts(unsigned, unsigned first, unsigned warps) override {
        if (warpgroups_) warpgroups_->place(first, warps);
        for (unsigned w = first; tensor_core_ && w < first + warps; ++w)
            tensor_core_->warp_starts(w);
    }
    void bind_gpc(protocol::sm_to_sm_port& network, cta_cluster_barrier& barrier) override {
        cta_clusters_->network.bind(network);
        cta_clusters_->set_barrier(barrier);
    }
    void cta_joins_cta_cluster(unsigned slot, const std::shared_ptr<cta_cluster>& cluster,
                               unsigned rank, warp_mask live) override {
        cta_clusters_->cta_starts(slot, cluster, rank, *ctas_[slot].block, live);
    }
    unsigned place_of_warp(unsigned number, unsigned slot, unsigned warps) const override;
    void warp_starts(unsigned warp) override;
    void end_warp(unsigned warp) override;
    void discard_waits() override;
    void warp_exited(unsigned warp) override { of(warp).warp_ends(warp); }
    void cta_ends(unsigned slot) override;
    warp_wait wait_for_issue(unsigned warp) const override {
        return sub_cores_[warp % sub_cores_.size()]->wait_of(warp);
    }
    std::string wait_for_issue_text(unsigned warp) const override {
        return sub_cores_[warp % sub_cores_.size()]->why_waiting(warp);
    }
    std::string barrier_text(unsigned warp) const override;
    std::string engine_text(unsigned warp) const override;
    std::string describe_cta(unsigned slot) const override {
        return cta_clusters_ ? cta_clusters_->describe(slot) : std::string();
    }
    bool pipeline_at_rest() const override;
    void checkpoint_pipeline(support::archive& a) override;
    void register_pipeline_statistics(support::statistics& list) override;
    void flush_pipeline_counters(std::uint64_t edges) override;

    void bind_caches(protocol::transaction_pool& transactions);
    void make_engines(const std::vector<sub_core*>& cores,
                      protocol::transaction_pool& transactions);
    void store_asynchronously(unsigned warp, std::uint64_t now);
    void synchronise();
    std::uint64_t take_arrivals(std::uint64_t now);
    void retire();
    bool has_arrivals(unsigned warp) const {
        if (cta_clusters_ && cta_clusters_->has_arrivals(warp)) return true;
        for (const arrival& a : arrivals_)
            if (a.warp == warp) return true;
        return false;
    }

    const sm_timing timing_;
    sub_core_statistics stage_statistics_;
    instruction_issue issue_;
    std::vector<std::unique_ptr<sub_core>> sub_cores_;
    std::unique_ptr<memory_unit> memory_unit_;
    std::unique_ptr<cta_cluster_unit> cta_clusters_;  // nullptr: no support for clusters
    std::unique_ptr<instruction_link> link_;
    // sm_90
    std::unique_ptr<bulk_copy_engine> bulk_copies_;
    std::unique_ptr<mbarrier_unit> mbarriers_;
    std::unique_ptr<warpgroup_unit> warpgroups_;
    std::unique_ptr<tensor_core_unit> tensor_core_;  // sm_100

    std::uint64_t last_launch_ = ~std::uint64_t{0};  // kernel whose code is in the caches
    std::uint64_t warp_start_ = 0;                   // core cycle in which the last warp started
    std::deque<arrival> arrivals_;                   // at barriers, in order
    std::uint64_t barriers_free_at_ = 0;             // when the barrier unit can count another warp
    std::deque<departure> departures_;               // CTAs that have ended, in order
    std::vector<fence> fences_;
    std::uint64_t fp64_free_at_ = 0;

    simulation::clocked_process synchronise_process_;
    simulation::clocked_process retire_process_;
};

}  // namespace simtlm::core::sub_core_pipeline

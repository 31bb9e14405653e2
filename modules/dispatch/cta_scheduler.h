// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_cluster.h"
#include "modules/dispatch/dispatch_config.h"
#include "modules/program/kernel_source.h"
#include "modules/simulation/clocked_module.h"
#include "modules/support/archive_fwd.h"

#include <memory>
#include <vector>

namespace simtlm::dispatch {

/// A launched kernel: its source, its slot among the running kernels, its times.
struct running_kernel {
    core::kernel_context context;
    std::shared_ptr<program::kernel_source> source;
    program::kernel_descriptor descriptor;
    std::uint64_t blocks_left = 0;  ///< not yet placed
    std::uint64_t ctas_running = 0;
    std::uint64_t ctas_completed = 0;
    std::uint64_t ctas_cancelled = 0;  ///< their work is done by other CTAs of the kernel
    std::uint64_t ctas_ready_for_dependents = 0;  ///< CTAs that allow dependents or have ended
    bool dependents_may_begin = false;            ///< all CTAs allow dependents or have ended
    std::uint64_t depends_on = 0;   ///< launch number of the kernel that it may overlap; 0: none
    std::uint64_t launched_at = 0;  ///< core cycle of the step after which it was launched
    std::uint64_t start_cycle = 0;  ///< core cycle in which its first CTA was placed
    std::uint64_t end_cycle = 0;    ///< core cycle in which its last CTA ended
    std::uint64_t issue_from = 0;   ///< core cycle from which CTAs may be placed
    std::uint64_t stream = 0;
    std::uint64_t tag = 0;          ///< of the command
    std::uint64_t list_number = 0;  ///< of the command
    std::uint64_t position = 0;     ///< of the command, among all that have been processed
    unsigned cta_cluster_size = 1;  ///< CTAs in a cluster
    bool selected = false;
    bool finished() const {
        return blocks_left == 0 && ctas_running == 0 && !context.dependency_open;
    }
};

/// Places CTAs on SMs (manual: CTA dispatch). In every core cycle, each cluster gets at most one
/// CTA, starting after the cluster that got a CTA last; within a cluster, the SMs are served round
/// robin. Clusters are visited in the order of their numbers or of dispatch_config::cluster_order.
/// With -gpgpu_cta_placement most-room, a CTA goes to the SM that has room for the largest number
/// of CTAs of its kernel, as on Pascal, Volta and Turing (Gilman et al., Demystifying the Placement
/// Policies of the NVIDIA GPU Thread Block Scheduler, 2020); the first in that order if there are
/// several. An SM holds CTAs of one kernel until it is empty, or of several with
/// -gpgpu_concurrent_kernel_sm. CTAs of a kernel are placed from -gpgpu_kernel_launch_latency plus
/// -gpgpu_TB_launch_latency per block after its launch. With -gpgpu_cta_launch_interval, CTAs are
/// placed one at a time on the whole GPU, at this interval.
class cta_scheduler : public simulation::clocked_module, private core::cta_listener {
public:
    /// Interface of the owner.
    struct listener {
        virtual ~listener() = default;
        /// Kernels have finished in this cycle, in launch order. Called in phase
        /// core_dispatch_ctas.
        virtual void kernels_finished(std::vector<std::unique_ptr<running_kernel>> kernels) = 0;
        /// All CTAs of a running kernel have allowed dependent kernels to begin
        /// (griddepcontrol.launch_dependents) or ended. In phase core_dispatch_ctas.
        virtual void dependents_may_begin(const running_kernel& kernel) = 0;
        /// No thread instruction has completed within the deadlock window.
        virtual void deadlock() = 0;
        /// A limit of the configuration (-gpgpu_max_cycle, ...) has been reached.
        virtual void limit_reached(const char* option) = 0;
        /// No CTA is placed because of pause_after(), and those placed before have ended.
        virtual void placement_paused() = 0;
    };

    cta_scheduler(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                  const dispatch_config& config, const core::simt_cluster_config& cores,
                  std::vector<core::simt_cluster*> clusters, listener& owner);
    const char* kind() const override { return "cta_scheduler"; }

    /// Whether another kernel can be launched: one of the slots for running kernels is free.
    bool can_start() const;
    /// Launches a kernel. Call between steps or in phase core_dispatch_ctas. @pre can_start()
    void launch(std::unique_ptr<running_kernel> kernel);
    /// Places no further CTAs of the running kernels: each ends with its resident CTAs.
    void abandon();
    /// Places only a number of further CTAs until resume_placement(), so that kernels pause between
    /// thread blocks. Call between steps.
    void pause_after(std::uint64_t ctas) { pause_at_ = ctas_issued_ + ctas; }
    void resume_placement();
    bool pausing() const { return pause_at_ != 0; }
    /// Whether the CTAs of pause_after() have been placed.
    bool paused() const { return pause_at_ != 0 && ctas_issued_ >= pause_at_; }
    /// Counts limits and the deadlock window from now on.
    void restart_limits();

    const std::vector<std::unique_ptr<running_kernel>>& running() const { return running_; }
    /// Whether no CTA of a running kernel is resident, or will be placed while paused(); without a
    /// pause, whether none has been placed.
    bool at_rest() const;
    /// Saves or restores the state that persists across kernels, and the number of running kernels;
    /// see resume(). @pre at_rest()
    void checkpoint(support::archive& a);
    /// Restores a kernel that had been launched when a checkpoint was written, with the times saved
    /// in it.
    /// @param slot  its index among the running kernels
    void resume(std::unique_ptr<running_kernel> kernel, std::size_t slot);
    /// Begins to continue a checkpoint on a GPU of another configuration.
    /// @param launches, ctas_left  as saved
    void begin_transfer(std::uint64_t launches, bool ctas_left);
    /// Restores a kernel that had been launched, on such a GPU. If no CTA has been placed, its
    /// launch latency is that of this configuration, of which the cycles since its launch have
    /// elapsed. Otherwise the rest of its CTAs may be placed at once.
    /// @pre can_start()
    /// @param elapsed  core cycles from its launch to the checkpoint
    void transfer(std::unique_ptr<running_kernel> kernel, std::uint64_t elapsed);
    /// Number of launches so far; the next launch has the next number.
    std::uint64_t launches() const { return launches_; }
    /// Whether CTAs of running kernels have not been placed, as last reported to the clusters. Not
    /// while paused().
    bool ctas_left() const { return ctas_left_; }
    std::uint64_t ctas_issued() const { return ctas_issued_; }
    std::uint64_t ctas_completed() const { return ctas_completed_; }
    /// Thread instructions completed by all SMs.
    std::uint64_t thread_instructions() const;
    bool any_warp_sleeps() const;

private:
    void cta_completed(unsigned sm, core::kernel_context& kernel,
                       std::unique_ptr<program::cta> block) override;
    void cta_launches_dependents(unsigned sm, core::kernel_context& kernel) override;
    void cta_resources_freed() override { process_.wake(); }
    void count_cancelled();
    void count_ready_for_dependents();
    void end_dependencies_on(const running_kernel& kernel);
    void cycle();
    void place_ctas(std::uint64_t now);
    bool may_place(std::uint64_t now) const {
        return config_.cta_launch_interval == 0 || next_placement_ <= now * 1000;
    }
    void note_placement(std::uint64_t now);
    bool place_in(unsigned cluster, std::uint64_t now);
    bool place_by_capacity(std::uint64_t now);
    running_kernel* kernel_for(const core::multiprocessor& sm, std::uint64_t now);
    unsigned cluster_at(unsigned position) const {
        return config_.cluster_order.empty() ? position : config_.cluster_order[position];
    }
    bool place_on(core::multiprocessor& target, running_kernel& kernel, std::uint64_t now);
    running_kernel* select(std::uint64_t now);
    running_kernel* of(const core::kernel_context* context) const;
    bool has_blocks(const running_kernel* k) const;
    std::uint64_t launch_latency(const running_kernel& k) const;
    void enter(std::unique_ptr<running_kernel> k);
    bool no_cta_resident() const;
    bool may_issue() const { return !cta_limit_reached() && !paused(); }
    bool cta_limit_reached() const {
        return config_.max_ctas != 0 && ctas_issued_ - counted_from_.ctas >= config_.max_ctas;
    }
    void check_limits(std::uint64_t now);
    void notify_ctas_left(bool left, std::uint64_t now);

    simulation::phase_sequencer& sequencer_;
    const dispatch_config config_;
    const core::simt_cluster_config& cores_;
    std::vector<core::simt_cluster*> clusters_;
    listener& owner_;
    std::vector<std::unique_ptr<running_kernel>> running_;  // slots
    std::size_t last_kernel_ = 0;                           // slot
    unsigned last_cluster_ = 0;                             // its position in the cluster order
    std::vector<unsigned> last_core_;                       // by cluster
    std::vector<std::uint64_t>
        served_;  // by cluster: cycle of its last CTA plus 1, with by_capacity
    struct ended {
        core::kernel_context* kernel;
        std::unique_ptr<program::cta> block;
    };
    std::vector<std::vector<ended>> ended_;  // CTAs that ended in this cycle, by SM
    bool cta_ended_ = false;
    std::vector<std::vector<core::kernel_context*>> ready_;  // kernels of CTAs, by SM
    bool kernel_ready_ = false;
    bool ctas_left_ = false;            // as last reported to the clusters
    std::uint64_t next_placement_ = 0;  // thousandths of a core cycle
    std::uint64_t launches_ = 0;
    std::uint64_t ctas_issued_ = 0, ctas_completed_ = 0;
    /// The counters from which limits are counted.
    struct {
        std::uint64_t cycles = 0, instructions = 0, ctas = 0, ctas_completed = 0;
    } counted_from_;
    std::uint64_t pause_at_ = 0;  // number of issued CTAs; 0: never
    bool pause_reported_ = false;
    std::uint64_t next_deadlock_check_ = 0;
    std::uint64_t instructions_at_check_ = 0;
    simulation::clocked_process process_;
};

}  // namespace simtlm::dispatch

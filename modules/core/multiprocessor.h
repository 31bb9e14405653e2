// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_observer.h"
#include "modules/cache/cache_statistics.h"
#include "modules/core/barrier_unit.h"
#include "modules/core/coalescer.h"
#include "modules/core/core_config.h"
#include "modules/core/core_statistics.h"
#include "modules/core/cta_cluster.h"
#include "modules/core/cta_slots.h"
#include "modules/core/dependency_gate.h"
#include "modules/core/engine_watcher.h"
#include "modules/core/gpc_directory.h"
#include "modules/core/instruction_watcher.h"
#include "modules/core/l1_caches.h"
#include "modules/core/local_memory_map.h"
#include "modules/core/memory_effects.h"
#include "modules/core/memory_port.h"
#include "modules/core/occupancy.h"
#include "modules/core/running_cycles.h"
#include "modules/core/scoreboard.h"
#include "modules/core/sleeping_warps.h"
#include "modules/core/sm_identity.h"
#include "modules/core/warp_table.h"
#include "modules/core/warp_wait.h"
#include "modules/program/kernel_source.h"
#include "modules/protocol/request_order.h"
#include "modules/protocol/sm_to_sm_message.h"
#include "modules/protocol/sockets.h"
#include "modules/simulation/clocked_module.h"
#include "modules/simulation/process_group.h"
#include "modules/support/archive_fwd.h"
#include "modules/support/statistics.h"
#include "modules/waveforms/signal_list.h"

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core {

class multiprocessor;

/// Is notified when CTAs end.
struct cta_listener {
    virtual ~cta_listener() = default;
    /// A CTA has ended in phase core_front_end of this cycle. SMs may call it in any order.
    virtual void cta_completed(unsigned sm, kernel_context& kernel,
                               std::unique_ptr<program::cta> block) = 0;
    /// A CTA allows kernels that depend on its kernel to begin: it has executed
    /// griddepcontrol.launch_dependents, or ends. Called once per CTA, in phase core_issue or
    /// core_front_end, by SMs in any order.
    virtual void cta_launches_dependents(unsigned /*sm*/, kernel_context& /*kernel*/) {}
    /// The resources of a CTA are free before it is complete: its stores are not acknowledged. In
    /// phase core_front_end, by SMs in any order.
    virtual void cta_resources_freed() {}
};

/// Observes the CTAs of an SM, for a timeline.
struct cta_watcher {
    virtual ~cta_watcher() = default;
    /// A CTA has been placed in a slot of the SM, or has ended.
    virtual void cta_started(const multiprocessor& where, unsigned slot,
                             const kernel_context& kernel, const program::cta& block) = 0;
    virtual void cta_ended(const multiprocessor& where, unsigned slot) = 0;
};

/// Number of warp instructions executed by the functional units of one kind.
struct unit_count {
    std::string kind;  ///< "sp"
    std::uint64_t instructions = 0;
};

/// Constructor arguments of an SM of any core model.
struct multiprocessor_parts {
    const char* name;
    simulation::phase_sequencer& sequencer;
    const sm_config& config;
    sm_identity who;
    protocol::transaction_pool& transactions;
};

/// A streaming multiprocessor without its pipeline: CTA slots, warps from their placement to their
/// exit, barriers, first-level caches, memory port, statistics, inspection and checkpoints. It is
/// the interface of every SM to the rest of the GPU: the cluster binds its memory port, the CTA
/// scheduler places CTAs, and reports, waveforms, profiles and the deadlock report read its state.
///
/// A derived class is a pipeline, which fetches, issues and executes the instructions of the warps:
/// simt_sm, or sub_core_sm. It constructs its blocks in its constructor, with close_group() as the
/// last statement; acts in the phases core_write_back to core_front_end; lets every warp that has
/// ended exit (exit_warp()); and supplies the protected virtual functions.
/// simt_cluster_config::make selects it.
///
/// CTAs are placed in phase core_dispatch_ctas; their warps run from the next cycle on. All other
/// functions are called between steps.
class multiprocessor : public simulation::clocked_module, protected warp_listener {
protected:
    memory_port port_;  // declared before the reference to its socket

public:
    /// To be bound to the cluster, or to any TLM-2.0 target.
    protocol::port_buffer& memory;

    ~multiprocessor() override;

    unsigned id() const { return who_.sm; }
    unsigned cluster() const { return who_.cluster; }
    void set_listener(cta_listener& listener) { cta_listener_ = &listener; }
    /// Sets the observer of the SM's CTAs. The simulation then runs on one host thread, because SMs
    /// may share an observer; the same holds for the other observers.
    void watch(cta_watcher& watcher);
    /// Observes every instruction that issues and completes.
    void watch(instruction_watcher& watcher);
    /// Observes the engines of the SM; no effect if it has none.
    virtual void watch(engine_watcher&) {}
    /// Random partition indexing: requests enter the network in an order determined by an external
    /// block.
    void set_request_order(protocol::request_order& order);
    /// If SMs act one after the other (sm_identity::sms_in_order): acts as the k-th from the next
    /// core cycle on.
    void set_position(unsigned k) { group_.select_sub_phase(k); }
    /// The downstream port is shared by SMs that act one after the other.
    void share_outside(const shared_outside& outside) { port_.share_outside(outside); }

    // ---- CTAs: called in phase core_dispatch_ctas ----

    /// The kernel whose CTAs the SM holds, or nullptr.
    kernel_context* kernel() const { return kernel_; }
    unsigned resident_ctas() const { return ctas_.resident(); }
    /// Whether any warp is resident.
    bool busy() const { return warps_.resident != 0; }
    /// Whether a CTA of a kernel can be placed now.
    /// @param concurrent  SMs may hold CTAs of several kernels
    bool can_launch(const kernel_context& kernel, bool concurrent) const {
        return ctas_.fits(kernel, concurrent);
    }
    /// Number of CTAs of a kernel that can be placed now.
    /// @param concurrent  SMs may hold CTAs of several kernels
    unsigned capacity_for(const kernel_context& kernel, bool concurrent) const {
        return ctas_.capacity_for(kernel, concurrent);
    }
    /// Places a CTA; its warps are fetched from the next cycle on. @pre can_launch()
    /// @return its slot
    unsigned launch(kernel_context& kernel, std::unique_ptr<program::cta> block);
    /// Ends all CTAs: their warps issue nothing more and exit when their instructions and accesses
    /// in flight are complete.
    void end_ctas();
    /// The cluster parameters; nullptr: the SM does not support clusters of CTAs.
    virtual const cta_cluster_timing* cta_clusters() const { return nullptr; }
    /// Binds the SM's port to the SM-to-SM network of its GPC. @param all  must outlive the SM
    /// @pre clusters()
    void join_gpc(protocol::sm_to_sm_port& network, gpc_directory& all);
    /// The directory of GPCs; nullptr: join_gpc() has not been called.
    gpc_directory* gpcs() const { return gpcs_; }
    /// Same as launch(), for a CTA of a cluster. @param rank  of the CTA in the cluster
    void launch_in_cta_cluster(kernel_context& kernel, std::unique_ptr<program::cta> block,
                               const std::shared_ptr<cta_cluster>& cluster, unsigned rank);
    /// Signals that the kernel on which a kernel depends has ended; releases the warps that wait
    /// for it.
    void dependency_ended(const kernel_context& kernel) { dependency_.ended(warps_, kernel); }
    /// Sets the L1D's share of the on-chip memory for a kernel.
    void configure_l1(const l1_split& split);
    void invalidate_l1();
    /// Invalidates the L1D before a CTA of a kernel is launched, if no CTA is resident: before the
    /// first of the kernel (-gpgpu_flush_l1_cache), or any (quirk idle-sm-flushes-l1).
    void invalidate_l1_before(const kernel_context& kernel, std::uint64_t now);
    /// Whether the SM ran in the core cycle that has just ended.
    bool ran_in(std::uint64_t cycle) const { return running_.include(cycle); }
    /// The cycles in which it runs also count for its cluster.
    void count_cycles_in(simt_cluster_cycles& cycles) { simt_cluster_cycles_ = &cycles; }
    /// The effects of its executed warps that are deferred to the end of the issue phase.
    effect_queue& deferred_effects() { return effects_; }

    // ---- warps ----

    /// The warp slots: which are resident, at a barrier, etc., and their next instructions.
    const warp_table& warps() const { return warps_; }
    /// The kernel of a resident warp.
    const kernel_context* kernel_of(unsigned warp) const {
        return ctas_[warps_.warp[warp].cta].kernel;
    }
    /// The decoded instruction that a resident warp issues next; nullptr: none is decoded.
    virtual const program::dynamic_instruction* next_instruction(unsigned /*warp*/) const {
        return nullptr;
    }
    /// Why a warp does not issue. @param warp  resident
    warp_wait why_waiting(unsigned warp) const;
    /// Describes what every resident warp waits for, one per line, for a deadlock report.
    std::string describe() const;
    std::size_t instructions_in_flight() const { return pool_.in_flight(); }
    /// Whether no CTA is resident and nothing is in flight, including prefetched instructions.
    bool at_rest() const;
    /// Saves or restores the state that persists across kernels, of an idle SM.
    /// @throws support::user_error  if SMs of this kind do not support it
    void checkpoint(support::archive& a);

    // ---- statistics ----

    /// The counters, including those of sleeping blocks.
    const core_statistics& statistics();
    /// The same, but cycles in which blocks sleep may be missing.
    const core_statistics& counted() const { return statistics_; }
    /// Registers every struct of counters of the SM and its blocks, core_statistics first.
    void register_statistics(support::statistics& list);
    /// Updates all registered counters.
    void update_counters();
    /// Statistics of a first-level cache, up to date; nullptr: the SM has none.
    const cache::cache_statistics* statistics_of(l1_cache which) {
        return caches_ ? &caches_->statistics_of(which) : nullptr;
    }
    /// Adds an observer of accesses to the data, constant and texture caches.
    void observe_caches(cache::access_observer& observer) {
        if (caches_) caches_->observe(observer);
    }
    /// Number of instructions by kind of functional unit, in the order of dispatch.
    virtual std::vector<unit_count> unit_counts() const { return {}; }
    /// Cycles in which a result bus was occupied.
    virtual std::uint64_t result_bus_conflicts() const { return 0; }
    /// Number of times that senders found the request network full.
    std::uint64_t network_refusals();

    // ---- waveforms ----

    /// Registers the signals below its own name. @param network  the block that receives its
    /// requests
    virtual void register_signals(waveforms::signal_list&, const std::string& /*network*/) {}
    /// Hierarchical names of the blocks that send memory requests.
    virtual std::vector<std::string> sending_blocks() const { return {}; }

protected:
    /// The module name stays on SystemC's stack while the derived class is constructed, so that its
    /// blocks become children.
    /// @param sources  number of blocks that send requests: all of memory_source, or 0 for a core
    ///                 without memory accesses
    multiprocessor(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                   const sm_config& config, const sm_identity& who,
                   unsigned sources = memory_sources);
    /// The blocks of the pipeline are constructed.
    void close_group() { group_.close(); }
    /// Constructs the first-level caches and binds their memory sides.
    void make_caches(const l1_caches::config& config, protocol::transaction_pool& transactions);

    // ---- supplied by the pipeline ----

    /// The SM holds CTAs from the cycle after `now` on, or none after `now`. In phase
    /// core_dispatch_ctas, or core_front_end.
    virtual void running_begins(std::uint64_t /*now*/) {}
    virtual void running_ends(std::uint64_t /*now*/) {}
    /// A CTA of a kernel will be placed.
    virtual void kernel_arrives(const kernel_context&) {}
    /// The warps of a CTA will start. @param first  its first warp slot @param warps  their number
    virtual void cta_starts(unsigned /*slot*/, unsigned /*first*/, unsigned /*warps*/) {}
    /// Binds the port to the SM-to-SM network. @pre clusters()
    virtual void bind_gpc(protocol::sm_to_sm_port&, cta_cluster_barrier&) {}
    /// The CTA that has been placed belongs to a cluster. @param live  its warps with instructions
    virtual void cta_joins_cta_cluster(unsigned /*slot*/, const std::shared_ptr<cta_cluster>&,
                                       unsigned /*rank*/, warp_mask /*live*/) {}
    /// The warp slot of a warp, relative to the first slot of its CTA.
    /// @param number  of the warp in its CTA @param slot  of the CTA @param warps  of the CTA
    virtual unsigned place_of_warp(unsigned number, unsigned /*slot*/, unsigned /*warps*/) const {
        return number;
    }
    /// A warp starts; it may have no instructions to execute.
    virtual void warp_starts(unsigned /*warp*/) {}
    /// Discards the instructions of a warp that has not ended, which ends. In phase
    /// core_dispatch_ctas. Without it, the CTAs of an SM end only by themselves.
    virtual void end_warp(unsigned /*warp*/) {}
    /// All warps have ended: nothing waits for them any more.
    virtual void discard_waits() {}
    /// A warp has exited; its slot is free.
    virtual void warp_exited(unsigned /*warp*/) {}
    /// All warps of a CTA have exited. Completes it; a pipeline may do so later.
    virtual void cta_ends(unsigned slot) { complete_cta(slot); }
    /// Why a warp does not issue whose state in the warp_table allows it to.
    virtual warp_wait wait_for_issue(unsigned /*warp*/) const { return warp_wait::nothing; }
    /// The same for a deadlock report, what it waits for.
    virtual std::string wait_for_issue_text(unsigned /*warp*/) const { return {}; }
    /// What a warp at a barrier, or at an engine of the SM, waits for.
    virtual std::string barrier_text(unsigned /*warp*/) const { return "a barrier"; }
    virtual std::string engine_text(unsigned /*warp*/) const { return {}; }
    /// Describes what a resident CTA, or the blocks of the pipeline, wait for.
    virtual std::string describe_cta(unsigned /*slot*/) const { return {}; }
    virtual std::string describe_blocks() const { return {}; }
    /// Whether the blocks of the pipeline hold nothing.
    virtual bool pipeline_at_rest() const { return true; }
    /// Saves or restores the state of the pipeline that persists across kernels. @see checkpoint()
    virtual void checkpoint_pipeline(support::archive& a);
    /// Registers the structs of counters of the pipeline's blocks.
    virtual void register_pipeline_statistics(support::statistics&) {}
    /// Lets sleeping blocks count the core cycles before `edges`.
    virtual void flush_pipeline_counters(std::uint64_t /*edges*/) {}

    // ---- services for the pipeline ----

    /// A warp that has ended has nothing in flight: frees its slot, and that of its CTA after the
    /// last warp. In phase core_front_end.
    void exit_warp(unsigned warp);
    /// A warp has issued an instruction of programmatic dependent launch (griddepcontrol).
    void act_on_dependents(const warp_instruction& inst);
    /// No functional unit of the configuration executes an instruction: ends the simulation.
    void fail_without_unit(const program::static_instruction& inst);
    /// A CTA whose slot is free.
    struct released_cta {
        kernel_context* kernel = nullptr;
        std::unique_ptr<program::cta> block;
    };
    /// The last warp of a CTA has exited: frees its slot and notifies the watcher.
    released_cta release_cta(unsigned slot);
    /// A released CTA is complete: stops the SM if no CTA is left, and notifies the listener.
    void complete_cta(released_cta cta);
    void complete_cta(unsigned slot) { complete_cta(release_cta(slot)); }
    /// Notifies the listener that a slot is free whose CTA is not complete.
    void notify_resources_freed();
    /// Registers the signals for the number of resident CTAs and warps.
    void register_occupancy(waveforms::signal_list& list);

    simulation::phase_sequencer& sequencer_;
    const sm_config config_;
    const sm_identity who_;
    running_cycles running_;
    core_statistics statistics_;
    effect_queue effects_;
    cta_slots ctas_;

private:
    simulation::process_group group_;  // open while the blocks are constructed

protected:
    requester_identity identity_;
    warp_table warps_;
    scoreboard scoreboard_;
    barrier_unit barriers_;
    coalescer coalescer_;
    warp_instruction_pool pool_;
    local_memory_map local_memory_;
    sleeping_warps sleepers_;
    dependency_gate dependency_;
    std::unique_ptr<l1_caches> caches_;  // nullptr: the SM has none

private:
    void begin_running();
    void end_running();
    void begin_warp(unsigned warp, unsigned slot, unsigned number);
    void launch_dependents(unsigned slot);
    void count_residents(std::uint64_t cycle);
    std::string wait_text(unsigned warp) const;

    simt_cluster_cycles* simt_cluster_cycles_ = nullptr;
    cta_listener* cta_listener_ = nullptr;
    cta_watcher* cta_watcher_ = nullptr;
    gpc_directory* gpcs_ = nullptr;
    kernel_context* kernel_ = nullptr;
    std::uint64_t last_launch_ = 0;      // launch number of the kernel of the last CTA
    std::uint64_t dynamic_warps_ = 0;    // number of warps that have started
    unsigned incomplete_ = 0;            // released CTAs that are not complete
    std::uint64_t residents_since_ = 0;  // first core cycle not counted in warp_cycles
};

}  // namespace simtlm::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/access_observer.h"
#include "modules/cache/cache_statistics.h"
#include "modules/core/core_config.h"
#include "modules/core/core_statistics.h"
#include "modules/core/cta_slots.h"
#include "modules/core/instruction_watcher.h"
#include "modules/core/l1_caches.h"
#include "modules/core/memory_effects.h"
#include "modules/core/memory_port.h"
#include "modules/core/occupancy.h"
#include "modules/core/running_cycles.h"
#include "modules/core/sm_identity.h"
#include "modules/core/warp_table.h"
#include "modules/core/warp_wait.h"
#include "modules/kernel/archive_fwd.h"
#include "modules/kernel/clocked_module.h"
#include "modules/kernel/signal_list.h"
#include "modules/kernel/statistics.h"
#include "modules/program/kernel_source.h"
#include "modules/protocol/request_order.h"
#include "modules/protocol/sockets.h"

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
    kernel::phase_sequencer& sequencer;
    const sm_config& config;
    sm_identity who;
    protocol::transaction_pool& transactions;
};

/// Interface of a streaming multiprocessor to the rest of the GPU: the cluster binds its memory
/// port, the CTA scheduler places CTAs, and reports, waveforms, profiles and the deadlock report
/// read its state. The derived class implements the pipeline: `sm` is the classic core of
/// GPGPU-Sim. cluster_config::make selects the class.
///
/// A derived class constructs its blocks in its own constructor, acts in the phases core_write_back
/// to core_front_end, and notifies the cta_listener of every CTA that has ended, while holding
/// phase_sequencer::exclusive. CTAs are placed in phase core_dispatch_ctas; their warps run from
/// the next cycle on. All other functions are called between steps.
class multiprocessor : public kernel::clocked_module {
protected:
    memory_port port_;  // declared before the reference to its socket

public:
    /// To be bound to the cluster, or to any TLM-2.0 target.
    protocol::initiator_socket<memory_port>& memory;

    ~multiprocessor() override;

    unsigned id() const { return who_.sm; }
    unsigned cluster() const { return who_.cluster; }
    void set_listener(cta_listener& listener) { cta_listener_ = &listener; }
    /// Sets the observer of the SM's CTAs. The simulation then runs on one host thread, because SMs
    /// may share an observer.
    void watch(cta_watcher& watcher);
    /// Observes every instruction that issues and completes.
    virtual void watch(instruction_watcher& watcher) = 0;
    /// Random partition indexing: requests enter the network in an order determined by an external
    /// block.
    virtual void set_request_order(protocol::request_order& order);
    /// If SMs act one after the other (sm_identity::sms_in_order): acts as the k-th from the next
    /// core cycle on.
    virtual void set_position(unsigned /*k*/) {}
    /// The downstream port is shared by SMs that act one after the other.
    void share_outside(const shared_outside& outside) { port_.share_outside(outside); }

    // ---- CTAs: called in phase core_dispatch_ctas ----

    /// The kernel whose CTAs the SM holds, or nullptr.
    kernel_context* kernel() const { return kernel_; }
    unsigned resident_ctas() const { return ctas_.resident(); }
    /// Whether any warp is resident.
    virtual bool busy() const { return ctas_.resident() != 0; }
    /// Whether a CTA of a kernel can be placed now.
    /// @param concurrent  SMs may hold CTAs of several kernels
    virtual bool can_launch(const kernel_context& kernel, bool concurrent) const {
        return ctas_.fits(kernel, concurrent);
    }
    /// Number of CTAs of a kernel that can be placed now.
    /// @param concurrent  SMs may hold CTAs of several kernels
    unsigned room_for(const kernel_context& kernel, bool concurrent) const {
        return ctas_.room_for(kernel, concurrent);
    }
    /// Places a CTA; its warps are fetched from the next cycle on. @pre can_launch()
    virtual void launch(kernel_context& kernel, std::unique_ptr<program::cta> block) = 0;
    /// Signals that the kernel on which a kernel depends has ended; releases the warps that wait
    /// for it.
    virtual void dependency_ended(const kernel_context& /*kernel*/) {}
    /// Sets the L1D's share of the on-chip memory for a kernel.
    virtual void configure_l1(const l1_split&) {}
    virtual void invalidate_l1() {}
    /// The last core cycle in which the SM ran.
    std::uint64_t stopped_at() const { return running_.stopped_at(); }
    /// Whether the SM ran in the core cycle that has just ended.
    bool ran_in(std::uint64_t cycle) const { return running_.include(cycle); }
    /// The cycles in which it runs also count for its cluster.
    void count_cycles_in(cluster_cycles& cycles) { cluster_cycles_ = &cycles; }
    /// The effects of its executed warps that are deferred to the end of the issue phase.
    effect_queue& deferred_effects() { return effects_; }

    // ---- warps ----

    /// The warp slots: which are resident, at a barrier, etc., and their next instructions.
    virtual const warp_table& warps() const = 0;
    /// The kernel of a resident warp.
    const kernel_context* kernel_of(unsigned warp) const {
        return ctas_[warps().warp[warp].cta].kernel;
    }
    /// Why a warp does not issue. @param warp  resident
    virtual warp_wait why_waiting(unsigned warp) const = 0;
    /// Describes what every resident warp waits for, one per line, for a deadlock report.
    virtual std::string describe() const = 0;
    virtual std::size_t instructions_in_flight() const = 0;
    /// Whether no CTA is resident and nothing is in flight, including prefetched instructions.
    virtual bool at_rest() const { return !busy() && port_.idle(); }
    /// Saves or restores the state that persists across kernels, of an idle SM.
    /// @throws kernel::user_error  if SMs of this kind do not support it
    virtual void checkpoint(kernel::archive& a);

    // ---- statistics ----

    /// The counters, including those of sleeping blocks.
    virtual const core_statistics& statistics() = 0;
    /// The same, but cycles in which blocks sleep may be missing.
    const core_statistics& counted() const { return statistics_; }
    /// Registers every struct of counters of the SM and its blocks, core_statistics first.
    virtual void register_statistics(kernel::statistics& list) = 0;
    /// Brings all registered counters up to date.
    virtual void settle() = 0;
    /// Statistics of a first-level cache, up to date; nullptr: the core has none.
    virtual const cache::cache_statistics* statistics_of(l1_cache) { return nullptr; }
    /// Adds an observer of accesses to the data, constant and texture caches.
    virtual void observe_caches(cache::access_observer&) {}
    /// Number of instructions by kind of functional unit, in the order of dispatch.
    virtual std::vector<unit_count> unit_counts() const { return {}; }
    /// Cycles in which a result bus was occupied.
    virtual std::uint64_t result_bus_conflicts() const { return 0; }
    /// Number of times that senders found the request network full.
    virtual std::uint64_t network_refusals() { return 0; }

    // ---- waveforms ----

    /// Registers the signals below its own name. @param network  the block that receives its
    /// requests
    virtual void register_signals(kernel::signal_list&, const std::string& /*network*/) {}
    /// Hierarchical names of the blocks that send memory requests.
    virtual std::vector<std::string> sending_blocks() const { return {}; }

protected:
    /// @param sources  number of blocks that send requests: all of memory_source, or 0 for a core
    ///                 without memory accesses
    multiprocessor(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                   const sm_config& config, const sm_identity& who,
                   unsigned sources = memory_sources);

    /// Saves the state common to all SMs, for checkpoint() of derived classes.
    void checkpoint_running(kernel::archive& a);

    /// The SM holds CTAs from the next core cycle on.
    virtual void begin_running();
    /// The SM holds no CTA after this core cycle.
    virtual void end_running();
    /// Reports that a CTA allows dependent kernels to begin. Later calls for a CTA have no effect.
    void launch_dependents(unsigned slot);
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
    void tell_resources_freed();
    /// Adds the resident warps of the core cycles before `cycle` to warp_cycles. Must be called
    /// before the number of resident warps changes.
    void count_resident_warps(unsigned warps, std::uint64_t cycle);

    kernel::phase_sequencer& sequencer_;
    const sm_config config_;
    const sm_identity who_;
    running_cycles running_;
    cluster_cycles* cluster_cycles_ = nullptr;
    core_statistics statistics_;
    effect_queue effects_;
    cta_listener* cta_listener_ = nullptr;
    cta_watcher* cta_watcher_ = nullptr;
    kernel_context* kernel_ = nullptr;
    cta_slots ctas_;
    unsigned incomplete_ = 0;            // released CTAs that are not complete
    std::uint64_t residents_since_ = 0;  // first core cycle not counted in warp_cycles
};

}  // namespace simtlm::core

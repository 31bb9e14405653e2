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
    virtual void cta_started(const multiprocessor& where, unsigned slot,
                             const kernel_context& kernel, const program::cta& block) = 0;
    virtual void cta_ended(const multiprocessor& where, unsigned slot) = 0;
};

/// Warp instructions that the functional units of one kind have taken.
struct unit_count {
    std::string kind;  ///< "sp"
    std::uint64_t instructions = 0;
};

/// What makes an SM of some core model: one for all SMs of a GPU.
struct multiprocessor_parts {
    const char* name;
    kernel::phase_sequencer& sequencer;
    const sm_config& config;
    sm_identity who;
    protocol::transaction_pool& transactions;
};

/// A streaming multiprocessor as the rest of the GPU sees it: the cluster binds its memory port,
/// the CTA scheduler places CTAs, reports, waveforms, profiles and the deadlock report ask the
/// questions below. Which pipeline executes the warps is the derived class's: `sm` is the classic
/// core of GPGPU-Sim. cluster_config::make chooses.
///
/// A derived class constructs its blocks in its own constructor, acts in the phases core_write_back
/// to core_front_end, and tells the cta_listener of every CTA that has ended, with
/// phase_sequencer::exclusive held. CTAs are placed in phase core_dispatch_ctas; their warps run
/// from the next cycle on. Everything else is called between steps.
class multiprocessor : public kernel::clocked_module {
protected:
    memory_port port_;  // before the reference to its socket

public:
    /// Towards the cluster, or any TLM-2.0 target.
    protocol::initiator_socket<memory_port>& memory;

    ~multiprocessor() override;

    unsigned id() const { return who_.sm; }
    unsigned cluster() const { return who_.cluster; }
    void set_listener(cta_listener& listener) { cta_listener_ = &listener; }
    void watch(cta_watcher& watcher);
    /// Tells every instruction that issues and completes.
    virtual void watch(instruction_watcher& watcher) = 0;
    /// Random partition indexing: requests enter the network in an order that somebody gives.
    virtual void set_request_order(protocol::request_order& order);
    /// Where SMs act one after the other (sm_identity::sms_in_order): acts as the k-th from the
    /// next core cycle on.
    virtual void set_position(unsigned /*k*/) {}
    /// The outside has room for the requests of several such SMs or for none of them.
    void share_outside(const shared_outside& outside) { port_.share_outside(outside); }

    // ---- CTAs: called in phase core_dispatch_ctas ----

    /// The kernel whose CTAs the SM holds, nullptr when it holds none.
    kernel_context* kernel() const { return kernel_; }
    unsigned resident_ctas() const { return ctas_.resident(); }
    /// Some warp is resident.
    virtual bool busy() const { return ctas_.resident() != 0; }
    /// Whether a CTA of a kernel can be placed now.
    /// @param concurrent  SMs may hold CTAs of several kernels
    virtual bool can_launch(const kernel_context& kernel, bool concurrent) const {
        return ctas_.fits(kernel, concurrent);
    }
    /// Places a CTA; its warps are fetched from the next cycle on. @pre can_launch()
    virtual void launch(kernel_context& kernel, std::unique_ptr<program::cta> block) = 0;
    /// The L1D's share of the on-chip memory changes with the kernel.
    virtual void configure_l1(const l1_split&) {}
    virtual void invalidate_l1() {}
    /// Core cycle in which the SM ran last.
    std::uint64_t stopped_at() const { return running_.stopped_at(); }
    /// Whether a core cycle that has just ended is among the SM's cycles.
    bool ran_in(std::uint64_t cycle) const { return running_.include(cycle); }
    /// The cycles in which it runs are counted for its cluster, too.
    void count_cycles_in(cluster_cycles& cycles) { cluster_cycles_ = &cycles; }
    /// What its executed warps leave to the end of the issue phase.
    effect_queue& deferred_effects() { return effects_; }

    // ---- warps ----

    /// Its warp slots: which are resident, at a barrier, ...; what their next instruction is.
    virtual const warp_table& warps() const = 0;
    /// The kernel that a resident warp belongs to.
    const kernel_context* kernel_of(unsigned warp) const {
        return ctas_[warps().warp[warp].cta].kernel;
    }
    /// @param warp  resident
    virtual warp_wait why_waiting(unsigned warp) const = 0;
    /// What every resident warp waits for, a line each, for a deadlock report.
    virtual std::string describe() const = 0;
    virtual std::size_t instructions_in_flight() const = 0;
    /// No CTA is resident, and nothing is under way, prefetched instructions included.
    virtual bool at_rest() const { return !busy() && port_.idle(); }
    /// State that outlives kernels, of an SM at rest.
    /// @throws kernel::user_error  an SM of this kind cannot be saved
    virtual void checkpoint(kernel::archive& a);

    // ---- statistics ----

    /// Up to date: what sleeping blocks have yet to count is counted.
    virtual const core_statistics& statistics() = 0;
    /// The same, without what sleeping blocks have yet to count.
    const core_statistics& counted() const { return statistics_; }
    /// Lists every struct that it and its blocks count in, core_statistics first.
    virtual void register_statistics(kernel::statistics& list) = 0;
    /// Brings all that is listed up to date.
    virtual void settle() = 0;
    /// Of a first-level cache, up to date; nullptr: the core has none.
    virtual const cache::cache_statistics* statistics_of(l1_cache) { return nullptr; }
    /// Accesses to the data, constant and texture caches are told.
    virtual void observe_caches(cache::access_observer&) {}
    /// Instructions by kind of functional unit, in the order of dispatch.
    virtual std::vector<unit_count> unit_counts() const { return {}; }
    /// Cycles in which a result bus was taken.
    virtual std::uint64_t result_bus_conflicts() const { return 0; }
    /// Questions for room in the request network that were answered no, by all that send.
    virtual std::uint64_t network_refusals() { return 0; }

    // ---- waveforms ----

    /// Registers the signals below its own name. @param network  the block that takes its requests
    virtual void register_signals(kernel::signal_list&, const std::string& /*network*/) {}
    /// Blocks that send requests to memory, by hierarchical name.
    virtual std::vector<std::string> sending_blocks() const { return {}; }

protected:
    /// @param sources  blocks that send requests: all of memory_source, or 0 for a core that has no
    ///                 memory accesses
    multiprocessor(const sc_core::sc_module_name& name, kernel::phase_sequencer& sequencer,
                   const sm_config& config, const sm_identity& who,
                   unsigned sources = memory_sources);

    /// Saves what every SM has to save, for checkpoint() of derived classes.
    void checkpoint_running(kernel::archive& a);

    /// The SM holds CTAs from the next core cycle on.
    virtual void begin_running();
    /// The SM holds no CTA after this core cycle.
    virtual void end_running();
    /// The last warp of a CTA has exited: frees its slot, stops the SM if no CTA is left, and
    /// notifies the watcher and the listener.
    void complete_cta(unsigned slot);
    /// Counts the resident warps of the core cycles before `cycle` in warp_cycles. To be called
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
    std::uint64_t residents_since_ = 0;  // first core cycle that warp_cycles lacks
};

}  // namespace simtlm::core

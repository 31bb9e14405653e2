// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/data_cache.h"
#include "modules/cache/l1_bank.h"
#include "modules/cache/sm_cache.h"

#include <memory>
#include <systemc>
#include <vector>

namespace simtlm::cache {

/// The L1 data cache of an SM.
///
/// Every bank (l1_bank) has a pipeline of `latency` stages that ends at the tags. In phase
/// core_access the load/store unit puts accesses into the banks, one per bank and cycle; `latency`
/// cycles later, in phase core_caches, the access at the end of each bank's pipeline looks up the
/// tags. It stays there, with later ones closing up after it, while a resource is not available.
/// A refused access is tried again when the cache has changed; the refusals of the cycles in
/// between are counted as if it had been tried in each. Before the look-ups, one packet of misses
/// (config::packets_per_cycle) is sent to memory and the next cycle of the ports begins.
///
/// `port`, towards the unit (unit_port.h), in phase core_access:
///  - refused: bank conflict (latency > 0), or reservation failure (latency 0);
///  - TLM_COMPLETED (latency 0 only): a hit, or a store that needs no acknowledgement;
///  - TLM_ACCEPTED: exactly one response follows. Loads: hit or miss. Stores: a response with
///    extension.hit when the store is complete: at the look-up if it stays in the
///    cache, otherwise when memory has acknowledged all its parts or the line that it allocates is
///    filled. The unit answers it with TLM_COMPLETED.
/// Accesses that bypass the L1 are sent to memory by the unit itself.
///
/// `memory` carries misses, write-throughs and write-backs; responses may arrive in any phase (in a
/// GPU: core_units). Read data are accepted immediately (TLM_COMPLETED) if the fill port is free,
/// otherwise with TLM_ACCEPTED, and END_RESP follows at the start of this cache's action in the
/// first cycle with a free port, which is as early as the unit could have sent them again.
/// Acknowledgements are always accepted immediately. A split store has extension.pending_parts in
/// the parent, set by the splitter and counted down here.
class l1_data_cache : public sm_cache<data_cache> {
public:
    /// Parameters of an L1D.
    struct config {
        cache_config cache;
        unsigned latency = 1;  ///< core cycles; 0: tags are looked up in the access itself
        unsigned banks = 1;
        unsigned packets_per_cycle = 1;   ///< sent to memory
        bool requests_lines = false;      ///< a packet can read several sectors of a line
        bool writes_sectors = false;      ///< a packet can write back only one sector of a line
        unsigned bank_interleaving = 32;  ///< bytes
        set_index_function bank_hash = set_index_function::linear;
    };

    l1_data_cache(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                  const config& cfg, protocol::transaction_pool& pool);
    const char* kind() const override { return "l1_data_cache"; }

    /// Sets the L1's share of the on-chip memory, between kernels.
    void reconfigure(unsigned ways, allocation_policy allocation) {
        engine_.reconfigure(ways, allocation);
        changed();
    }
    void flush() {
        sm_cache::flush();
        changed();
    }
    void invalidate() {
        sm_cache::invalidate();
        changed();
    }
    /// Whether no access is queued or outstanding.
    bool idle() const { return queued_ == 0 && sm_cache::idle(); }

    /// Describes pending accesses and why they are stalled, one per line, for a deadlock report;
    /// empty if idle.
    std::string describe() const;

    unsigned bank_of(std::uint64_t address) const { return bank_of_(address); }
    /// Saves or restores the state that persists across kernels, of an idle cache.
    void checkpoint(support::archive& a);
    /// Accesses refused because the first stage of their bank was occupied.
    std::uint64_t bank_conflicts() const { return bank_conflicts_; }
    void register_statistics(support::statistics& list) const;

private:
    tlm::tlm_sync_enum access(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase) override;
    tlm::tlm_generic_payload* ready() override;
    void retire() override {
        sm_cache::retire();
        changed();
    }
    bool accept_response(tlm::tlm_generic_payload& response) override;
    void count_refusals(std::uint64_t cycles) override;
    /// What is refused may be accepted now.
    void changed() {
        if (refused_ != 0) process_.wake();
    }

    void cycle();
    void send_misses();
    void look_up(std::size_t bank);
    void rest();

    config config_;
    set_index bank_of_;
    std::vector<std::unique_ptr<l1_bank>> banks_;
    std::vector<std::uint64_t> due_;  // by bank: core cycle in which its front access reaches the
                                      // tags, or never
    std::uint64_t sends_from_ = 0;    // core cycle; until then packets of a write-back are sent
    unsigned queued_ = 0;
    std::uint64_t refused_ = 0;  // banks whose front access is not tried again until the cache
                                 // changes, one bit each
    std::uint64_t bank_conflicts_ = 0;
};

}  // namespace simtlm::cache

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/set_index.h"
#include "modules/core/load_store_unit.h"
#include "modules/core/sub_core_pipeline/cta_cluster_unit.h"
#include "modules/core/sub_core_pipeline/memory_queue.h"
#include "modules/core/sub_core_pipeline/sub_core.h"
#include "modules/support/archive_fwd.h"

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// The memory unit shared by the sub-cores of an SM with sub-cores (Huerta et al., section 5.4).
/// Every second cycle it accepts an instruction of a sub-core, round robin, into the latch of its
/// destination: L1D, L1D bypass, L1C, L1T; shared memory and shuffles accept it immediately. Shared
/// memory and the L1D data share one array of banks, which a load occupies for as many cycles
/// (wavefronts) as its busiest bank has words to read. The L1D tags are in separate banks, each of
/// which looks up one line per cycle with all requested sectors; the bank is the XOR of all bit
/// groups of the line number. Both are as counted by l1tex (te42kyfo/gpu-benches, gpu-strides:
/// wavefronts of strided loads on A100, A40 and H200). The constant cache looks up the addresses of
/// a load one after the other (CUDA C++ Programming Guide: constant memory). Results return to the
/// sub-cores over links of 128 bytes per 2 cycles.
///
/// Actions: responses (core_units), accesses (core_access), acceptance (core_dispatch).
class memory_unit : public load_store_unit<memory_unit> {
public:
    memory_unit(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                const sm_config& config, const sub_core_config& timing, const load_store_blocks& sm,
                std::vector<sub_core*> sub_cores);
    const char* kind() const override { return "memory_unit"; }

    /// Sets the unit for accesses to shared memory of other SMs.
    void set_cta_clusters(cta_cluster_unit& unit) { cta_clusters_ = &unit; }
    /// A sub-core has an instruction in its memory queue.
    void wake() { accept_process_.wake(); }
    bool idle() const;
    /// Counts the stalls of the cycles up to `last` in which the unit slept because the network had
    /// no room. Call between steps.
    void count_until(std::uint64_t last);
    /// Number of stages of the L1D: the latency of a hit in memory_latencies, less the paths to the
    /// L1D and back to the sub-core.
    static unsigned l1d_stages(const sub_core_config& timing);
    /// Whether an instruction reads the data array of the L1D, including bank conflicts.
    /// @pre its accesses are resolved
    static bool reads_l1_data(const warp_instruction& inst);
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

private:
    friend class load_store_unit<memory_unit>;
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    enum target : unsigned { to_l1d, past_l1d, to_l1c, to_l1t, latches };

    tlm::tlm_sync_enum cache_responds(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay);
    void request_ended(tlm::tlm_generic_payload&) override { access_process_.wake(); }
    void response_arrived() override { respond_process_.wake(); }
    void respond();
    void access();
    void accept();
    int target_of(const warp_instruction& inst) const;
    std::uint64_t space_at(const sub_core::memory_entry& e, std::uint64_t now) const;
    void take(const sub_core::memory_entry& e, std::uint64_t now);
    void read_constants(warp_instruction& inst, std::uint64_t now);
    void read_l1_data(warp_instruction& inst, std::uint64_t now);
    void order_by_tag_bank(warp_instruction& inst);
    void start_local(const sub_core::memory_entry& e, std::uint64_t now);
    void start_remote(warp_instruction& inst, std::uint64_t now);
    bool start_accesses(latch& l, target which);
    bool start_uncached_accesses(latch& l);
    void leave(latch& l);
    void arrived(warp_instruction& inst);
    void complete(warp_instruction& inst);

    const sub_core_config& timing_;
    const unsigned l1d_stages_;
    const std::vector<sub_core*> sub_cores_;
    cta_cluster_unit* cta_clusters_ = nullptr;
    memory_arbiter arbiter_;
    std::array<latch, latches> latch_;
    cache::set_index tag_bank_of_;
    std::vector<memory_access> ordered_;       // temporary of order_by_tag_bank()
    std::vector<std::uint8_t> rounds_;         // temporary of order_by_tag_bank()
    std::uint64_t next_refused_ = never;       // next cycle to count while the network has no room
    std::uint64_t banks_free_at_ = 0;          // of shared memory and the L1D
    std::uint64_t constants_free_at_ = 0;      // of the constant cache
    std::vector<std::uint64_t> link_free_at_;  // by sub-core

    simulation::clocked_process respond_process_;
    simulation::clocked_process access_process_;
    simulation::clocked_process accept_process_;
};

}  // namespace simtlm::core::sub_core_pipeline

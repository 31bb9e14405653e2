// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/load_store_unit.h"
#include "modules/core/scoreboard.h"
#include "modules/core/simt_pipeline/instruction_sockets.h"
#include "modules/core/simt_pipeline/operand_collector.h"
#include "modules/core/simt_pipeline/shared_memory.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"

#include <array>

namespace simtlm::core::simt_pipeline {

/// The load/store unit of an SM (GPGPU-Sim manual: Memory Pipeline). It acts twice per core cycle,
/// before and after the L1 caches:
///
///  1. Writes back the registers of one instruction, selected round robin among shared memory,
///     texture, constant, uncached and L1D responses, and delivers one response from memory to the
///     block that waits for it.
///  2. Starts accesses of the instruction in the dispatch register, highest address first: one per
///     cycle (as many as the L1D has banks, up to the first bank conflict), or one row of shared
///     memory banks.
///
/// A load leaves when all its accesses have started; its registers are released with its last
/// response. Stores and barriers leave when they have started; a warp cannot exit before its stores
/// are acknowledged. Atomics, .STRONG.GPU loads and (with -gpgpu_gmem_skip_L1D) all global accesses
/// bypass the L1D.
class ldst_unit : public load_store_unit<ldst_unit> {
public:
    instruction_target<ldst_unit> dispatch;  ///< @pre can_accept()
    instruction_initiator<ldst_unit> to_shared;

    ldst_unit(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
              const sm_config& config, const load_store_blocks& sm, scoreboard& scores,
              operand_collector& collector, shared_memory& shared);
    const char* kind() const override { return "ldst_unit"; }

    bool can_accept() const { return dispatched_.inst == nullptr; }
    /// Sets the process to wake when the unit can accept an instruction again.
    void set_dispatcher(simulation::clocked_process& p) { dispatcher_ = &p; }
    bool idle() const;
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);
    /// Describes its instructions and what they wait for, for a deadlock report; empty if idle.
    std::string describe() const;
    /// The instruction in the dispatch register, for waveforms and reports.
    const warp_instruction* in_dispatch_register() const { return dispatched_.inst; }

private:
    friend class load_store_unit<ldst_unit>;
    enum client : int { from_shared, from_l1t, from_l1c, from_uncached, from_l1d, clients };

    tlm::tlm_sync_enum accept(warp_instruction& inst, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
    tlm::tlm_sync_enum cache_responds(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay);
    void request_ended(tlm::tlm_generic_payload&) override { access_process_.wake(); }
    void response_arrived() override { respond_process_.wake(); }

    void respond();
    void write_back();
    unsigned ready_clients(std::uint64_t now) const;
    void choose(int c, std::uint64_t now);
    void arrived(warp_instruction& inst);
    void complete(warp_instruction& inst);
    void retire(warp_instruction& inst);

    void access();
    bool start_shared(warp_instruction& inst);
    bool start_cached(warp_instruction& inst, protocol::cache_port_initiator<ldst_unit>& cache,
                      unsigned at_most);
    bool start_global(warp_instruction& inst);
    bool leave(warp_instruction& inst);

    scoreboard& scores_;
    operand_collector& collector_;
    shared_memory& shared_;

    // response side
    warp_instruction* writing_ = nullptr;  // whose registers are written next
    unsigned first_unwritten_ = 0;
    bool writing_shared_ = false;
    int next_client_ = 0;
    std::array<tlm::tlm_generic_payload*, clients> ready_{};  // presented by the caches

    // access side
    latch dispatched_;
    simulation::clocked_process* dispatcher_ = nullptr;

    simulation::clocked_process respond_process_;
    simulation::clocked_process access_process_;
};

}  // namespace simtlm::core::simt_pipeline

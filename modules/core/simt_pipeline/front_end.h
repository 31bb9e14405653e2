// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/core_statistics.h"
#include "modules/core/scoreboard.h"
#include "modules/core/sm_identity.h"
#include "modules/core/warp_instruction.h"
#include "modules/protocol/sockets.h"
#include "modules/simulation/clocked_process.h"
#include "modules/support/archive_fwd.h"

namespace simtlm::core::simt_pipeline {

/// Instruction fetch and decode of an SM (GPGPU-Sim manual: Fetch and Decode).
///
/// Each of the -gpgpu_inst_fetch_throughput rounds of a cycle first decodes the instructions
/// fetched by the previous round, two consecutive ones of the warp into its instruction buffer. It
/// then fetches 16 bytes at the program counter from the L1I, for the next warp in round-robin
/// order that has an empty buffer and no outstanding miss. Warps also exit in this stage: a warp
/// that has issued its last instruction exits when its pipeline is empty, its registers are written
/// and its stores are acknowledged.
class front_end : public sc_core::sc_module {
public:
    protocol::cache_port_initiator<front_end> icache;

    /// Is notified when a warp has exited.
    struct listener {
        virtual ~listener() = default;
        virtual void warp_exits(unsigned warp) = 0;
    };
    /// References to the parts of the SM that the block uses.
    struct blocks {
        listener& owner;
        const requester_identity& identity;
        warp_table& warps;
        const scoreboard& scores;
        protocol::transaction_pool& transactions;
        core_statistics& statistics;
    };
    front_end(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
              const sm_config& config, const blocks& sm);
    ~front_end() override;
    const char* kind() const override { return "front_end"; }

    void wake() { process_.wake(); }
    /// Saves or restores the state that persists across kernels, of an idle block.
    void checkpoint(support::archive& a);

    /// Fetches so far, and the last one, for waveforms.
    struct fetch_probe {
        std::uint64_t fetches = 0, hits = 0, misses = 0, reservation_failures = 0;
        std::uint32_t warp = 0;
        std::uint64_t pc = 0;
    };
    const fetch_probe& probe() const { return probe_; }

private:
    static constexpr unsigned fetch_bytes = 16;                 // bytes per fetch, by hardware
    static constexpr std::uint64_t program_start = 0xF0000000;  // as in GPGPU-Sim

    tlm::tlm_sync_enum respond(int id, tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
    void cycle();
    void decode();
    void fetch();
    void access(unsigned warp);
    /// Warps that have ended and may have left the pipeline.
    warp_mask leaving() const {
        return sm_.warps.done & sm_.warps.resident & sm_.warps.may_have_left;
    }
    bool may_exit(unsigned warp) const;
    tlm::tlm_generic_payload& request_for(unsigned warp);

    const sm_config& config_;
    blocks sm_;
    int fetched_ = -1;  // warp whose instructions are in the fetch buffer
    unsigned last_ = 0;
    tlm::tlm_generic_payload* spare_ = nullptr;      // reusable request: its last use needed no
                                                     // response
    tlm::tlm_generic_payload* presented_ = nullptr;  // a miss whose response is being presented
    fetch_probe probe_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::simt_pipeline

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/coalescer.h"
#include "modules/core/core_config.h"
#include "modules/core/core_statistics.h"
#include "modules/core/simt_pipeline/instruction_sockets.h"
#include "modules/support/ring_buffer.h"

#include <systemc>

namespace simtlm::core::simt_pipeline {

/// The banked shared memory of an SM: bank conflict rules, and the pipeline of loads.
///
/// An access takes as many cycles as the busiest bank has distinct words (GPGPU-Sim manual: Shared
/// Memory). With limited broadcast, one word per group of lanes is broadcast and every other lane
/// counts separately. Loads then spend -gpgpu_smem_latency cycles in a pipeline whose head waits
/// for the write-back port.
class shared_memory : public sc_core::sc_module {
public:
    /// Input of loads after their conflict cycles. @pre can_accept()
    instruction_target<shared_memory> load;

    shared_memory(const sc_core::sc_module_name& name, const sm_config& config);
    const char* kind() const override { return "shared_memory"; }

    /// Number of cycles for which an access occupies the banks, at least 1.
    unsigned conflict_cycles(const lane_addresses& lanes) const;

    bool can_accept() const { return !pipeline_.full(); }
    bool empty() const { return pipeline_.empty(); }
    /// The core cycle from which the head may be written back. @pre !empty()
    std::uint64_t ready_at() const { return pipeline_.front().ready_at; }
    warp_instruction& head() { return *pipeline_.front().inst; }
    /// Removes the head. @param now  core cycle
    void pop(std::uint64_t now);

    /// Width of the banks together.
    unsigned row_bytes() const { return config_.shared.banks * word_bytes; }

    /// Sets the current core cycle; call before every transfer through `load`.
    void set_now(std::uint64_t now) { now_ = now; }

    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(now_);
    }

private:
    static constexpr unsigned word_bytes = 4;
    struct entry {
        warp_instruction* inst = nullptr;
        std::uint64_t ready_at = 0;
    };
    tlm::tlm_sync_enum accept(warp_instruction& inst, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);

    const sm_config& config_;
    support::ring_buffer<entry> pipeline_;
    std::uint64_t now_ = 0;
};

}  // namespace simtlm::core::simt_pipeline

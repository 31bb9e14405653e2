// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/engine_config.h"
#include "modules/core/sub_core_pipeline/sub_core.h"
#include "modules/core/sub_core_pipeline/sub_core_statistics.h"
#include "modules/core/warp_table.h"
#include "modules/simulation/clocked_process.h"

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

namespace simtlm::core::sub_core_pipeline {

/// Holds the warps of an SM that wait at an mbarrier in its shared memory (mbarrier.try_wait) until
/// the phase is complete. A wait in a loop that only waits has no time limit, so that a phase that
/// is never completed is reported as a deadlock with the names of the warps. Other waits, and those
/// of warps whose other lanes could continue, end after mbarrier_config::time_limit.
///
/// Action: retries the waits after mbarriers have changed (core_write_back).
class mbarrier_unit : public sc_core::sc_module {
public:
    /// References to the parts of the SM that the unit uses.
    struct blocks {
        warp_table& warps;
        sub_core_statistics& statistics;
        std::vector<sub_core*> sub_cores;
    };
    mbarrier_unit(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
                  const mbarrier_config& config, const blocks& sm);
    const char* kind() const override { return "mbarrier_unit"; }

    /// Suspends a warp that has issued a wait for an incomplete phase, in phase core_issue.
    void suspend(warp_instruction& inst, bool has_time_limit, std::uint64_t now);
    /// An mbarrier in shared memory changes in a core cycle, from which on waits may succeed.
    void changes(std::uint64_t at);
    /// Ends all waits, whose warps have ended.
    void end_waits(std::uint64_t now);
    /// Whether a warp is suspended.
    bool waits(unsigned warp) const;
    /// Describes what a warp that waits() waits for, for a deadlock report.
    std::string why_waiting(unsigned warp) const;
    /// Number of waiting warps.
    std::size_t waiting() const { return waiting_.size(); }

private:
    struct suspended {
        warp_instruction* inst;
        std::uint64_t since;
        std::uint64_t until;  // time limit; core cycle
    };
    void retry();
    void retry_all(std::uint64_t now);

    const mbarrier_config config_;
    blocks sm_;
    std::vector<suspended> waiting_;       // in order of issue
    std::vector<std::uint64_t> retry_at_;  // core cycles, ascending
    simulation::clocked_process retry_process_;
};

}  // namespace simtlm::core::sub_core_pipeline

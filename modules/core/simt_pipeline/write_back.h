// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_statistics.h"
#include "modules/core/scoreboard.h"
#include "modules/core/simt_pipeline/instruction_sockets.h"
#include "modules/core/simt_pipeline/operand_collector.h"

namespace simtlm::core::simt_pipeline {

/// The write-back stage: every instruction in the EX_WB registers writes its results, releases its
/// registers in the scoreboard and is complete. All of them are processed in one cycle, in issue
/// order; the result bus, reserved at dispatch, limits their number to the number of registers.
class write_back : public sc_core::sc_module {
    void accept(warp_instruction& inst);

public:
    instruction_fan_in<write_back, &write_back::accept> results;

    /// @param units  maximum number of instructions that complete in a cycle
    write_back(const sc_core::sc_module_name& name, simulation::phase_sequencer& sequencer,
               unsigned units, warp_table& warps, scoreboard& scores, operand_collector& collector,
               warp_instruction_pool& pool, core_statistics& statistics);
    const char* kind() const override { return "write_back"; }

    bool idle() const { return registers_.empty(); }

private:
    void cycle();

    warp_table& warps_;
    scoreboard& scoreboard_;
    operand_collector& collector_;
    warp_instruction_pool& pool_;
    core_statistics& statistics_;
    std::vector<warp_instruction*> registers_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::simt_pipeline

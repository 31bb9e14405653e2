// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/sub_core_pipeline/execution_stage.h"
#include "modules/core/sub_core_pipeline/register_cache.h"
#include "modules/core/sub_core_pipeline/register_file.h"
#include "modules/core/sub_core_pipeline/sub_core_slots.h"
#include "modules/core/sub_core_pipeline/warpgroup_unit.h"

#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// Operand read of fixed-latency instructions: the control stage, and the allocate stage, in which
/// an instruction stays until the read ports of the register file are free (Huerta et al., section
/// 5.3).
///
/// Action: allocate (core_operands).
class operand_stage {
public:
    operand_stage(simulation::phase_sequencer& sequencer, sub_core_slots& slots,
                  register_file& registers, execution_stage& execution);

    /// Sets the unit whose warpgroup products read the same registers.
    void set_warpgroups(warpgroup_unit& products) { warpgroups_ = &products; }
    /// Whether the control stage is free.
    bool can_accept() const { return control_.inst == nullptr; }
    /// Accepts an instruction that issues. @pre can_accept()
    void accept(warp_instruction& inst, std::uint64_t now) {
        control_ = {&inst, now};
        process_.wake();
    }
    bool idle() const { return control_.inst == nullptr && allocate_.inst == nullptr; }
    /// Saves or restores the state that persists across kernels, of an idle block.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(cache_);
    }

private:
    struct latch {
        warp_instruction* inst = nullptr;
        std::uint64_t entered = 0;
    };
    void cycle();
    bool try_allocate(warp_instruction& inst, std::uint64_t now);

    sub_core_slots& context_;
    register_file& registers_;
    execution_stage& execution_;
    warpgroup_unit* warpgroups_ = nullptr;  // uses read ports of the register file
    register_cache cache_;
    latch control_, allocate_;
    simulation::clocked_process process_;
};

}  // namespace simtlm::core::sub_core_pipeline

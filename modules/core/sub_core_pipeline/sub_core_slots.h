// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/core_config.h"
#include "modules/core/core_statistics.h"
#include "modules/core/running_cycles.h"
#include "modules/core/scoreboard.h"
#include "modules/core/sub_core_pipeline/issue_scheduler.h"
#include "modules/core/sub_core_pipeline/sm_timing.h"
#include "modules/core/sub_core_pipeline/sub_core_statistics.h"
#include "modules/core/warp_table.h"
#include "modules/simulation/clocked_process.h"

#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

inline constexpr unsigned machine_code_bytes = 16;  // per instruction, since Volta
inline constexpr unsigned operand_read_cycles = 5;  // issue, control, allocate, reads

/// References to the parts of the SM that the stages of a sub-core use.
struct sub_core_context {
    const sm_config& config;
    const sm_timing& timing;
    const running_cycles& running;
    warp_table& warps;
    scoreboard& scores;
    warp_instruction_pool& pool;
    core_statistics& statistics;
    sub_core_statistics& stages;
};

/// The warp slots of one sub-core, shared by its stages as the warp_table is by the blocks of an
/// SM. Warp w of the SM is in slot w / n of sub-core w % n.
struct sub_core_slots : sub_core_context {
    sub_core_slots(const sub_core_context& sm, unsigned of)
        : sub_core_context(sm), number(of), scheduler(timing.policy) {}

    const unsigned number;  ///< of the sub-core
    issue_scheduler scheduler;
    slot_mask live = 0;                            ///< has instructions left to issue
    slot_mask valid = 0;                           ///< has a decoded instruction
    slot_mask dependent = 0;                       ///< its next instruction waits for another one
    slot_mask blocked = 0;                         ///< at a barrier, a fence, atomics, copies
    simulation::clocked_process* issue = nullptr;  ///< woken when an instruction may issue

    unsigned size() const { return (config.max_warps + config.schedulers - 1) / config.schedulers; }
    unsigned warp_of(unsigned slot) const { return slot * config.schedulers + number; }
    unsigned slot_of(unsigned warp) const { return warp / config.schedulers; }
    /// Whether an instruction issues according to its control bits.
    bool by_bits(const program::static_instruction& i) const {
        return timing.dependences == dependence_control::bits && i.control.present;
    }
    /// The class that determines unit and timing. Conversions from and to 64-bit types execute on
    /// the FP64 unit if the sub-cores share one, on GPUs where their throughput is that of FP64
    /// arithmetic, 2 results per cycle and SM; on other GPUs it is 16, that of the XU (CUDA C++
    /// Programming Guide, throughput of arithmetic instructions).
    program::scheduling_class class_of(const program::static_instruction& i) const {
        using program::scheduling_class;
        if (i.scheduling != scheduling_class::xu64) return i.scheduling;
        return timing.shared_fp64_interval != 0 ? scheduling_class::fp64 : scheduling_class::xu;
    }
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(scheduler, live, valid, dependent, blocked);
    }
};

}  // namespace simtlm::core::sub_core_pipeline

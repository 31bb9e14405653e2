// SPDX-License-Identifier: Apache-2.0
#include "modules/core/core_statistics.h"

#include "modules/core/warp_instruction.h"

namespace simtlm::core {

void count_completed(core_statistics& statistics, const warp_instruction& inst) {
    const unsigned lanes = inst.active_lanes();
    const auto cls = static_cast<unsigned>(inst.info->cls);
    ++statistics.warp_instructions;
    statistics.thread_instructions += lanes;
    ++statistics.warp_instructions_by_class[cls];
    statistics.thread_instructions_by_class[cls] += lanes;
}

void count_memory_instruction(core_statistics& s, const warp_instruction& inst) {
    ++s.ldst_instructions;
    const unsigned lanes = inst.active_lanes();
    switch (inst.space) {
        case program::memory_space::shared:
            s.shared_insn += lanes;
            break;
        case program::memory_space::constant:
            s.constant_insn += lanes;
            break;
        case program::memory_space::texture:
            s.texture_insn += lanes;
            break;
        case program::memory_space::global:
        case program::memory_space::local:
            (inst.info->is_store ? s.store_insn : s.load_insn) += lanes;
            break;
        default:
            break;
    }
}

}  // namespace simtlm::core

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/next_instruction.h"

#include "modules/core/modern/sm.h"

namespace simtlm::core {

const program::dynamic_instruction* next_instruction(const multiprocessor& sm, unsigned warp) {
    // In the modern core, the sub-cores have the instruction buffers.
    if (const auto* const modern = dynamic_cast<const modern::sm*>(&sm))
        return modern->next_instruction(warp);
    return sm.warps().warp[warp].ibuffer.head();
}

}  // namespace simtlm::core

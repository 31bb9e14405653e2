// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/functional/functional.h"
#include "modules/execution/ptx/instruction_descriptors.h"
#include "modules/execution/state/launch.h"
#include "platform/sampling/kernel_sampler.h"

namespace simtlm::device {

/// Traits that --sample groups launches by.
inline platform::kernel_traits traits_of(const execution::launch& l) {
    platform::kernel_traits traits;
    traits.name = l.kernel->name;
    traits.grid = l.grid;
    traits.block = l.block;
    traits.registers = l.kernel->registers;
    traits.shared_memory = static_cast<std::uint32_t>(l.kernel->allocated_shared(l.dynamic_shared));
    return traits;
}

/// Adds to the traits of a launch what it has executed; its memory is that of the allocations.
inline platform::kernel_traits traits_of(platform::kernel_traits traits,
                                         const execution::execution_summary& s,
                                         const execution::instruction_descriptors& code) {
    const auto ctas = static_cast<double>(traits.grid.volume());
    const auto all = static_cast<double>(s.warp_instructions);
    traits.instructions = all / ctas;
    traits.footprint = static_cast<double>(s.allocated_bytes) / ctas;
    for (const auto& count : s.by_instruction)
        if (count.instruction < code.size() && all != 0)
            traits.mix[static_cast<std::size_t>(code.of(count.instruction).cls)] +=
                static_cast<double>(count.warps) / all;
    return traits;
}

}  // namespace simtlm::device

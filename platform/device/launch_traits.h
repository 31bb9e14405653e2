// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/launch.h"
#include "platform/sampling/kernel_sampler.h"

namespace simtlm::device {

/// By what launches are grouped for --sample.
inline platform::kernel_traits traits_of(const execution::launch& l) {
    platform::kernel_traits traits;
    traits.name = l.kernel->name;
    traits.grid = l.grid;
    traits.block = l.block;
    traits.registers = l.kernel->registers;
    traits.shared_memory = static_cast<std::uint32_t>(l.kernel->allocated_shared(l.dynamic_shared));
    return traits;
}

}  // namespace simtlm::device

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/control_flow.h"
#include "modules/ptx/module.h"

#include <cstdint>

namespace simtlm::ptx {

/// What a CTA of an entry needs, callees included.
struct resource_demand {
    std::uint32_t registers = 0;     ///< 32-bit registers per thread, as a compiler would allocate
    std::uint64_t shared_bytes = 0;  ///< static shared memory per CTA
    std::uint64_t local_bytes = 0;   ///< frame of local variables per thread, deepest call chain
    std::uint64_t constant_bytes = 0;   ///< module's .const variables
    std::uint64_t parameter_bytes = 0;  ///< kernel parameters
};

/// Estimates an entry's demand: registers by liveness (the largest number of 32-bit registers alive
/// at once), memory by the layout of its variables.
resource_demand estimate_resources(const module& m, const function& entry);

}  // namespace simtlm::ptx

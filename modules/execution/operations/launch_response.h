// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/kernel_descriptor.h"

#include <cstdint>

namespace simtlm::execution {

/// The response to clusterlaunchcontrol.try_cancel in shared memory. The PTX manual leaves its
/// contents open; machine code reads them directly, as ptxas compiles query_cancel.
struct launch_response {
    static constexpr std::uint32_t cancelled = 1;  ///< bit of flags

    std::uint32_t x = 0;  ///< %ctaid.x of the first CTA of the cancelled cluster
    std::uint16_t y = 0;  ///< the same of y and z
    std::uint16_t z = 0;
    std::uint32_t flags = 0;  ///< 0: no launch was cancelled
    std::uint32_t unused = 0;

    /// @param block  index in the grid of the first CTA
    static launch_response of(const program::dim3& grid, std::uint64_t block) {
        launch_response r;
        r.x = static_cast<std::uint32_t>(block % grid.x);
        r.y = static_cast<std::uint16_t>(block / grid.x % grid.y);
        r.z = static_cast<std::uint16_t>(block / grid.x / grid.y);
        r.flags = cancelled;
        return r;
    }
};
static_assert(sizeof(launch_response) == 16);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"
#include "modules/ptx/types.h"

#include <cstdint>

namespace simtlm::execution {

/// Where a special register's value comes from: a place in a bank, a constant, what only depends on
/// the lane, or a handler that reads it when asked.
struct special_value {
    slot where = no_slot;
    unsigned width = 32;
    bool is_constant = false;
    std::uint64_t constant = 0;
    int lane_value = -1;  ///< constant_pool::lane_value
    handler read = nullptr;
    std::uint16_t detail = 0;
};

/// Shared memory in front of a kernel's variables that system software has from compute capability
/// 8.0 on: cooperative groups synchronise groups of several warps there. It is there for modules
/// that ask where it is.
struct reserved_shared {
    static constexpr std::uint32_t bytes = 1024;
    static constexpr std::uint32_t second = 512;  ///< %reserved_smem_offset_1
    static bool tells(ptx::special_register r) {
        return r >= ptx::special_register::reserved_smem_offset_begin &&
               r <= ptx::special_register::reserved_smem_offset_1;
    }
};

/// @param component  of %tid and its kin; the number of %pm, %envreg
special_value special_register_value(ptx::special_register r, unsigned component);

}  // namespace simtlm::execution

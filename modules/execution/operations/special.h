// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"
#include "modules/ptx/types.h"

#include <cstdint>

namespace simtlm::execution {

/// Source of a special register's value: a position in a bank, a constant, a value that only
/// depends on the lane, or a handler that reads it on demand.
struct special_value {
    operand_ref where = no_operand;
    unsigned width = 32;
    bool is_constant = false;
    std::uint64_t constant = 0;
    int lane_value = -1;  ///< constant_pool::lane_value
    handler read = nullptr;
    std::uint16_t detail = 0;
};

/// Shared memory before a kernel's variables that is reserved by system software since compute
/// capability 8.0: cooperative groups use it to synchronise groups of several warps. Only present
/// for modules that read its location.
struct reserved_shared {
    static constexpr std::uint32_t bytes = 1024;
    static constexpr std::uint32_t second = 512;  ///< %reserved_smem_offset_1
    static bool contains(ptx::special_register r) {
        return r >= ptx::special_register::reserved_smem_offset_begin &&
               r <= ptx::special_register::reserved_smem_offset_1;
    }
};

/// @param component  of a special register with components; number of %pm, %envreg
special_value special_register_value(ptx::special_register r, unsigned component);

}  // namespace simtlm::execution

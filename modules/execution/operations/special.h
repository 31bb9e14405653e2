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

/// @param component  of %tid and its kin; the number of %pm, %envreg
special_value special_register_value(ptx::special_register r, unsigned component);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

#include <string>

namespace simtlm::execution {

/// Location of an argument of a runtime function.
struct runtime_argument {
    static constexpr operand_ref registers = 0;  ///< a row of words or double words
    static constexpr operand_ref memory = 1;     ///< the frame's local memory
    static constexpr operand_ref rows = 2;       ///< a row of words, or that row and the next one
};

/// The handler of a function of the device runtime: vprintf, __assertfail, malloc, free, those
/// that launch kernels (__cudaCDP2LaunchDeviceV2, ...); nullptr for other names. list: for every
/// argument, then for every result: runtime_argument; its offset or operand; its bytes. detail:
/// number of arguments; immediate: number of results
handler runtime_function(const std::string& name);

}  // namespace simtlm::execution

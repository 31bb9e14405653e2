// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

#include <string>

namespace simtlm::execution {

/// Where an argument of a function of the runtime lies.
struct runtime_argument {
    static constexpr slot registers = 0;  ///< a row of words or double words
    static constexpr slot memory = 1;     ///< the frame's local memory
    static constexpr slot rows = 2;       ///< a row of words, or the row and that behind it
};

/// A function that the device runtime provides: vprintf, __assertfail, malloc, free; nullptr: none
/// of that name. list: for every argument, then for every result: runtime_argument; its offset or
/// slot; its bytes. detail: number of arguments; immediate: of results
handler runtime_function(const std::string& name);

}  // namespace simtlm::execution

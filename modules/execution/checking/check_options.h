// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace simtlm::execution {

/// Checks that are performed while a program runs, in addition to those that always end it.
struct check_options {
    bool memory = false;  ///< unused space between allocations; freed memory is not reused
    bool races = false;   ///< data races in shared memory
    bool init = false;    ///< reads of memory and registers that have not been written
    bool log = false;     ///< not a check: instructions are written to the execution_log

    bool any() const { return memory || races || init; }
    /// Whether the program must be lowered with checking operations.
    bool instruments() const { return races || init; }
};

/// @param words  a subset of "memory,races,init", or "all"
/// @throws support::user_error  for any other word
check_options parse_checks(std::string_view words);

}  // namespace simtlm::execution

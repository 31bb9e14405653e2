// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace simtlm::execution {

/// What is looked for while a program runs, beyond what always ends it.
struct check_options {
    bool memory = false;  ///< room between allocations; freed memory stays freed
    bool races = false;   ///< of shared memory
    bool init = false;    ///< reads of memory and registers that nothing has written
    bool log = false;     ///< not a check: every instruction stands in the execution_log

    bool any() const { return memory || races || init; }
    /// The program has to be lowered with operations that look.
    bool instruments() const { return races || init; }
};

/// @param words  "memory,races,init", or some of them, or "all"
/// @throws kernel::user_error  another word
check_options parse_checks(std::string_view words);

}  // namespace simtlm::execution

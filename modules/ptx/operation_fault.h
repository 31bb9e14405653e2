// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/operation.h"

#include <string>

namespace simtlm::ptx {

/// What is wrong with modifiers that the signature table allows one by one but not together.
struct operation_fault {
    std::string what;  ///< empty: nothing
    std::string expected;
};

/// @param version  PTX ISA version as major * 10 + minor; old ones ask for less
operation_fault fault_of(const operation& o, unsigned version);

}  // namespace simtlm::ptx

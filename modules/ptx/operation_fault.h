// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/operation.h"

#include <string>

namespace simtlm::ptx {

/// Error in a combination of modifiers that the signature table permits individually.
struct operation_fault {
    std::string what;  ///< empty: no error
    std::string expected;
};

/// @param version  PTX ISA version as major * 10 + minor; old versions require less
operation_fault fault_of(const operation& o, unsigned version);

}  // namespace simtlm::ptx

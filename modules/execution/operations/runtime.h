// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/operation.h"

#include <string>

namespace simtlm::execution {

/// A function that the device runtime provides: vprintf, __assertfail, malloc, free; nullptr: none
/// of that name. list: for every argument, then for every result: 1 if it lies in the frame's
/// local memory; its offset or slot; its bytes. detail: number of arguments; immediate: of results
handler runtime_function(const std::string& name);

}  // namespace simtlm::execution

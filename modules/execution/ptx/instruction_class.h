// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/ptx/operation.h"

namespace simtlm::execution {

/// Class of an instruction for reports: "integer", "single precision", "global memory", ...
const char* class_of(const ptx::operation& o);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/execution/common/operation.h"

namespace simtlm::execution {

struct warp;

/// tensormap.replace. source[0], immediate, detail: address of the tensor map; source[1]: new
/// values; list: the field (ptx::mode), the dimension, and the bits of a value.
const operation* replace_tensor_map_field(warp& w, const operation* op);

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/cache/replacement_policy.h"

namespace simtlm::cache {

/// FIFO: the line that was allocated first.
class first_in_first_out : public replacement_policy {};

}  // namespace simtlm::cache

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/support/statistics.h"

#include <vector>

namespace simtlm::core {

/// The counters that SMs of all pipelines register besides those of their caches.
std::vector<support::counter_kind> sm_counter_kinds();

}  // namespace simtlm::core

// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sm_counters.h"

#include "modules/core/core_statistics.h"
#include "modules/core/dispatch_stage.h"
#include "modules/core/functional_unit.h"
#include "modules/core/modern/modern_statistics.h"

namespace simtlm::core {

std::vector<kernel::counter_kind> sm_counter_kinds() {
    using kernel::kind_of;
    return {kind_of<core_statistics>("sm", "An SM"),
            kind_of<dispatch_stage::statistics>("dispatch", "Dispatch stage of an SM"),
            kind_of<functional_unit::statistics>("unit_{unit}", "A functional unit"),
            kind_of<modern::modern_statistics>("modern", "Sub-cores of an SM of the modern core")};
}

}  // namespace simtlm::core

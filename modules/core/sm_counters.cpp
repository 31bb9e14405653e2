// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sm_counters.h"

#include "modules/core/core_statistics.h"
#include "modules/core/simt_pipeline/dispatch_stage.h"
#include "modules/core/simt_pipeline/functional_unit.h"
#include "modules/core/sub_core_pipeline/sub_core_statistics.h"

namespace simtlm::core {

std::vector<support::counter_kind> sm_counter_kinds() {
    using support::kind_of;
    return {
        kind_of<core_statistics>("sm", "An SM"),
        kind_of<simt_pipeline::dispatch_stage::statistics>("dispatch", "Dispatch stage of an SM"),
        kind_of<simt_pipeline::functional_unit::statistics>("unit_{unit}", "A functional unit"),
        kind_of<sub_core_pipeline::sub_core_statistics>("modern", "Sub-cores of an SM")};
}

}  // namespace simtlm::core

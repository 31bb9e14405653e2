// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/log_instruction.h"

#include "modules/execution/state/execution_log.h"
#include "modules/execution/state/launch.h"
#include "modules/execution/state/warp.h"

namespace simtlm::execution {

const operation* log_instruction(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    execution_log* const log = w.launch->world.log;
    if (log != nullptr && lanes != 0) log->executed(w, op, lanes);
    return op + 1;
}

}  // namespace simtlm::execution

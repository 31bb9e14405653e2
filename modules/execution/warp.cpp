// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/warp.h"

#include "modules/execution/thread_block.h"

namespace simtlm::execution {

const operation* warp::resume() {
    if (stack.done()) {
        active = 0;
        block->warp_ended(*this);
        return stop(nullptr, warp_status::done);
    }
    const simt_stack::entry& top = stack.top();
    active = top.lanes;
    banks[0] = frames[top.call_depth].get();
    local_base = local_bases[top.call_depth];
    const operation* const to = code + top.pc;
    if (--turn <= 0) return stop(to, warp_status::preempted);
    come(to);
    return to;
}

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/warp.h"

#include "modules/execution/thread_block.h"

namespace simtlm::execution {

warp_control::~warp_control() = default;

const operation* warp::end() {
    active = 0;
    block->warp_ended(*this);
    return stop(nullptr, warp_status::done);
}

}  // namespace simtlm::execution

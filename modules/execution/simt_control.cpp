// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/simt_control.h"

#include "modules/execution/program_image.h"
#include "modules/execution/warp.h"

#include <cstring>

namespace simtlm::execution {

void simt_control::start(warp& w, const kernel_image& kernel) {
    deepen(0);
    if (sizes[0] != kernel.frame_bytes) {
        frames[0] = make_lane_buffer(kernel.frame_bytes);
        sizes[0] = kernel.frame_bytes;
    }
    std::byte* const registers = frames[0].get();
    std::memset(registers, 0, kernel.frame_bytes);
    std::memcpy(registers, &all_lanes, sizeof all_lanes);
    w.banks[static_cast<unsigned>(bank::frame)] = registers;
    w.local_base = 0;
    local_tops[0] = kernel.own_local;
    stack.launch(kernel.first, w.members);
}

lane_mask simt_control::live_lanes() const {
    lane_mask alive = 0;
    for (const simt_stack::entry& e : stack.entries()) alive |= e.lanes;
    return alive;
}

void simt_control::deepen(std::size_t depth) {
    while (frames.size() <= depth) {
        frames.emplace_back();
        sizes.push_back(0);
        local_bases.push_back(0);
        local_tops.push_back(0);
    }
}

const operation* simt_control::resume(warp& w) {
    if (stack.done()) return w.end();
    const simt_stack::entry& top = stack.top();
    w.active = top.lanes;
    w.banks[static_cast<unsigned>(bank::frame)] = frames[top.call_depth].get();
    w.local_base = local_bases[top.call_depth];
    return w.go_on(w.code + top.pc);
}

}  // namespace simtlm::execution

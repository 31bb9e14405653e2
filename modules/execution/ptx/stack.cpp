// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/ptx/stack.h"

#include "modules/execution/ptx/simt_control.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/thread_block.h"

#include <fmt/format.h>

#include <algorithm>

namespace simtlm::execution {

namespace {
std::uint64_t value_of(const warp& w, operand_ref s, unsigned lane, unsigned bits) {
    return bits > 32 ? lanes_at<std::uint64_t>(w, s)[lane] : lanes_at<std::uint32_t>(w, s)[lane];
}
void set_all(warp& w, const operation* op, std::uint32_t value) {
    for_lanes(w.lanes_of(op), [&](unsigned i) {
        if (op->detail > 32)
            lanes_at<std::uint64_t>(w, op->destination)[i] = value;
        else
            lanes_at<std::uint32_t>(w, op->destination)[i] = value;
    });
}
std::uint32_t& top_of(warp& w) {
    auto& control = static_cast<simt_control&>(*w.control);
    return control.local_tops[control.stack.top().frame];
}
}  // namespace

const operation* stack_allocate(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    std::uint64_t bytes = 0;
    for_lanes(lanes, [&](unsigned i) {
        bytes = std::max(bytes, value_of(w, op->source[0], i, op->detail));
    });
    const auto alignment = static_cast<std::uint64_t>(std::max<std::int64_t>(op->immediate, 4));
    const std::uint64_t begin = (top_of(w) + alignment - 1) / alignment * alignment;
    if (begin + bytes > w.local_bytes)
        w.block->fail(w, op, static_cast<unsigned>(__builtin_ctz(lanes)),
                      fmt::format("stack overflow: {} bytes asked for, {} of {} in use", bytes,
                                  begin, w.local_bytes),
                      "raise -gpgpu_stack_size_limit");
    top_of(w) = static_cast<std::uint32_t>(begin + bytes);
    set_all(w, op, static_cast<std::uint32_t>(begin));
    return op + 1;
}

const operation* stack_save(warp& w, const operation* op) {
    set_all(w, op, top_of(w));
    return op + 1;
}

const operation* stack_restore(warp& w, const operation* op) {
    const lane_mask lanes = w.lanes_of(op);
    if (lanes == 0) return op + 1;
    std::uint64_t top = 0;
    for_lanes(lanes,
              [&](unsigned i) { top = std::max(top, value_of(w, op->source[0], i, op->detail)); });
    top_of(w) = static_cast<std::uint32_t>(std::min<std::uint64_t>(top, w.local_bytes));
    return op + 1;
}

}  // namespace simtlm::execution

// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/video_operations.h"

#include "modules/execution/arithmetic/video.h"
#include "modules/execution/state/lanes.h"

namespace simtlm::execution {

namespace {
template <class Description>
const operation* video(warp& w, const operation* op) {
    const auto& what = *reinterpret_cast<const Description*>(op->immediate);
    const auto* const a = lanes_at<std::uint32_t>(w, op->source[0]);
    const auto* const b = lanes_at<std::uint32_t>(w, op->source[1]);
    const auto* const c = lanes_at<std::uint32_t>(w, op->source[2]);
    auto* const to = lanes_at<std::uint32_t>(w, op->destination);
    for_lanes(w.lanes_of(op),
              [&](unsigned i) { to[i] = arithmetic::apply(what, a[i], b[i], c[i]); });
    return op + 1;
}
}  // namespace

const operation* scalar_video_operation(warp& w, const operation* op) {
    return video<arithmetic::scalar_video>(w, op);
}
const operation* simd_video_operation(warp& w, const operation* op) {
    return video<arithmetic::simd_video>(w, op);
}
const operation* video_multiply_add(warp& w, const operation* op) {
    return video<arithmetic::video_mad>(w, op);
}

}  // namespace simtlm::execution

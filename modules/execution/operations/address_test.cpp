// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/address_test.h"

#include "modules/execution/state/lanes.h"
#include "modules/execution/state/thread_block.h"
#include "modules/ptx/types.h"

namespace simtlm::execution {

namespace {

/// Whether an address is in the shared memory of the CTA itself.
bool is_own(const thread_block& b, device_address a) {
    return address_windows::in_shared(a) ||
           a - address_windows::in_rank(b.rank(), 0) < address_windows::cluster_stride;
}

bool lies_in(const warp& w, ptx::state_space s, ptx::space_window window, device_address a) {
    const launch_context& l = *w.launch;
    switch (s) {
        case ptx::state_space::shared:
            return is_own(*w.block, a) ||
                   (window == ptx::space_window::cluster && address_windows::in_cluster(a));
        case ptx::state_space::local:
            return address_windows::in_local(a);
        case ptx::state_space::param:
            return address_windows::in_param(a);
        case ptx::state_space::const_:
            return l.image.is_constant(a);
        default:
            return address_windows::in_global(a) && !l.image.is_constant(a);
    }
}

}  // namespace

const operation* test_address_space(warp& w, const operation* op) {
    const auto* const a = lanes_at<std::uint64_t>(w, op->source[0]);
    lane_mask& to = w.mask_at(op->destination);
    const lane_mask lanes = w.lanes_of(op);
    lane_mask hit = 0;
    for_lanes(lanes, [&](unsigned i) {
        const bool in = lies_in(w, static_cast<ptx::state_space>(op->detail & 0xff),
                                static_cast<ptx::space_window>(op->detail >> 8), a[i]);
        hit |= static_cast<lane_mask>(in) << i;
    });
    to = (to & ~lanes) | hit;
    return op + 1;
}

}  // namespace simtlm::execution

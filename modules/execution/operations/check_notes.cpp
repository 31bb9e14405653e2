// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/matrix_operations.h"
#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/lane_addresses.h"
#include "modules/execution/state/thread_block.h"

namespace simtlm::execution {

namespace {
race_detector* races_of(const warp& w) {
    block_checks* const checks = w.block->checks();
    return checks == nullptr ? nullptr : checks->races();
}
}  // namespace

async_proxy* proxy_of(const warp& w) {
    block_checks* const checks = w.block->checks();
    return checks == nullptr ? nullptr : checks->proxy();
}

const operation* note_fence(warp& w, const operation* op) {
    race_detector* const races = races_of(w);
    if (races != nullptr && w.lanes_of(op) != 0) races->fence(w.index);
    return op + 1;
}

const operation* note_proxy_fence(warp& w, const operation* op) {
    if (async_proxy* const proxy = proxy_of(w); proxy != nullptr && w.lanes_of(op) != 0)
        proxy->fence(w.block->checks()->number_of(w));
    return op + 1;
}

const operation* note_bulk_commit(warp& w, const operation* op) {
    if (async_proxy* const proxy = proxy_of(w); proxy != nullptr && w.lanes_of(op) != 0)
        proxy->close_group(w.block->checks()->number_of(w), async_proxy::engine::bulk_copy);
    return op + 1;
}

const operation* note_bulk_wait(warp& w, const operation* op) {
    if (async_proxy* const proxy = proxy_of(w); proxy != nullptr && w.lanes_of(op) != 0)
        proxy->groups_complete(w.block->checks()->number_of(w), async_proxy::engine::bulk_copy,
                               static_cast<std::uint64_t>(op->immediate));
    return op + 1;
}

const operation* note_warp_sync(warp& w, const operation* op) {
    race_detector* const races = races_of(w);
    if (races != nullptr && w.lanes_of(op) != 0) races->warp_sync(w.index);
    return op + 1;
}

const operation* note_mbarrier(warp& w, const operation* op) {
    block_checks* const checks = w.block->checks();
    const lane_mask lanes = w.lanes_of(op);
    if (checks == nullptr || lanes == 0) return op + 1;
    alignas(64) address_lanes address;
    compute_addresses(w, op, lanes, address);
    const bool shared_space = access_detail::space_of(op) == space::shared;
    std::uint64_t before = ~std::uint64_t{0};
    for_lanes(lanes, [&](unsigned i) {
        if (address[i] == before) return;
        before = address[i];
        checks->note_mbarrier(w, checks->place_of(before, shared_space), op->source[1]);
    });
    return op + 1;
}

const operation* check_segments(warp& w, const operation* op) {
    const operation* const access = op + 1;
    block_checks* const checks = w.block->checks();
    if (checks == nullptr || w.lanes_of(op) == 0) return access;
    const auto visitor = [&](space s, bool writes) {
        return [=, &w](unsigned lane, device_address a, std::uint32_t bytes) {
            checks->check(w, access, {lane, a, bytes, s == space::shared, !writes, writes});
        };
    };
    const space s = access_detail::space_of(access);
    switch (const auto kind = static_cast<segment_access>(op->immediate)) {
        case segment_access::load_matrices:
        case segment_access::store_matrices:
            visit_matrix_rows(w, access, visitor(s, kind == segment_access::store_matrices));
            break;
        case segment_access::copy:
            visit_copy(w, access, visitor(space::generic, false), visitor(s, true));
            break;
        case segment_access::load_fragment:
        case segment_access::store_fragment:
            visit_fragment(w, access, visitor(s, kind == segment_access::store_fragment));
            break;
    }
    return access;
}

}  // namespace simtlm::execution

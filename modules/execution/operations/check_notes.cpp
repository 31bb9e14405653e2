// SPDX-License-Identifier: Apache-2.0
#include "modules/execution/checking/block_checks.h"
#include "modules/execution/machine/machine_operations.h"
#include "modules/execution/operations/asynchronous.h"
#include "modules/execution/operations/checks.h"
#include "modules/execution/operations/lane_addresses.h"
#include "modules/execution/operations/matrix_operations.h"
#include "modules/execution/ptx_image.h"
#include "modules/execution/thread_block.h"

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
    if (access->execute == load_matrices || access->execute == machine_load_matrices)
        visit_matrix_rows(w, access, visitor(s, false));
    else if (access->execute == store_matrices || access->execute == machine_store_matrices)
        visit_matrix_rows(w, access, visitor(s, true));
    else if (access->execute == copy_asynchronously)
        visit_copy(w, access, visitor(space::generic, false), visitor(s, true));
    else
        visit_fragment(w, access, visitor(s, access->execute == store_fragment));
    return access;
}

const operation* check_register(warp& w, const operation* op) {
    const lane_mask unwritten = w.lanes_of(op) & ~w.mask_at(op->source[0]);
    if (unwritten == 0) return op + 1;
    block_checks* const checks = w.block->checks();
    if (checks == nullptr) return op + 1;
    const auto& image = static_cast<const ptx_image&>(w.launch->image);
    const ptx::function& f = image.source().functions[image.origin_of(*op).function];
    const std::string name = f.register_name(static_cast<std::uint32_t>(op->immediate));
    for_lanes(unwritten, [&](unsigned i) { checks->unwritten_register(w, op, i, name); });
    return op + 1;
}

const operation* mark_register(warp& w, const operation* op) {
    w.mask_at(op->destination) |= w.lanes_of(op);
    return op + 1;
}

const operation* note_frame(warp& w, const operation* op) {
    block_checks* const checks = w.block->checks();
    if (checks == nullptr || checks->local() == nullptr) return op + 1;
    const auto& image = static_cast<const ptx_image&>(w.launch->image);
    const function_image& f = image.functions()[static_cast<std::size_t>(op->immediate)];
    written_map& map = *checks->local();
    const std::uint64_t base = w.index * std::uint64_t{w.local_bytes} * warp_size;
    for_lanes(w.active, [&](unsigned i) {
        const auto act = [&](auto what) {
            return [&map, what](std::uint64_t at, std::uint32_t n) {
                (map.*what)(at, n);
                return true;
            };
        };
        for_local_words(base, i, w.local_base, f.local_bytes, act(&written_map::clear));
        for_local_words(base, i, w.local_base, f.passed_bytes, act(&written_map::mark));
    });
    return op + 1;
}

}  // namespace simtlm::execution

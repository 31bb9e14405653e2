// SPDX-License-Identifier: Apache-2.0
// Checks of registers and local memory, which only PTX has.
#include "modules/execution/operations/checks.h"
#include "modules/execution/ptx/ptx_image.h"
#include "modules/execution/state/block_checks.h"
#include "modules/execution/state/lanes.h"
#include "modules/execution/state/thread_block.h"

namespace simtlm::execution {

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

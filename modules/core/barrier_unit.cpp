// SPDX-License-Identifier: Apache-2.0
#include "modules/core/barrier_unit.h"

#include <fmt/format.h>

namespace simtlm::core {

namespace {
constexpr unsigned threads_of_warp = 32;
}

barrier_unit::barrier_unit(warp_table& warps, unsigned ctas, unsigned barriers)
    : warps_(warps), ctas_(ctas) {
    for (cta_state& c : ctas_) c.barriers.resize(barriers + 1);
}

void barrier_unit::allocate(unsigned cta, warp_mask members) {
    cta_state& c = ctas_[cta];
    c.members = c.live = members;
    for (barrier& b : c.barriers) b = {};
}

void barrier_unit::deallocate(unsigned cta) {
    ctas_[cta].members = ctas_[cta].live = 0;
}

void barrier_unit::open_if_complete(cta_state& cta, barrier& b) {
    if (b.arrived == 0) return;
    const warp_mask present = b.arrived & cta.live;
    const bool complete =
        present == cta.live || (b.expected_threads != 0 && b.arrived_threads >= b.expected_threads);
    if (!complete) return;
    // A warp that arrived without waiting may be waiting at another barrier by now.
    warp_mask released = b.waiting & warps_.at_barrier;
    b = {};
    for (; released != 0; released &= released - 1)
        warps_.stops_waiting(warps_.at_barrier, static_cast<unsigned>(__builtin_ctzll(released)));
}

void barrier_unit::arrive(unsigned cta, unsigned warp, const barrier_request& request) {
    cta_state& c = ctas_[cta];
    const std::size_t named = c.barriers.size() - 1;
    const std::size_t id = request.id < 0 ? named : static_cast<std::size_t>(request.id) % named;
    barrier& b = c.barriers[id];
    b.arrived |= warp_bit(warp);
    b.arrived_threads += threads_of_warp;
    if (request.threads > 0) b.expected_threads = static_cast<std::uint32_t>(request.threads);
    if (request.kind != program::barrier_kind::arrive) {
        b.waiting |= warp_bit(warp);
        warps_.at_barrier |= warp_bit(warp);
    }
    open_if_complete(c, b);
}

void barrier_unit::warp_ended(unsigned cta, unsigned warp) {
    cta_state& c = ctas_[cta];
    c.live &= ~warp_bit(warp);
    for (barrier& b : c.barriers) open_if_complete(c, b);
}

std::string barrier_unit::describe(unsigned cta) const {
    const cta_state& c = ctas_[cta];
    std::string text;
    for (std::size_t i = 0; i < c.barriers.size(); ++i)
        if (c.barriers[i].arrived != 0)
            text += fmt::format(
                "    CTA slot {} barrier {}: arrived warps {:#x}, live warps {:#x}\n", cta,
                i + 1 == c.barriers.size() ? std::string("(unnamed)") : std::to_string(i),
                c.barriers[i].arrived, c.live);
    return text;
}

}  // namespace simtlm::core

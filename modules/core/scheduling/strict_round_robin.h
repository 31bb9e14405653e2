// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/scheduling_policy.h"

namespace simtlm::core {

/// Strict round robin: only one warp may issue in a cycle, the first one behind the warp that
/// issued last which neither has exited nor waits for a barrier or the like. That warp keeps its
/// place until it issues; one that begins to wait is passed over as long as it waits.
class strict_round_robin : public scheduling_policy {
public:
    strict_round_robin(const warp_table& warps, warp_mask mine) : warps_(warps), mine_(mine) {}
    warp_mask begin_cycle(warp_mask eligible) override {
        const warp_mask able = mine_ & warps_.resident & ~warps_.waiting();
        const warp_mask behind = last_ >= 63 ? 0 : able >> (last_ + 1) << (last_ + 1);
        const warp_mask candidates = behind != 0 ? behind : able;
        return eligible & candidates & (~candidates + 1);  // the lowest of them
    }
    unsigned first(warp_mask candidates) const override {
        return static_cast<unsigned>(__builtin_ctzll(candidates));
    }
    void issued(unsigned warp, unsigned) override { last_ = warp; }
    /// A warp of another scheduler's barrier may become able without an event of this scheduler.
    bool acts_when_idle() const override { return true; }

private:
    const warp_table& warps_;
    warp_mask mine_;
    unsigned last_ = 63;  // warp that issued last
};

}  // namespace simtlm::core

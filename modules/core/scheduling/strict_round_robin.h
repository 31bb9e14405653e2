// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/scheduling_policy.h"

namespace simtlm::core {

/// Strict round robin: one warp has the turn; it passes on when the warp has issued, has exited or
/// waits for a barrier or the like.
class strict_round_robin : public scheduling_policy {
public:
    strict_round_robin(const warp_table& warps, warp_mask mine) : warps_(warps), mine_(mine) {
        turn_ = static_cast<unsigned>(__builtin_ctzll(mine | warp_mask{1} << 63));
    }
    warp_mask begin_cycle(warp_mask eligible) override {
        const warp_mask able = mine_ & warps_.resident & ~warps_.waiting();
        if (issued_ || (able & warp_bit(turn_)) == 0) {
            if (able == 0) return 0;
            const warp_mask later = last_ >= 63 ? 0 : able >> (last_ + 1) << (last_ + 1);
            turn_ = static_cast<unsigned>(__builtin_ctzll(later != 0 ? later : able));
            issued_ = false;
        }
        return eligible & warp_bit(turn_);
    }
    unsigned first(warp_mask candidates) const override {
        return static_cast<unsigned>(__builtin_ctzll(candidates));
    }
    void issued(unsigned warp, unsigned) override {
        last_ = warp;
        issued_ = true;
    }
    bool acts_when_idle() const override { return true; }

private:
    const warp_table& warps_;
    warp_mask mine_;
    unsigned turn_ = 0;
    unsigned last_ = 63;
    bool issued_ = false;
};

}  // namespace simtlm::core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_pipeline/scheduling/greedy_then_oldest.h"

namespace simtlm::core::simt_pipeline {

/// Static warp limiting: greedy then oldest among a limited number of the oldest warps that do not
/// wait for a barrier or the like.
class warp_limiting : public greedy_then_oldest {
public:
    warp_limiting(const warp_table& warps, warp_mask mine, unsigned limit)
        : greedy_then_oldest(warps, mine, true), mine_(mine), limit_(limit) {}

    warp_mask begin_cycle(warp_mask eligible) override {
        warp_mask able = mine_ & warps_.resident & ~warps_.waiting();
        warp_mask chosen = warp_bit(last_);
        // The greedy warp is added to the limit unless it is among the oldest.
        for (unsigned n = 0; n < limit_ && able != 0; ++n) {
            unsigned oldest = static_cast<unsigned>(__builtin_ctzll(able));
            for (warp_mask m = able & (able - 1); m != 0; m &= m - 1) {
                const unsigned w = static_cast<unsigned>(__builtin_ctzll(m));
                if (warps_.warp[w].dynamic_id < warps_.warp[oldest].dynamic_id) oldest = w;
            }
            chosen |= warp_bit(oldest);
            able &= ~warp_bit(oldest);
        }
        return eligible & chosen;
    }

private:
    warp_mask mine_;
    unsigned limit_;
};

}  // namespace simtlm::core::simt_pipeline

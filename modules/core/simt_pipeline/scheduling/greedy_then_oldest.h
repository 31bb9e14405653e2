// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_pipeline/scheduling_policy.h"
#include "modules/support/archive_fwd.h"

namespace simtlm::core::simt_pipeline {

/// Greedy then oldest: the warp that issued last as long as it can, then the warp that was launched
/// first. Without `greedy`: oldest first.
class greedy_then_oldest : public scheduling_policy {
public:
    greedy_then_oldest(const warp_table& warps, warp_mask mine, bool greedy)
        : warps_(warps), greedy_(greedy) {
        last_ = mine == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(mine));
    }
    unsigned first(warp_mask candidates) const override {
        if (greedy_ && (candidates & warp_bit(last_)) != 0) return last_;
        unsigned oldest = static_cast<unsigned>(__builtin_ctzll(candidates));
        for (candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1) {
            const unsigned w = static_cast<unsigned>(__builtin_ctzll(candidates));
            if (warps_.warp[w].dynamic_id < warps_.warp[oldest].dynamic_id) oldest = w;
        }
        return oldest;
    }
    void issued(unsigned warp, unsigned) override { last_ = warp; }
    void checkpoint(support::archive& a) override;

protected:
    const warp_table& warps_;
    bool greedy_;
    unsigned last_;
};

}  // namespace simtlm::core::simt_pipeline

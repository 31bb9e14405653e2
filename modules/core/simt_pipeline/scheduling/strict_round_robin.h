// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_pipeline/scheduling_policy.h"
#include "modules/support/archive_fwd.h"

namespace simtlm::core::simt_pipeline {

/// Strict round robin: only one warp may issue in a cycle, the next one after the warp that issued
/// last that has not exited and does not wait for a barrier or the like. It keeps its priority
/// until it issues; if it begins to wait, it is skipped while it waits.
///
/// With the quirk rrr-begins-with-warp-0 every scheduler of an SM first tries warp 0, even if it
/// belongs to another scheduler, and keeps this choice until it has issued for the first time.
class strict_round_robin : public scheduling_policy {
public:
    strict_round_robin(const warp_table& warps, warp_mask mine, bool begins_with_warp_0)
        : warps_(warps), mine_(mine), keeps_choice_(begins_with_warp_0) {}
    warp_mask supervised(warp_mask mine) const override {
        return keeps_choice_ ? mine | warp_bit(0) : mine;
    }
    warp_mask begin_cycle(warp_mask eligible) override {
        const warp_mask able = warps_.resident & ~warps_.waiting();
        if (keeps_choice_ && (able & warp_bit(choice_)) != 0) return eligible & warp_bit(choice_);
        const warp_mask own = able & mine_;
        const warp_mask above_last = last_ >= 63 ? 0 : own >> (last_ + 1) << (last_ + 1);
        const warp_mask candidates = above_last != 0 ? above_last : own;
        if (candidates == 0) return 0;
        choice_ = static_cast<unsigned>(__builtin_ctzll(candidates));
        return eligible & warp_bit(choice_);
    }
    unsigned first(warp_mask candidates) const override {
        return static_cast<unsigned>(__builtin_ctzll(candidates));
    }
    void issued(unsigned warp, unsigned) override {
        if ((mine_ & warp_bit(warp)) != 0) last_ = warp;
        keeps_choice_ = false;
    }
    /// Barriers release warps without notifying the policy, so the choice is made in every cycle.
    bool acts_when_idle() const override { return true; }
    void checkpoint(support::archive& a) override;

private:
    const warp_table& warps_;
    warp_mask mine_;
    unsigned choice_ = 0;
    unsigned last_ = 63;  // own warp that issued last
    bool keeps_choice_;
};

}  // namespace simtlm::core::simt_pipeline

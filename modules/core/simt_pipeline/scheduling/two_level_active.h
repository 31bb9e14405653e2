// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/simt_pipeline/scheduling_policy.h"
#include "modules/support/archive_fwd.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace simtlm::core::simt_pipeline {

/// Two-level active scheduling (Gebhart et al.; GPGPU-Sim manual, two_level_active): a small set of
/// active warps issues in loose round-robin order. An active warp that waits, or whose next
/// instruction needs the result of a long operation, moves to the end of the pending warps and is
/// replaced by the first pending warp.
class two_level_active : public scheduling_policy {
public:
    /// @param active         size of the active set
    /// @param rotates_twice  each of two instructions that a warp issues in a cycle rotates the
    ///                       active warps, by the position that the warp had before (quirk
    ///                       two-level-rotates-twice)
    two_level_active(const warp_table& warps, const scoreboard& scores, warp_mask mine,
                     unsigned active, bool rotates_twice = false)
        : warps_(warps), scoreboard_(scores), rotates_twice_(rotates_twice) {
        for (; mine != 0; mine &= mine - 1) {
            const unsigned w = static_cast<unsigned>(__builtin_ctzll(mine));
            if (active_.size() < active)
                active_.push_back(w);
            else
                pending_.push_back(w);
        }
    }

    warp_mask begin_cycle(warp_mask eligible) override {
        const std::size_t places = active_.size();
        for (std::size_t i = 0; i < active_.size();) {
            if (demoted(active_[i])) {
                pending_.push_back(active_[i]);
                active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
        while (active_.size() < places) {
            active_.push_back(pending_.front());
            pending_.pop_front();
        }
        warp_mask chosen = 0;
        for (const unsigned w : active_) chosen |= warp_bit(w);
        return eligible & chosen;
    }

    unsigned first(warp_mask candidates) const override {
        for (const unsigned w : active_)
            if ((candidates & warp_bit(w)) != 0) return w;
        return static_cast<unsigned>(__builtin_ctzll(candidates));
    }

    /// The warp after the one that issued is tried first in the next cycle.
    void issued(unsigned warp, unsigned instructions) override {
        const auto at = std::find(active_.begin(), active_.end(), warp);
        if (at == active_.end()) return;
        const std::ptrdiff_t by = (at - active_.begin() + 1) *
                                  static_cast<std::ptrdiff_t>(rotates_twice_ ? instructions : 1);
        const auto size = static_cast<std::ptrdiff_t>(active_.size());
        std::rotate(active_.begin(), active_.begin() + by % size, active_.end());
    }
    bool acts_when_idle() const override { return true; }
    void checkpoint(support::archive& a) override;

private:
    bool demoted(unsigned w) const {
        if ((warps_.waiting() & warp_bit(w)) != 0 || (warps_.resident & warp_bit(w)) == 0)
            return true;
        const program::dynamic_instruction* next = warps_.warp[w].ibuffer.head();
        return next != nullptr && scoreboard_.waits_for_long_operation(w, *next->info);
    }

    const warp_table& warps_;
    const scoreboard& scoreboard_;
    bool rotates_twice_;
    std::vector<unsigned> active_;
    std::deque<unsigned> pending_;
};

}  // namespace simtlm::core::simt_pipeline

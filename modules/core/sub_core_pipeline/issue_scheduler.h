// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/program/control_bits.h"

#include <array>
#include <cstdint>

namespace simtlm::core::sub_core_pipeline {

/// A set of warp slots of one sub-core, bit s = slot s.
using slot_mask = std::uint32_t;
constexpr slot_mask slot_bit(unsigned slot) {
    return slot_mask{1} << slot;
}

/// Cycles from the issue of an instruction to the first cycle in which its warp may issue again, as
/// determined by the stall counter and the yield bit (Huerta et al., section 4.1): a stall above 11
/// without yield stalls for two cycles only, a stall of 0 with yield for 45 cycles, and yield alone
/// prevents issue in the next cycle.
constexpr unsigned issue_distance(unsigned stall, bool yield) {
    constexpr unsigned longest_without_yield = 11, shortened = 2, stall_0_with_yield = 45;
    if (yield) return stall == 0 ? stall_0_with_yield : stall < 2 ? 2 : stall;
    if (stall > longest_without_yield) return shortened;
    return stall == 0 ? 1 : stall;
}

/// The order in which the eligible warps of a sub-core issue.
enum class issue_policy : std::uint8_t {
    /// Compiler-guided greedy then youngest (Huerta et al., section 5.1): the warp that issued last
    /// continues while it is eligible, otherwise the youngest eligible warp issues. Turing and
    /// later.
    cggty,
    /// Loose round robin, as in Accel-Sim's configuration of the V100: the next eligible warp in
    /// the order of slots after the one that issued last.
    lrr,
    /// Greedy, then loose round robin: the warp that issued last continues while it is eligible, as
    /// the yield flag of Volta's control bits requests (Jia et al., Dissecting the NVIDIA Volta GPU
    /// Architecture via Microbenchmarking, 2018), otherwise as lrr.
    glrr,
};

/// Selects the warp of a sub-core that issues, from the stall counters of the warps and a policy.
/// Stall counters are decremented in every cycle; a warp is eligible at 0.
class issue_scheduler {
public:
    static constexpr unsigned max_slots = 32;
    static constexpr unsigned longest_stall = 63;  ///< cycles
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    explicit issue_scheduler(issue_policy policy = issue_policy::cggty) : policy_(policy) {}

    /// A warp has been placed, and is now the youngest.
    void warp_starts(unsigned slot);
    void warp_ends(unsigned slot);

    /// Prevents a warp from issuing before a cycle. @pre now < until <= now + longest_stall
    void stall(unsigned slot, std::uint64_t now, std::uint64_t until);
    /// Advances the stall counters to a cycle; cycles may be skipped.
    void advance(std::uint64_t now);
    slot_mask stalled() const { return stalled_; }
    /// First cycle after `now` in which a stall counter reaches 0; never: no counter is running.
    std::uint64_t next_release(std::uint64_t now) const;

    /// Cycles until the stall counter of a warp reaches 0.
    unsigned stall_left(unsigned slot, std::uint64_t now) const {
        for (unsigned ahead = 1; ahead < wheel_size; ++ahead)
            if ((wheel_[(now + ahead) % wheel_size] & slot_bit(slot)) != 0) return ahead;
        return 0;
    }

    /// Selects the warp that issues.
    /// @param ready      warps whose next instruction is otherwise ready
    /// @param may_issue  called in order of preference; returns whether the resources that the
    ///                   warp's instruction needs are free
    /// @return slot, or -1
    template <class MayIssue>
    int choose(slot_mask ready, MayIssue&& may_issue) const {
        slot_mask candidates = ready & ~stalled_;
        if (candidates == 0) return -1;
        if (policy_ == issue_policy::lrr) return next_of(candidates, may_issue);
        if (last_ >= 0 && (candidates & slot_bit(static_cast<unsigned>(last_))) != 0) {
            if (may_issue(static_cast<unsigned>(last_))) return last_;
            candidates &= ~slot_bit(static_cast<unsigned>(last_));
        }
        if (policy_ == issue_policy::glrr) return next_of(candidates, may_issue);
        for (unsigned i = live_; i-- > 0;) {
            const unsigned slot = by_age_[i];
            if ((candidates & slot_bit(slot)) == 0) continue;
            if (may_issue(slot)) return static_cast<int>(slot);
            candidates &= ~slot_bit(slot);
            if (candidates == 0) break;
        }
        return -1;
    }
    void issued(unsigned slot) { last_ = static_cast<int>(slot); }
    /// The slot that issued last; -1: none, or it has ended.
    int last() const { return last_; }
    /// Saves or restores the state that persists across kernels.
    template <class Archive>
    void checkpoint(Archive& a) {
        a(by_age_, live_, last_, stalled_, wheel_, armed_, reached_);
    }
    /// The youngest of some warps. @pre slots is not empty, and all have started
    unsigned youngest(slot_mask slots) const {
        unsigned i = live_ - 1;
        while ((slots & slot_bit(by_age_[i])) == 0) --i;
        return by_age_[i];
    }

private:
    static constexpr unsigned wheel_size = 64;

    /// The first of some warps that may issue, in the order of slots after the last one; -1: none.
    template <class MayIssue>
    int next_of(slot_mask candidates, MayIssue& may_issue) const {
        const auto above_last = static_cast<unsigned>(last_ + 1) % max_slots;
        const slot_mask above = candidates & ~slot_mask{0} << above_last;
        for (slot_mask half : {above, candidates & ~above})
            for (; half != 0; half &= half - 1) {
                const auto slot = static_cast<unsigned>(__builtin_ctz(half));
                if (may_issue(slot)) return static_cast<int>(slot);
            }
        return -1;
    }

    issue_policy policy_;

    std::array<std::uint8_t, max_slots> by_age_{};  // oldest first
    unsigned live_ = 0;
    int last_ = -1;
    slot_mask stalled_ = 0;
    std::array<slot_mask, wheel_size> wheel_{};  // slots whose stall ends, by cycle
    std::uint64_t armed_ = 0;                    // wheel slots that are not empty
    std::uint64_t reached_ = 0;                  // current cycle
};

}  // namespace simtlm::core::sub_core_pipeline

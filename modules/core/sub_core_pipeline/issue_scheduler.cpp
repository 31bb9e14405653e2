// SPDX-License-Identifier: Apache-2.0
#include "modules/core/sub_core_pipeline/issue_scheduler.h"

#include <algorithm>

namespace simtlm::core::sub_core_pipeline {

void issue_scheduler::warp_starts(unsigned slot) {
    by_age_[live_++] = static_cast<std::uint8_t>(slot);
}

void issue_scheduler::warp_ends(unsigned slot) {
    auto* const end = by_age_.begin() + live_;
    std::copy(std::find(by_age_.begin(), end, slot) + 1, end,
              std::find(by_age_.begin(), end, slot));
    --live_;
    if (last_ == static_cast<int>(slot)) last_ = -1;
    stalled_ &= ~slot_bit(slot);
    for (slot_mask& w : wheel_) w &= ~slot_bit(slot);
}

void issue_scheduler::stall(unsigned slot, std::uint64_t now, std::uint64_t until) {
    if (until <= now + 1) return;  // the next cycle is free
    stalled_ |= slot_bit(slot);
    wheel_[until % wheel_size] |= slot_bit(slot);
    armed_ |= std::uint64_t{1} << (until % wheel_size);
}

void issue_scheduler::advance(std::uint64_t now) {
    if (armed_ == 0 || now - reached_ >= wheel_size) {
        if (armed_ != 0) {
            wheel_.fill(0);
            armed_ = 0;
            stalled_ = 0;
        }
        reached_ = now;
        return;
    }
    while (reached_ < now) {
        const std::uint64_t bit = std::uint64_t{1} << (++reached_ % wheel_size);
        if ((armed_ & bit) == 0) continue;
        armed_ &= ~bit;
        slot_mask& due = wheel_[reached_ % wheel_size];
        stalled_ &= ~due;
        due = 0;
    }
}

std::uint64_t issue_scheduler::next_release(std::uint64_t now) const {
    if (armed_ == 0) return never;
    const unsigned first = static_cast<unsigned>((now + 1) % wheel_size);
    const std::uint64_t turned =
        first == 0 ? armed_ : armed_ >> first | armed_ << (wheel_size - first);
    return now + 1 + static_cast<unsigned>(__builtin_ctzll(turned));
}

}  // namespace simtlm::core::sub_core_pipeline
